/* A block of code that readers can run and edit, and the elements that it is made of. */

const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};
const button = (words, act, name = "") => {
  const made = element("button", { type: "button", class: name }, words);
  made.addEventListener("click", act);
  return made;
};
// Interactive figures of a vault may call its functions; the scripts loaded later use the rest.
globalThis.vaultkitPython = { engine, cost, Stopped, address, button, element };

const progressBar = () => element("progress", { "aria-label": "Loading Python", max: "1", value: "0", hidden: "" });

/* Replaces a button by another one; the focus moves with it. */
const swap = (gone, come, act) => {
  const had = document.activeElement === gone;
  act();
  if (had) come.focus({ preventScroll: true });
};

/* A block of code that readers can run and edit. */
const cellOf = (part, { run, follow, keep, left, reset, colour }) => {
  const pre = part.querySelector("pre");
  const code = part.querySelector("code");
  const original = code.textContent.replace(/\n$/, "");
  const coloured = code.innerHTML;
  let area = null;  // the code, while it can be edited
  const said = element("span", { class: "vk-cell__said", role: "status" });
  const bar = progressBar();
  const go = button("Run", () => run(cell));
  // Who points at it sees what a click will fetch.
  for (const near of ["pointerenter", "focus"]) {
    go.addEventListener(near, () => { go.title = cost() && `The first time this loads Python: ${cost()}`; });
  }
  const change = button("Edit", () => {
    if (area) {
      cell.leave();
      return;
    }
    cell.edit(cell.text());
    area.focus();
  });
  const back = button("Reset", () => {
    reset();
    change.focus({ preventScroll: true });  // the button with the focus is hidden now
  });
  const stop = button("Stop", () => engine.stop("Stopped."));
  back.hidden = stop.hidden = true;
  const turn = (is) => swap(is ? go : stop, is ? stop : go, () => {
    stop.hidden = !is;
    go.hidden = is;
  });
  part.append(element("div", { class: "vk-cell" },
    element("span", { class: "vk-cell__acts" }, go, stop, change, back), said, bar));
  code.addEventListener("input", () => {
    // The results are those of other code.
    if (engine.ready) said.textContent = "edited, computing again …";
    else said.textContent = `Run to see the effect${cost() && ` (loads Python, ${cost()})`}`;
    delete part.dataset.outcome;
    colour(code);
    follow(cell);
  });
  code.addEventListener("keydown", (event) => {
    if (area && event.key === "Escape") {
      cell.leave();
      change.focus({ preventScroll: true });
    }
    if (area && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      go.click();
    }
  });
  const cell = {
    original, part, bar,
    editing: () => area !== null,
    typing: () => area !== null && document.activeElement === area,
    text: () => code.textContent.replace(/\n$/, ""),
    changed: () => cell.text() !== original,
    /* Shows the output of a block that was run, also where a question folds it (`predict.js`). */
    unfold() {
      part.nextElementSibling?.dispatchEvent(new Event("vk-ran"));
    },
    say(...words) {
      said.replaceChildren(...words);
    },
    loading() {
      turn(true);
      said.textContent = cost() ? "loading Python …" : "starting Python …";
    },
    /* `limit`: the seconds after which it is stopped, shown when it takes long. */
    running(is, limit = 0) {
      turn(is);
      if (is) said.textContent = limit ? `running, is stopped after ${limit} s …` : "running …";
      else if (said.textContent.startsWith("running")) said.textContent = "";
    },
    edit(text) {
      if (area) return;
      area = code;
      part.querySelectorAll(".vk-unfold input").forEach((fold) => { fold.checked = true; });
      const attributes = {
        contenteditable: "plaintext-only", role: "textbox", "aria-multiline": "true", spellcheck: "false",
        autocapitalize: "off", tabindex: "0", "aria-label": "Code of this block; Ctrl and Enter run it, Escape leaves it",
      };
      for (const [key, value] of Object.entries(attributes)) code.setAttribute(key, value);
      code.classList.add("vk-cell__code");
      if (text !== cell.text()) code.textContent = `${text}\n`;
      change.textContent = "Done";
      back.hidden = false;
      colour(code);
      keep();
    },
    /* Ends the editing; the edit stays. */
    leave() {
      if (!area) return;
      for (const name of ["contenteditable", "role", "aria-multiline", "aria-label", "tabindex"]) code.removeAttribute(name);
      code.classList.remove("vk-cell__code");
      area = null;
      change.textContent = "Edit";
      back.hidden = !cell.changed();
      if (cell.changed()) colour(code);
      else code.innerHTML = coloured;
      keep();
      left();
    },
    restore() {
      code.innerHTML = coloured;
      cell.leave();
      back.hidden = true;
      said.textContent = "";
    },
  };
  return cell;
};
