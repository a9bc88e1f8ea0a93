/* What the explorers of heads are made of: lines from who asks to who is read, bars, and the panel
   that takes the place of a drawing. */
import { choiceOf, foot, make, sentence, set, sliderOf } from "./controls.js";

const PITCH = 26; // from token to token, in the units of the lines
const LEAST = 0.02; // a smaller weight has no line
const SVG = "http://www.w3.org/2000/svg";
let last = 0;

// Only pages with an explorer need its style sheet. Adopted, it outlives pages loaded in place.
const sent = await fetch(new URL("../stylesheets/explorer.css", import.meta.url));
if (!sent.ok) throw new Error(`no style sheet: ${sent.status}`);
const sheet = new CSSStyleSheet();
sheet.replaceSync(await sent.text());
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];

/* A no-break space keeps the number and the sign on one line. */
export const percent = (share) => `${(100 * share).toFixed(1)}\u00a0%`;
export const quoted = (word) => `“${word}”`;

/* The place of the largest number. */
export const largest = (row) => row.reduce((best, value, i) => (value > row[best] ? i : best), 0);

/* Buttons of which one is pressed, as native radios: the arrow keys come with them. `check(-1)` presses none. */
export const radios = (title, options, choose) => {
  const name = `heads-${(last += 1)}`;
  const inputs = options.map((words, i) => {
    const input = make("input", { type: "radio", name, value: i });
    input.addEventListener("change", () => choose(i));
    return input;
  });
  const group = choiceOf([title], inputs.map((input, i) => make("label", {}, input, make("span", {}, options[i]))));
  return { group, check: (chosen) => inputs.forEach((input, i) => { input.checked = i === chosen; }) };
};

/* One of many, for a finger that misses their cells: other screens leave it out. */
export const slide = (label, choose) => {
  const { row, input, show } = sliderOf(label, { min: 1, step: 1 });
  row.classList.add("heads__finger");
  input.addEventListener("input", () => choose(Number(input.value) - 1));
  return { row, show: (chosen, count, text = String(chosen + 1)) => { input.max = count; show(chosen + 1, text); } };
};

/* A button that stays pressed. */
export const toggle = (press) => {
  const button = make("button", { type: "button", "aria-pressed": "false" });
  button.addEventListener("click", () => press(button.getAttribute("aria-pressed") !== "true"));
  return button;
};

const curve = (i, j) => {
  const [a, b] = [i, j].map((k) => (k + 0.5) * PITCH);
  return `M0 ${a}C50 ${a} 50 ${b} 100 ${b}`;
};

const path = (d, opacity, width, kind = "") => {
  const one = document.createElementNS(SVG, "path");
  set(one, { d, class: kind, "stroke-opacity": opacity, "vector-effect": "non-scaling-stroke" });
  one.style.strokeWidth = `${width}px`;
  return one;
};

/* The lines of all tokens. Those of the chosen one are as wide as their weights; the others are one
   path for each shade, since a page with a hundred more elements is slower. */
const drawn = (weights, chosen) => {
  const shades = new Map();
  const strong = [];
  weights.forEach((row, i) => row.forEach((weight, j) => {
    if (weight < LEAST) return;
    if (i === chosen) {
      strong.push(path(curve(i, j), (0.3 + 0.7 * weight).toFixed(2), 1 + 3.5 * weight, "heads__strong"));
    } else {
      const shade = (0.28 * weight).toFixed(2);
      shades.set(shade, (shades.get(shade) ?? "") + curve(i, j));
    }
  }));
  return [...[...shades].map(([shade, curves]) => path(curves, shade, 1.5)), ...strong];
};

/* One head on one sentence. `ask` hears which token is pointed at, and `look` of a mere look with
   the mouse (nothing, when it leaves); `read` which token on the right is chosen, if that matters. */
export const lines = (label, { ask, look = () => {}, read = null }) => {
  const box = make("div", { class: "heads__lines", role: "group", "aria-label": label });
  const svg = document.createElementNS(SVG, "svg");
  set(svg, { "aria-hidden": "true", preserveAspectRatio: "none" });
  let shown = "";
  let left = [];
  let right = [];

  const column = (name, legend, tokens, choose) => {
    const group = `heads-${(last += 1)}`;
    const field = make(choose ? "fieldset" : "div", { class: name });
    if (choose) field.append(make("legend", { class: "heads__unseen" }, legend));
    const cells = tokens.map((token, i) => {
      const words = make("span", { class: "heads__token" }, token);
      if (!choose) {
        field.append(make("span", { class: "heads__cell" }, words));
        return { words, row: words.parentElement };
      }
      const input = make("input", { type: "radio", name: group, value: i });
      input.addEventListener("change", () => choose(i));
      const row = make("label", { class: "heads__cell" }, input, words);
      field.append(row);
      return { input, words, row };
    });
    return { field, cells };
  };

  const build = (asks, reads) => {
    const one = column("heads__asks", "who asks", asks, ask);
    one.cells.forEach(({ row }, i) => {
      row.addEventListener("pointerenter", ({ pointerType }) => { if (pointerType === "mouse") look(i); });
    });
    one.field.addEventListener("pointerleave", () => look(null));
    const other = column("heads__reads", "who is read", reads, read);
    for (const cell of other.cells) {
      cell.bar = make("span", { class: "heads__bar" });
      cell.share = make("span", { class: "heads__share" });
      cell.row.append(make("span", { class: "heads__gauge" }, cell.bar, cell.share));
    }
    [left, right] = [one.cells, other.cells];
    const rows = Math.max(asks.length, reads.length);
    set(svg, { viewBox: `0 0 100 ${PITCH * rows}` });
    svg.style.setProperty("--rows", rows);
    const heading = (words) => make("span", { class: "heads__heading", "aria-hidden": "true" }, words);
    box.replaceChildren(heading("asks"), heading(label), heading("is read"), one.field, svg, other.field);
  };

  /* `chosen` is the row that is shown, `picked` the one that stays when the mouse leaves. */
  const show = ({ asks, reads, weights, chosen, picked, to = null, hidden = false }) => {
    const tokens = JSON.stringify([asks, reads]);
    if (tokens !== shown) build(asks, reads);
    shown = tokens;
    box.classList.toggle("heads__lines--hidden", hidden);
    svg.replaceChildren(...drawn(weights, chosen));
    left.forEach(({ input, row }, i) => {
      row.classList.toggle("heads__cell--on", i === chosen);
      if (i === picked) input.checked = true;
    });
    right.forEach(({ input, row, bar, share }, j) => {
      const weight = weights[chosen][j];
      row.classList.toggle("heads__cell--some", weight >= LEAST);
      row.classList.toggle("heads__cell--to", j === to);
      if (j === to && input) input.checked = true;
      bar.style.setProperty("--share", weight);
      share.textContent = percent(weight);
    });
  };
  return { box, show };
};

/* Named numbers from 0 to 1, as bars. */
export const bars = (label) => {
  const list = make("dl", { class: "heads__bars" });
  const title = make("p", { class: "heads__title" }, label);
  const box = make("div", { class: "heads__output" }, title, list);
  return {
    box,
    show: (names, values, text, words = label) => {
      title.textContent = words;
      list.replaceChildren(...names.flatMap((name, i) => {
        const bar = make("span", { class: "heads__bar" });
        bar.style.setProperty("--share", Math.max(0, Math.min(1, values[i])));
        return [make("dt", {}, name), make("dd", {}, bar, make("span", { class: "heads__share" }, text(values[i])))];
      }));
    },
  };
};

/* The end of a panel, with a Reset that appears when a reader has pressed or typed something. */
export const ending = (words, reset) => {
  const { box, again } = foot(words, () => {
    reset();
    again.setAttribute("aria-disabled", "true");
  });
  const changed = ({ type, target }) => {
    // The page was left: pages are loaded in place.
    if (!box.isConnected) document.removeEventListener(type, changed);
    else if (target !== again && target.closest("button, input, label, textarea") && box.closest("figure").contains(target)) {
      again.setAttribute("aria-disabled", "false");
    }
  };
  setTimeout(() => ["input", "click"].forEach((type) => document.addEventListener(type, changed)));
  return box;
};

/* Put the panel where the drawing is; on paper the drawing stays. Controls come first. */
export const replace = (figure, label, reset, ...children) => {
  const words = sentence();
  const panel = make("div", { class: "touch heads", role: "group", "aria-label": label }, ...children, ending(words, reset));
  const drawing = figure.querySelector(".vk-figure-box") ?? figure.querySelector("svg");
  drawing.classList.add("heads__drawn");
  drawing.after(panel);
  return { panel, words };
};

/* The controls of a panel: first a row of buttons, the one that leads on first. */
export const controls = (buttons, ...others) => make("div", { class: "touch__controls" },
  ...(buttons.length ? [make("div", { class: "touch__buttons" }, ...buttons)] : []), ...others);
