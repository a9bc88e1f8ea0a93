/* All heads of the real model on a reader's own sentence. The first one was recorded; the weights are
   loaded when the reader asks for it, if this copy of the site has them. */
import { gives, read } from "./attention-explorer.js";
import { make, part, sentence, set, starting } from "./controls.js";
import { controls, ending, largest, lines, quoted, radios, slide } from "./heads-view.js";
import { attentionMaps, NUM_HEADS, open, tokenize } from "./minilm.js";

const MOST = 40; // tokens that fit on a page
const EXAMPLE = "I sat on the river bank to fish.";
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

/* Path data of figures/own_sentence.py: for each shade its cells, those below one another as one stroke. */
const strokes = (weights, least) => {
  const shade = (weight) => least.filter((bound) => weight >= bound).length;
  const paths = least.map(() => "");
  for (let j = 0; j < weights.length; j += 1) {
    for (let i = 0; i < weights.length;) {
      const [begun, level] = [i, shade(weights[i][j])];
      while (i < weights.length && shade(weights[i][j]) === level) i += 1;
      if (level) paths[level - 1] += `M${j} ${begun}v${i - begun}`;
    }
  }
  return paths;
};

/* A file of a known size; `seen` hears how many bytes have come. */
const fetched = async (address, size, seen) => {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the server answers ${response.status}`);
  const whole = new Uint8Array(size);
  let count = 0;
  for (const reader = response.body.getReader();;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (count + value.length > size) throw new Error("the file is larger than expected");
    whole.set(value, count);
    seen(count += value.length);
  }
  if (count < size) throw new Error("the file ended early");
  return whole.buffer;
};

/* The last token that is a word, or a piece of one; who asks first. */
export const lastWord = (tokens) =>
  Math.max(1, tokens.findLastIndex((token, i) => i < tokens.length - 1 && /[\p{L}\p{N}]/u.test(token)));

/* The map of one head, large enough to tell cells apart, with the tokens along its sides; the row of
   who asks is outlined. Where rows are too low for words, only who asks and what it reads most have one. */
const [WHOLE, LETTER, LOWEST] = [300, 6.4, 14]; // the side of all, the width of a letter, the least row with words
export const enlarged = (least) => {
  const shape = (name, attributes, ...children) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    set(made, attributes);
    made.append(...children);
    return made;
  };
  const paths = [0.25, 0.5, 0.75, 1].map((shade) => shape("path", { "stroke-opacity": shade }));
  const ground = shape("rect", { class: "sentence__ground" });
  const map = shape("g", { class: "sentence__cells" }, ...paths);
  const row = shape("rect", { class: "sentence__row" });
  const labels = shape("g", { class: "sentence__tokens" });
  const svg = shape("svg", { class: "sentence__map", role: "img", viewBox: `0 0 ${WHOLE} ${WHOLE}` }, ground, map, row, labels);
  const title = make("p", { class: "heads__heading" });
  return {
    box: make("div", { class: "sentence__large" }, title, svg),
    show: (tokens, weights, asks, label) => {
      const n = weights.length;
      const margin = Math.ceil(LETTER * Math.max(...tokens.map((token) => token.length))) + 8;
      const side = WHOLE - margin - 1;
      const cell = side / n;
      const most = largest(weights[asks]);
      const named = (chosen) => tokens.map((token, i) => [token, i]).filter(([, i]) => cell >= LOWEST || i === chosen);
      svg.setAttribute("aria-label", label);
      set(ground, { x: margin, y: margin, width: side, height: side });
      set(map, { transform: `translate(${margin + cell / 2} ${margin}) scale(${cell})` });
      strokes(weights, least).forEach((d, level) => set(paths[level], { d }));
      set(row, { x: margin, y: margin + asks * cell, width: side, height: cell });
      labels.replaceChildren(
        ...named(asks).map(([token, i]) => shape("text", {
          x: margin - 5, y: margin + (i + 0.5) * cell + 4, class: i === asks ? "sentence__asks" : "",
        }, token)),
        ...named(most).map(([token, i]) => shape("text", {
          transform: `translate(${margin + (i + 0.5) * cell + 4} ${margin - 5}) rotate(-90)`, "text-anchor": "start", class: i === most ? "sentence__most" : "",
        }, token)));
      title.textContent = label;
    },
  };
};

const painted = () => new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); });

export const mount = async (figure) => {
  const start = starting(figure);
  // They are added to a site that is built, so an answer from the browser's cache may be wrong.
  const named = await fetch(new URL("minilm-weights.json", import.meta.url), { cache: "no-cache" });
  if (!named.ok) throw new Error(`the server answers ${named.status}`);
  const files = await named.json();
  const { default: recording } = await import("./minilm-heads.js");
  const { sentences: [first], shape: [blocks] } = read(recording);
  const recorded = Array.from({ length: blocks }, (_, b) => Array.from({ length: NUM_HEADS }, (__, h) =>
    first.tokens.map((___, i) => first.row(b, h, i))));
  const example = { tokens: first.tokens, maps: recorded, own: false };
  // `refused`: the text in the field was not read, so there is nothing to show.
  const state = { ...example, block: start.block, head: start.head, asks: start.asks, look: null, refused: false };
  const svg = figure.querySelector("svg");
  const maps = part(figure, "map");
  const [chosen] = part(figure, "chosen");
  const [left, top, pitch, side] = start.grid;

  const field = make("input", {
    type: "text", id: "own-sentence", autocomplete: "off", spellcheck: "false", value: EXAMPLE, "aria-describedby": "sentence-problem",
  });
  const run = make("button", { type: "submit", class: "touch__primary" });
  const problem = make("p", { class: "sentence__problem", id: "sentence-problem", role: "status" });
  const bar = make("progress", { max: start.bytes, value: 0, "aria-label": "Weights loaded", hidden: "" });
  const form = make("form", { class: "sentence__form" }, make("label", { for: field.id }, "Your sentence"), field, run);
  if (files) form.append(make("a", { href: new URL(files.licence, import.meta.url) }, "Licence"));
  const absent = make("p", { class: "sentence__form" },
    "This copy of the site was built without the weights of the model, so it cannot read your sentence. It shows a recorded one.");
  const whichBlock = radios("Block", recorded.map((_, b) => String(b + 1)), (block) => change({ block }));
  const whichHead = radios("Head", recorded[0].map((_, h) => String(h + 1)), (head) => change({ head }));
  const view = lines("the chosen head", { ask: (asks) => change({ asks, look: null }), look: (look) => change({ look }) });
  const asker = slide("Who asks", (asks) => change({ asks, look: null }));
  const large = enlarged(start.least);
  const words = sentence();

  let model = null;
  let busy = false;
  const label = () => { run.textContent = model ? "Run" : `Load the model, ${megabytes(start.bytes)}, and run`; };
  label();

  const compute = async () => {
    if (!model) {
      bar.hidden = false;
      const data = await fetched(new URL(files.weights, import.meta.url), start.bytes, (count) => {
        bar.value = count;
        problem.textContent = `${megabytes(count)} of ${megabytes(start.bytes)}`;
      });
      model = open(data);
      bar.hidden = true;
      label();
    }
    const tokens = tokenize(model, field.value);
    change({ refused: tokens.length < 3 || tokens.length > MOST });
    if (tokens.length < 3) return "Type a sentence first.";
    if (state.refused) return `This page reads ${MOST} tokens at most, with [CLS] and [SEP]. The text has ${tokens.length}.`;
    const found = await attentionMaps(model, tokens, (block) => {
      problem.textContent = `Block ${block + 1} of ${model.blocks}`;
      return painted();
    });
    const again = tokens.join(" ") === state.tokens.join(" ");
    change({ tokens, maps: found, own: true, asks: again ? state.asks : lastWord(tokens), look: null });
    return "";
  };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (busy) return;
    busy = true;
    run.setAttribute("aria-disabled", "true");
    try {
      problem.textContent = await compute();
    } catch (reason) {
      // The words of a browser say neither what failed nor where.
      const why = reason instanceof TypeError ? "the connection failed" : reason.message;
      problem.textContent = `The model could not be loaded from ${new URL(import.meta.url).host}: ${why}. Press the button to try again.`;
    }
    bar.hidden = true;
    busy = false;
    run.setAttribute("aria-disabled", "false");
  });

  const reset = () => {
    field.value = EXAMPLE;
    problem.textContent = "";
    change({ ...example, block: start.block, head: start.head, asks: start.asks, look: null, refused: false });
  };
  const about = { "data-live": "", role: "group" };
  const panel = make("div", { class: "touch touch--above heads sentence", ...about, "aria-label": "Your own sentence" },
    files ? form : absent, bar, problem, make("p", {}, "Choose a head, or press a map:"), controls([], asker.row, whichBlock.group, whichHead.group));
  const chosenHead = make("div", { class: "touch heads sentence", ...about, "aria-label": "The chosen head" },
    make("div", { class: "heads__pair" }, view.box, large.box), ending(words, reset));
  // A map may be pointed at, too.
  maps.forEach((map, at) => {
    map.addEventListener("click", () => {
      change({ block: Math.floor(at / NUM_HEADS), head: at % NUM_HEADS });
      // As if it had been chosen above: Reset appears.
      whichHead.group.querySelector(":checked").dispatchEvent(new Event("input", { bubbles: true }));
    });
  });

  let drawn = null;
  const draw = () => {
    const { tokens, maps: found, block, head } = state;
    const asks = state.look ?? state.asks;
    if (drawn !== found) {
      const cell = side / tokens.length;
      maps.forEach((map, at) => {
        const [b, h] = [Math.floor(at / NUM_HEADS), at % NUM_HEADS];
        const group = map.querySelector("g");
        set(group, {
          transform: `translate(${(left + pitch * h + cell / 2).toFixed(2)} ${top + pitch * b}) scale(${cell.toFixed(4)})`,
        });
        const paths = strokes(found[b][h], start.least);
        [...group.children].forEach((path, level) => set(path, { d: paths[level] }));
      });
      drawn = found;
    }
    svg.classList.toggle("sentence__refused", state.refused);
    view.box.parentElement.classList.toggle("sentence__refused", state.refused);
    // The outline of figures/style.py lies two units outside of the map.
    set(chosen, { x: left + pitch * head - 2, y: top + pitch * block - 2 });
    whichBlock.check(block);
    whichHead.check(head);
    asker.show(asks, tokens.length, tokens[asks]);
    large.show(tokens, found[block][head], asks, `block ${block + 1}, head ${head + 1}: queries down, keys across`);
    view.show({ asks: tokens, reads: tokens, weights: found[block][head], chosen: asks, picked: state.asks });
    const whose = state.own ? "Your sentence" : "The recorded sentence";
    words.textContent = state.refused ? "" : `${whose} has ${tokens.length} tokens. In block ${block + 1}, head ${head + 1}, ${quoted(tokens[asks])} gives `
      + `${gives(tokens, asks, found[block][head][asks]).replace("%", "% of its weight")}.`;
  };
  function change(changes) {
    Object.assign(state, changes);
    draw();
    if (state.look === null) svg.setAttribute("aria-label", words.textContent || "No sentence is shown.");
  }
  const said = svg.getAttribute("aria-label");
  draw();
  if (said) svg.setAttribute("aria-label", said);
  svg.parentElement.before(panel);
  svg.parentElement.after(chosenHead);
};
