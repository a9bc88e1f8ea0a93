/* The real model on a handful of sentences: choose a head, point at a token, hide the head. What the
   model did was recorded. The first two sentences are fetched when a reader comes near, others when
   they are chosen. */
import { make, starting } from "./controls.js";
import { heads, unpack } from "./heads.js";
import { controls, largest, lines, percent, quoted, radios, replace, slide, toggle } from "./heads-view.js";

const SPECIAL = ["[CLS]", "[SEP]", "."];
const WHERE = ["in sentence\u00a01", "in sentence\u00a02"];

/* The recording, ready to be asked. `sentencesOf` resolves to the two sentences of a pair; those of the
   first pair are there from the beginning. */
export const read = ({ shape, steps, sentences, pairs }) => ({
  shape,
  sentences: sentences.map((sentence) => heads(sentence, steps, shape)),
  sentencesOf: async (pair) => {
    const response = await fetch(new URL(pairs[pair].file, import.meta.url));
    if (!response.ok) throw new Error(`the server answers ${response.status}`);
    return (await response.json()).map((sentence) => heads(sentence, steps, shape));
  },
  pairs: pairs.map(({ word, clues, whole, without }) => {
    const each = unpack(without, steps.distance);
    return { word, clues, whole, without: (block, head) => each[block * shape[1] + head] };
  }),
});

/* What one token gives, in words. */
export const gives = (tokens, i, row) => {
  const j = largest(row);
  const to = j === i ? "itself" : quoted(tokens[j]);
  return `${percent(row[j])} to ${to}`;
};

/* The same word in the other sentence, the same time it occurs there; or where it was. */
const counterpart = (tokens, i, others, was) => {
  const time = tokens.slice(0, i).filter((token) => token === tokens[i]).length;
  const places = others.flatMap((token, j) => (token === tokens[i] ? [j] : []));
  return places[time] ?? places[0] ?? was;
};

const table = (shape, choose) => {
  const [blocks, count] = shape;
  const grid = make("div", { class: "heads__grid", role: "radiogroup", "aria-label": "Block and head" });
  grid.style.setProperty("--heads", count);
  grid.append(make("span", {}), ...Array.from({ length: count }, (_, head) =>
    make("span", { class: "heads__number", "aria-hidden": "true" }, head + 1)));
  const inputs = [];
  for (let block = 0; block < blocks; block += 1) {
    grid.append(make("span", { class: "heads__block", "aria-hidden": "true" }, `block ${block + 1}`));
    for (let head = 0; head < count; head += 1) {
      const input = make("input", { type: "radio", name: "heads-head" });
      input.addEventListener("change", () => choose(block, head));
      inputs.push(input);
      grid.append(make("label", { class: "heads__head" }, input, make("span", {})));
    }
  }
  // Up and down go to the head above and below; left and right are the browser's own.
  grid.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -count, ArrowDown: count }[event.key];
    const at = inputs.indexOf(event.target);
    if (!step || at < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const next = inputs[at + step];
    if (!next) return;
    next.focus();
    next.checked = true;
    next.dispatchEvent(new Event("change"));
  });
  return { grid, inputs };
};

const build = (figure, { shape, sentences, sentencesOf, pairs }, start) => {
  const first = () => ({
    pair: 0, coming: null, note: "", side: 0, look: null, hidden: false, shade: 0, ...structuredClone(start),
  });
  const state = first();
  const loaded = [sentences];
  const both = () => loaded[state.pair];
  // `note` is about the last pair that was chosen; it stays until something else is chosen.
  const change = (changes) => { Object.assign(state, "look" in changes ? {} : { note: "" }, changes); draw(); };

  const choosePair = async (pair) => {
    const { word, clues } = pairs[pair];
    if (!loaded[pair]) {
      change({ coming: pair, note: `The sentences with ${quoted(word)} are being loaded.` });
      try {
        loaded[pair] = await sentencesOf(pair);
      } catch (reason) {
        const note = `The sentences with ${quoted(word)} could not be loaded: ${reason.message}. Choose them again to try again.`;
        if (state.coming === pair) change({ coming: null, note });
        return;
      }
      // Meanwhile another pair was chosen, or all was reset.
      if (state.coming !== pair) return;
    }
    const tokens = loaded[pair].map((sentence) => sentence.tokens);
    change({
      pair, coming: null, note: "", side: 0, look: null,
      asks: tokens.map((row) => row.indexOf(word)),
      reads: tokens.map((row, side) => row.indexOf(clues[side])),
    });
  };
  const which = radios("Sentences", pairs.map(({ word }) => quoted(word)), choosePair);
  const blockSlider = slide("Block", (block) => change({ block }));
  const headSlider = slide("Head", (head) => change({ head }));
  // A phone has room for one sentence.
  const sides = radios("Shown", ["sentence 1", "sentence 2"], (side) => change({ side, look: null }));
  sides.group.classList.add("heads__finger");
  const picker = table(shape, (block, head) => change({ block, head }));
  const shade = radios("Shade by", ["weight", "loss without it"], (i) => change({ shade: i }));
  const shaded = make("p", { class: "heads__caption" });
  const hide = toggle((hidden) => change({ hidden }));
  const views = [0, 1].map((side) => lines(`sentence ${side + 1}`, {
    ask: (i) => {
      const [own, other] = [both()[side], both()[1 - side]];
      const asks = [...state.asks];
      asks[side] = i;
      asks[1 - side] = counterpart(own.tokens, i, other.tokens, asks[1 - side]);
      change({ side, asks, look: null });
    },
    look: (i) => change({ look: i === null ? null : [side, i] }),
    read: (j) => {
      const reads = [...state.reads];
      reads[side] = j;
      change({ side, reads, shade: 0 });
    },
  }));
  const name = make("span", {});
  const title = make("p", { class: "heads__title" }, name, " ", hide);
  const losses = make("tbody", {});
  const loss = make("table", { class: "heads__loss" }, make("thead", {}, make("tr", {},
    make("th", { scope: "col" }, "What is lost"), make("th", { scope: "col" }, "sentence 1"),
    make("th", { scope: "col" }, "sentence 2"))), losses);

  const pair = make("div", { class: "heads__pair heads__pair--one" }, ...views.map(({ box }) => box));
  const { panel, words } = replace(figure, "Attention Explorer", () => change(first()),
    controls([], blockSlider.row, headSlider.row, which.group, shade.group, sides.group), shaded, picker.grid, title, pair);
  panel.append(loss);

  const asksOf = (side) => (state.look && state.look[0] === side ? state.look[1] : state.asks[side]);

  const sentence = () => {
    const { block, head } = state;
    const told = both().map(({ tokens, row }, side) => {
      const i = asksOf(side);
      return { word: tokens[i], row: row(block, head, i), i, tokens };
    });
    const [one, other] = told.map(({ tokens, i, row }) => gives(tokens, i, row));
    const same = told[0].word === told[1].word;
    const second = same ? other : `${quoted(told[1].word)} gives ${other}`;
    const rests = told.every(({ tokens, row }) => SPECIAL.includes(tokens[largest(row)]))
      ? " Tokens like this one carry no word: a head that finds nothing may rest its weight there." : "";
    return `In block ${block + 1}, head ${head + 1}, ${quoted(told[0].word)} gives ${one.replace("%", "% of its weight")} ${WHERE[0]}, `
      + `${same ? "and" : "and there"} ${second} ${WHERE[1]}.${rests}`;
  };

  const row = (said, ...values) => make("tr", {}, make("th", { scope: "row" }, said),
    ...values.map((value) => make("td", values.length === 1 ? { colspan: 2 } : {}, value)));

  function draw() {
    const { block, head, hidden, side } = state;
    const [, count] = shape;
    const current = both();
    const focus = current[side];
    const [i, j] = [asksOf(side), state.reads[side]];
    const word = quoted(focus.tokens[i]);
    which.check(state.coming ?? state.pair);
    shade.check(state.shade);
    blockSlider.show(block, shape[0]);
    headSlider.show(head, count);
    sides.check(side);
    pair.dataset.side = side;
    shaded.textContent = `${state.shade ? `Stronger: ${word} loses more without the head`
      : `Stronger: ${word} gives more to ${quoted(focus.tokens[j])}`}, sentence ${side + 1}`;
    // A loss is seldom large: the largest of all heads is the darkest shade.
    const measured = picker.inputs.map((_, at) => {
      const where = [Math.floor(at / count), at % count];
      return state.shade ? focus.distance(...where, i) : focus.weight(...where, i, j);
    });
    const full = state.shade ? Math.max(...measured) || 1 : 1;
    picker.inputs.forEach((input, at) => {
      const value = measured[at];
      const shown = state.shade ? `cosine ${(1 - value).toFixed(4)} without it` : percent(value);
      const where = `block ${Math.floor(at / count) + 1}, head ${(at % count) + 1}`;
      input.setAttribute("aria-label", `${where}: ${shown}`);
      input.parentElement.title = `${where}: ${shown}`;
      const on = at === block * count + head;
      if (on) input.checked = true;
      input.parentElement.classList.toggle("heads__head--hidden", on && hidden);
      input.parentElement.style.setProperty("--shade", (0.04 + 0.9 * Math.sqrt(value / full)).toFixed(2));
    });
    name.textContent = `Block ${block + 1}, head ${head + 1}${hidden ? ", hidden" : ""}`;
    views.forEach(({ show }, at) => {
      const { tokens, row: rowOf } = current[at];
      show({
        asks: tokens, reads: tokens, chosen: asksOf(at), picked: state.asks[at], hidden, to: state.reads[at],
        weights: tokens.map((_, from) => rowOf(block, head, from)),
      });
    });
    hide.setAttribute("aria-pressed", hidden);
    hide.textContent = hidden ? "Show it again" : "Hide this head";
    loss.hidden = !hidden;
    const { word: shared, whole, without } = pairs[state.pair];
    const asked = current.map(({ tokens }, at) => quoted(tokens[asksOf(at)]));
    const one = asked[0] === asked[1];
    const whose = one ? asked[0] : asked.join(" and ");
    const each = (value) => current.map((sentence_, at) => value(sentence_, asksOf(at)));
    losses.replaceChildren(
      row(`attention’s output of ${whose} in block ${block + 1} changes by`,
        ...each((s, at) => percent(s.change(block, head, at)))),
      row(`the last vector of ${whose}, against the whole model’s: cosine`,
        ...each((s, at) => (1 - s.distance(block, head, at)).toFixed(4))),
      row(`the two ${quoted(shared)} against each other: cosine`,
        `${whole.toFixed(4)}, now ${without(block, head).toFixed(4)}`),
    );
    const lost = each((s, at) => 1 - s.distance(block, head, at)).map((value) => value.toFixed(4));
    words.textContent = state.note || (hidden
      ? `Block ${block + 1}, head ${head + 1} is hidden: it adds nothing. After the last block ${whose} ${one ? "has" : "have"} the cosines `
        + `${lost.join(" and ")} with what ${one ? "it was" : "they were"}. The two ${quoted(shared)} have ${without(block, head).toFixed(4)} `
        + `with each other; with the head, ${whole.toFixed(4)}.`
      : sentence());
  }
  draw();
};

export const mount = async (figure) => {
  const start = starting(figure);
  const { default: recording } = await import("./minilm-heads.js");
  const model = read(recording);
  // A page that starts answers between two steps.
  await new Promise((resolve) => { setTimeout(resolve); });
  build(figure, model, start);
};
