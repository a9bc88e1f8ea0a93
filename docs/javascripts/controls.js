/* What all things to touch are made of: controls; below them the drawing, whose parts a module moves,
   with handles on it; and below that a sentence that says what is seen. Controls have one order:
   buttons, the one that leads on first; sliders; choices. Reset is beside the sentence, once something
   was changed. Where a button leads on through steps, the sentence is right below the controls. So controls stay where they are, whatever the height of the drawing, and a drawing that
   is higher than a phone begins beside them. */

/* The data that the drawing was made from. */
export const starting = (figure) => JSON.parse(figure.querySelector("metadata[data-touch]").textContent);

/* The pieces of the drawing of this name, in its order. */
export const part = (figure, name) => [...figure.querySelectorAll(`[data-part="${name}"]`)];

/* A coordinate, as figures/style.py writes it. */
export const num = (x) => String(Math.round(x * 10) / 10);

/* A number for readers: a true minus, and no minus before a zero. */
export const said = (x, digits = 2) => x.toFixed(digits).replace(/^-(?=0\.?0*$)/, "").replace("-", "−");

export const set = (element, attributes) => {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
};

export const make = (tag, attributes, ...children) => {
  const element = document.createElement(tag);
  set(element, attributes);
  element.append(...children);
  return element;
};

/* Path data of figures/style.py: through points, and to an open arrowhead. */
export const polyline = (points, closed = false) =>
  `M${points.map(([x, y]) => `${num(x)} ${num(y)}`).join("L")}${closed ? "Z" : ""}`;

export const arrow = ([x0, y0], [x1, y1]) => {
  const length = Math.hypot(x1 - x0, y1 - y0);
  const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
  const head = [
    [x1 - 6 * ux - 4 * uy, y1 - 6 * uy + 4 * ux], [x1, y1], [x1 - 6 * ux + 4 * uy, y1 - 6 * uy - 4 * ux],
  ];
  return polyline([[x0, y0], [x1, y1]]) + polyline(head);
};

/* The place of a value on a line: `[low, high, from, to]`. */
export const along = (value, [low, high, from, to]) => from + ((value - low) / (high - low)) * (to - from);

/* Shades and numbers of a heat map of figures/style.py, from its values row by row. */
export const heat = (group, values, digits = 2) => {
  const [low, high] = [Math.min(0, ...values), Math.max(...values)];
  const [faint, full] = [0.05, 0.48];
  [...group.querySelectorAll("rect")].forEach((cell, i) => {
    const share = high > low ? (values[i] - low) / (high - low) : 0;
    set(cell, { "fill-opacity": (faint + (full - faint) * share).toFixed(2) });
  });
  [...group.querySelectorAll("text")].forEach((text, i) => { text.textContent = said(values[i], digits); });
};

/* Words with letters of mathematics in them, as `$d_k$`: italic, the index lowered. */
export const rich = (words) => words.split("$").flatMap((piece, at) => {
  if (at % 2 === 0) return piece ? [piece] : [];
  const [letter, index] = piece.split("_");
  return index ? [make("i", {}, letter), make("sub", {}, index)] : [make("i", {}, letter)];
});
const plain = (words) => words.replaceAll("$", "").replaceAll("_", " ");

let last = 0;
const REST = 600; // Milliseconds without a change, after which a sentence is read out.

/* The sentence about a figure. It changes at every step of a drag, and is read out when it rests. */
export const sentence = () => {
  const words = make("p", { class: "touch__words", "aria-live": "off" });
  let timer;
  const changes = new MutationObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // What is read out is what changes while this is on.
      words.setAttribute("aria-live", "polite");
      words.replaceChildren(...words.childNodes);
      changes.takeRecords();
      timer = setTimeout(() => words.setAttribute("aria-live", "off"), REST);
    }, REST);
  });
  // Not what it says from the beginning.
  setTimeout(() => changes.observe(words, { childList: true, characterData: true, subtree: true }));
  return words;
};

/* The end of a panel: the sentence, and Reset. Nothing else moves when Reset appears. */
export const foot = (words, press) => {
  const again = make("button", { type: "button", class: "touch__reset", "aria-disabled": "true" }, "Reset");
  again.addEventListener("click", () => { if (again.ariaDisabled !== "true") press(); });
  return { box: make("div", { class: "touch__foot" }, again, words), again };
};

/* A row of options behind its name. */
export const choiceOf = (title, options) =>
  make("fieldset", { class: "touch__choice" }, make("legend", {}, ...title), make("div", { class: "touch__options" }, ...options));

/* A slider behind its name, with its value beside it. */
export const sliderOf = (label, range) => {
  const id = `touch-${(last += 1)}`;
  const input = make("input", { type: "range", id, ...range });
  const shown = make("span", { class: "touch__value", "aria-hidden": "true" });
  const row = make("div", { class: "touch__slider" }, make("label", { for: id }, ...rich(label)), input, shown);
  const show = (value, text) => {
    input.value = value;
    input.setAttribute("aria-valuetext", plain(text));
    shown.replaceChildren(...rich(text));
  };
  return { row, input, show };
};

/* Steps to the right and up; Home and End go as far as it goes. */
const KEYS = {
  ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
  PageUp: [0, 10], PageDown: [0, -10], Home: [-1e6, 0], End: [1e6, 0],
};

/* Give a figure its controls. `show` draws a state and returns the sentence about it; whatever is
   given to `change`, and whatever the callbacks of a control return, is what changes of the state. */
export const touch = (figure, start, show) => {
  const svg = figure.querySelector("svg");
  const built = svg.getAttribute("aria-label");
  const { x: left, width, height } = svg.viewBox.baseVal;
  const state = structuredClone(start);
  const first = JSON.stringify(start);
  const untouched = () => JSON.stringify(state) === first;
  const follow = [];
  const stage = make("span", { class: "touch__stage" });
  const controls = make("div", { class: "touch__controls" });
  const words = sentence();
  const { box: end, again } = foot(words, () => change(structuredClone(start)));
  // `data-live`: a preview of the page leaves it out.
  const panel = make("div", { class: "touch touch--above", "data-live": "", role: "group", "aria-label": "Try it" }, controls);

  const draw = () => {
    words.replaceChildren(...[show(state)].flat().flatMap((each) => (typeof each === "string" ? rich(each) : [each])));
    for (const act of follow) act();
    again.setAttribute("aria-disabled", untouched());
  };
  const change = (changes) => {
    Object.assign(state, changes);
    draw();
    // Where all began the author's words describe the drawing.
    svg.setAttribute("aria-label", built && untouched() ? built : words.textContent);
  };

  /* A slider of its own, for one number. */
  const slider = ({ label, min, max, step, value, text, input, small = false }) => {
    const { row, input: range, show: put } = sliderOf(label, { min, max, step });
    range.addEventListener("input", () => change(input(Number(range.value), state)));
    follow.push(() => put(value(state), text(state)));
    row.classList.toggle("touch__slider--small", small);
    controls.append(row);
  };

  /* One of a few. */
  const choice = ({ label, options, value, input, small = false }) => {
    const name = `touch-${(last += 1)}`;
    const group = choiceOf(rich(label), options.map(([option, title]) => {
      const radio = make("input", { type: "radio", name, value: option });
      radio.addEventListener("change", () => change(input(option, state)));
      follow.push(() => { radio.checked = value(state) === option; });
      return make("label", {}, radio, make("span", {}, ...rich(title)));
    }));
    group.classList.toggle("touch__choice--small", small);
    controls.append(group);
  };

  const buttons = make("div", { class: "touch__buttons" });
  let told = false; // whether a button leads on through what the sentence says
  const button = (title, press, { off = () => false, leads = false } = {}) => {
    const made = make("button", { type: "button" }, ...rich(title));
    // What leads on through a figure. Its words are then below it, so that both are seen.
    made.classList.toggle("touch__primary", leads);
    told ||= leads;
    made.addEventListener("click", () => { if (made.ariaDisabled !== "true") press(); });
    follow.push(() => made.setAttribute("aria-disabled", off(state)));
    buttons.append(made);
    return made;
  };

  /* A point of the drawing that can be moved. `at` gives its place in the drawing's own units, `moved`
     the changes for a place where it was dragged to, `nudged` those for arrow keys; `value` tells a
     screen reader of it: {now, min, max, text}. */
  const handle = ({ label, hue = "fg", at, value, moved, nudged }) => {
    const grip = make("span", {
      class: `touch__handle vk-${hue}`, "data-live": "", role: "slider", tabindex: 0, "aria-label": plain(label),
    });
    let off = [0, 0];
    const place = (event) => {
      const box = stage.getBoundingClientRect();
      return [left + ((event.clientX - box.left) / box.width) * width, ((event.clientY - box.top) / box.height) * height];
    };
    grip.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      event.preventDefault();
      grip.focus({ preventScroll: true });
      grip.setPointerCapture(event.pointerId);
      const [x, y] = place(event);
      off = [at(state)[0] - x, at(state)[1] - y];
    });
    grip.addEventListener("pointermove", (event) => {
      if (!grip.hasPointerCapture(event.pointerId)) return;
      const [x, y] = place(event);
      change(moved([x + off[0], y + off[1]], state));
    });
    grip.addEventListener("keydown", (event) => {
      const way = KEYS[event.key];
      if (!way || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      const far = event.shiftKey ? 10 : 1;
      change(nudged([way[0] * far, way[1] * far], state));
    });
    follow.push(() => {
      const [x, y] = at(state);
      grip.style.left = `${((x - left) / width) * 100}%`;
      grip.style.top = `${(y / height) * 100}%`;
      const { now, min, max, text } = value(state);
      set(grip, { "aria-valuenow": now, "aria-valuemin": min, "aria-valuemax": max, "aria-valuetext": plain(text) });
    });
    stage.append(grip);
  };

  /* Everything is there: put it around the drawing. */
  const ready = () => {
    if (buttons.children.length) controls.prepend(buttons);
    draw();
    const box = svg.parentElement;
    svg.replaceWith(stage);
    stage.prepend(svg);
    if (controls.children.length) box.before(panel);
    if (told) panel.append(end);
    else box.after(make("div", { class: "touch", "data-live": "" }, end));
  };

  return { state, change, slider, choice, button, handle, stage, add: (...rows) => controls.append(...rows), follow: (act) => follow.push(act), ready };
};
