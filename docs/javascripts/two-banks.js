/* One word beside two neighbours: all three can be dragged, and what bank becomes follows. */
import { scaled_dot_product_attention } from "./attention.js";
import { arrow, num, part, polyline, said, set, starting, touch } from "./controls.js";

/* The vector of bank beside another word, and how much of it comes from that word. */
export const beside = (other, bank) => {
  const X = [other, bank];
  const { output, weights } = scaled_dot_product_attention(X, X, X, null, false, 1);
  return { vector: output[1], weight: weights[1][0] };
};

const NAMES = ["river", "money"];
const WIDEST = 264; // where the longest label still fits
const WIDEST_NAME = 420; // and the longest name

const pair = (vector) => `(${vector.map((value) => said(value)).join(", ")})`;

export const mount = (figure) => {
  const { words, bank, plane } = starting(figure);
  const { origin, unit } = plane;
  const place = ([a, b]) => [origin[0] + unit * a, origin[1] - unit * b];
  const dot = (element, [x, y]) => set(element, { cx: num(x), cy: num(y) });
  const text = (element, x, y, widest = WIDEST) => set(element, { x: num(Math.min(x, widest)), y: num(y) });
  const parts = Object.fromEntries(["word", "name", "line", "pull", "new", "new name"]
    .map((name) => [name, part(figure, name)]));
  const [own] = part(figure, "bank");
  const [ownName] = part(figure, "bank name");

  const things = touch(figure, { words, bank }, (state) => {
    const from = place(state.bank);
    dot(own, from);
    text(ownName, from[0] + 28, from[1] + 6);
    const told = state.words.map((word, i) => {
      const { vector, weight } = beside(word, state.bank);
      const [at, to] = [place(word), place(vector)];
      const tip = from.map((value, axis) => value + 0.82 * (to[axis] - value));
      const moves = Math.hypot(tip[0] - from[0], tip[1] - from[1]) > 1e-6;
      dot(parts.word[i], at);
      text(parts.name[i], at[0] + 20, at[1] - 19, WIDEST_NAME);
      set(parts.line[i], { d: polyline([at, from]) });
      set(parts.pull[i], { d: moves ? arrow(from, tip) : polyline([from, from]) });
      dot(parts.new[i], to);
      text(parts["new name"][i], to[0] + 16, to[1] - 4);
      parts["new name"][i].textContent = `bank in “${NAMES[i]} bank” ${pair(vector)}`;
      return `Beside ${NAMES[i]}, bank takes ${said(weight)} of its vector from ${NAMES[i]} and becomes ${pair(vector)}.`;
    });
    return told.join(" ");
  });

  const fits = (value, [low, high]) => Math.round(Math.max(low, Math.min(high, value)) * 20) / 20;
  const inside = ([a, b]) => [fits(a, plane.x), fits(b, plane.y)];
  const handle = (label, hue, get, put) => things.handle({
    label, hue,
    at: (state) => place(get(state)),
    value: (state) => ({ now: get(state)[0], min: plane.x[0], max: plane.x[1], text: get(state).map((v) => said(v)).join(", ") }),
    moved: ([x, y], state) => put(state, inside([(x - origin[0]) / unit, (origin[1] - y) / unit])),
    nudged: ([right, up], state) => put(state, inside([get(state)[0] + right / 20, get(state)[1] + up / 20])),
  });
  NAMES.forEach((name, i) => handle(name, i ? "ochre" : "petrol", (state) => state.words[i],
    (state, vector) => ({ words: state.words.map((old, j) => (j === i ? vector : old)) })));
  handle("bank", "fg", (state) => state.bank, (_, vector) => ({ bank: vector }));
  things.ready();
};
