/* A function that the reader pastes, compared with a right one in Python: snippets/own_attention.py. */
import { make, rich, said, starting } from "./controls.js";
import { controls, radios, replace } from "./heads-view.js";

const WHERE = "snippets.own_attention:report";
const SECONDS = 5; // of native Python

const formula = (words) => rich(words.replaceAll(/d_(k|model)/g, "$d_$1$"));
const quoted = (words) => make("span", { class: "own__step" }, ...formula(words));

/* The section of another note that explains a mistake; this page links to it. */
const ELSEWHERE = { MaximumNotSubtracted: "#subtract-the-maximum" };

/* The heading above the code of a mistake on this page. */
const section = (name, words) => {
  const article = document.querySelector("article") ?? document;
  const link = ELSEWHERE[name] && article.querySelector(`a[href$="${ELSEWHERE[name]}"]`);
  if (link) return make("a", { href: link.href }, ...formula(words));
  const code = [...article.querySelectorAll("pre")].find((pre) => pre.textContent.includes(`class ${name}(`));
  const above = code && [...article.querySelectorAll("h2[id]")].filter((heading) =>
    heading.compareDocumentPosition(code) & Node.DOCUMENT_POSITION_FOLLOWING).at(-1);
  return above ? make("a", { href: `#${above.id}` }, ...formula(words)) : make("span", {}, ...formula(words));
};

/* The difference of two outputs: blue above 0, orange below. */
const map = ({ found, expected, case: inputs }) => {
  const difference = found.map((row, i) => row.map((value, j) => (value === null ? null : value - expected[i][j])));
  const full = Math.max(...difference.flat().map((value) => Math.abs(value ?? 0))) || 1;
  const cell = (value) => {
    const made = make("td", {}, value === null ? "NaN" : said(value));
    const hue = value === null || value < 0 ? "key" : "query";
    const share = value === null ? 1 : Math.abs(value) / full;
    made.style.setProperty("background-color", `color-mix(in srgb, var(--vk-${hue}) ${Math.round(45 * share)}%, transparent)`);
    return made;
  };
  const title = `Your output minus the right one, for ${inputs}`;
  const head = (scope, words) => make("th", { scope }, words);
  const rows = difference.map((row, i) => make("tr", {}, head("row", `token ${i + 1}`), ...row.map(cell)));
  const heads = difference[0].map((_, j) => head("col", String(j + 1)));
  const table = make("table", { class: "own__map", "aria-label": title },
    make("thead", {}, make("tr", {}, make("td", {}), ...heads)), make("tbody", {}, ...rows));
  return [make("p", { class: "own__formula" }, `${title}:`), make("div", { class: "own__scroll", tabindex: 0, role: "group", "aria-label": "The map" }, table)];
};

const result = (report) => {
  const parts = (report.formulas ?? []).map(([name, words, right, instead]) => make("p", { class: "own__formula" },
    make("strong", {}, section(name, words)), ". Here: ", quoted(instead), ". It should be: ", quoted(right), "."));
  if (report.line) parts.push(make("pre", { class: "own__line" }, report.line));
  if (report.found) parts.push(...map(report));
  return parts;
};

export const mount = (figure) => {
  const { examples, report } = starting(figure);
  const names = Object.keys(examples);
  const code = make("textarea", {
    class: "own__code", rows: 11, spellcheck: "false", autocapitalize: "off", autocomplete: "off",
    "aria-label": "Your function, in Python with NumPy", wrap: "off",
  });
  const shown = make("div", { class: "own__result" });
  const choice = radios("Begin with", names, (i) => begin(i));
  const run = make("button", { type: "button", class: "touch__primary" }, "Check");
  const stop = make("button", { type: "button", hidden: "" }, "Stop");
  const bar = make("progress", { max: 1, "aria-label": "Loading Python", hidden: "" });
  const { words, panel } = replace(figure, "Your own attention", () => begin(0),
    controls([run, stop], choice.group), code, bar);
  panel.classList.add("own");
  panel.append(shown);

  let turn = 0; // an answer to an older text is dropped
  const say = (text) => { words.textContent = text; };
  const clear = (text) => {
    turn += 1;
    shown.replaceChildren();
    say(text);
  };
  const cost = () => {
    const fetched = globalThis.vaultkitPython?.cost();
    return fetched ? ` The first time this loads Python: ${fetched}.` : "";
  };

  function begin(i) {
    code.value = examples[names[i]];
    choice.check(i);
    clear(`Change it, or paste your own, and press Check.${cost()}`);
    if (i > 0) return;
    show(report);
  }
  function show(found) {
    say(found.words.join(" "));
    shown.replaceChildren(...result(found));
    // The room of a map is not kept empty below a verdict without one.
    panel.classList.toggle("own--short", !found.found);
  }
  const busy = (is) => {
    const focused = document.activeElement;
    run.hidden = is;
    stop.hidden = !is;
    if (is && focused === run) stop.focus();
    if (!is && focused === stop) run.focus();
  };

  const check = async () => {
    const python = globalThis.vaultkitPython;
    if (!python) {
      say("This site does not offer Python in the browser. The function report of snippets/own_attention.py is what would run.");
      return;
    }
    const { engine, Stopped } = python;
    clear("Checking …");
    const mine = turn;
    if (!engine.loaded) engine.watch(bar, (text) => { if (mine === turn) say(text[0].toUpperCase() + text.slice(1)); });
    busy(true);
    try {
      const found = JSON.parse(await engine.call(WHERE, code.value, SECONDS));
      if (mine === turn) show(found);
    } catch (reason) {
      const long = reason instanceof Stopped && reason.message.includes("limit");
      if (mine === turn) say(`${long ? "The function did not end: look for an endless loop. " : ""}${reason.message}`);
    } finally {
      bar.hidden = true;
      busy(false);
    }
  };
  run.addEventListener("click", check);
  stop.addEventListener("click", () => globalThis.vaultkitPython.engine.stop("Stopped."));
  code.addEventListener("input", () => {
    choice.check(-1);
    clear(`Press Check when it is ready.${cost()}`);
  });
  code.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || run.hidden) return;
    event.preventDefault();
    check();
  });
  begin(0);
};
