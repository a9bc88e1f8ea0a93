/* Cross-attention made by hand: which word of one language each word of the other reads. */
import { make, starting } from "./controls.js";
import { oneHead } from "./heads.js";
import { bars, controls, largest, lines, percent, quoted, radios, replace } from "./heads-view.js";

/* One sequence asks and another is read; swapped, it is the other way round. */
export const translate = ({ X, X_kv, W_Q, W_K, W_V }, swapped) =>
  (swapped ? oneHead(X_kv, X, { W_Q, W_K, W_V }) : oneHead(X, X_kv, { W_Q, W_K, W_V }));

export const mount = (figure) => {
  const given = starting(figure);
  const first = { chosen: given.chosen, swapped: 0, look: null };
  const state = { ...first };
  const change = (changes) => { Object.assign(state, changes); draw(); };

  const view = lines("two sequences", {
    ask: (chosen) => change({ chosen, look: null }),
    look: (look) => change({ look }),
  });
  const features = bars("what it gets");
  const asking = radios("Who asks", ["French", "English"], (swapped) => change({ swapped, chosen: 1, look: null }));
  const { words } = replace(figure, "Cross-attention", () => change(first),
    controls([], asking.group), make("div", { class: "heads__pair heads__pair--output" }, view.box, features.box));

  function draw() {
    const { weights, output } = translate(given, state.swapped);
    const [asks, reads] = state.swapped
      ? [given.tokens_kv, given.tokens] : [given.tokens, given.tokens_kv];
    const chosen = state.look ?? state.chosen;
    view.show({ asks, reads, weights, chosen, picked: state.chosen });
    const word = quoted(asks[chosen]);
    features.show(given.features, output[chosen], (value) => value.toFixed(2), `what ${word} gets`);
    asking.check(state.swapped);
    const row = weights[chosen];
    const to = largest(row);
    const even = row[to] < 1.1 / row.length;
    const got = given.features.filter((_, i) => output[chosen][i] > 0.5);
    words.textContent = even
      ? `${word} has a query of zeros: it reads evenly, ${percent(row[0])} from each word.`
      : `${word} gives ${percent(row[to])} of its weight to ${quoted(reads[to])}, and gets its features: ${got.join(", ")}.`;
  }
  draw();
};
