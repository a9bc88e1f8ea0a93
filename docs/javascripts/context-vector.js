/* The context vector inside the hull of the values: weights to drag, and where they put it. */
import { context_vectors, entropy } from "./attention.js";
import { along, num, part, said, set, starting, touch } from "./controls.js";

/* Set one weight; the others keep their proportions, and all sum to 1. */
export const reweighted = (weights, chosen, weight) => {
  const rest = 1 - weights[chosen];
  return weights.map((old, j) => {
    if (j === chosen) return weight;
    return rest > 1e-9 ? (old * (1 - weight)) / rest : (1 - weight) / (weights.length - 1);
  });
};

export const context_vector = (weights, V) => context_vectors([weights], V)[0];

const sentence = (tokens, weights, z) => {
  const most = weights.indexOf(Math.max(...weights));
  const where = `$z$ = (${said(z[0], 3)}, ${said(z[1], 3)})`;
  if (weights[most] > 0.9995) return `All weight is on ${tokens[most]}: ${where} is its value.`;
  if (weights[most] - Math.min(...weights) < 5e-4) {
    return `All weights are ${said(weights[most], 3)}: ${where} is the mean of the values.`;
  }
  const spread = said(Math.exp(entropy(weights)), 1);
  return `The weights sum to 1, so ${where} stays in the hull. Most is read from ${tokens[most]},`
    + ` ${said(weights[most], 3)}; the row is as even as ${spread} equal weights.`;
};

export const mount = (figure) => {
  const { tokens, V, weights, query, span } = starting(figure);
  const lines = part(figure, "line");
  const values = part(figure, "value");
  const labels = part(figure, "weight");
  const [point] = part(figure, "z");
  const [whose] = part(figure, "whose");
  const [label] = part(figure, "z label");
  const places = V.map(([a, b]) => [along(a, span.x), along(b, span.y)]);

  const things = touch(figure, { weights }, (state) => {
    const z = context_vector(state.weights, V);
    const [x, y] = [along(z[0], span.x), along(z[1], span.y)];
    const same = state.weights.every((weight, j) => Math.abs(weight - weights[j]) < 1e-9);
    state.weights.forEach((weight, j) => {
      set(lines[j], {
        d: `M${num(x)} ${num(y)}L${num(places[j][0])} ${num(places[j][1])}`, "stroke-width": num(14 * weight),
      });
      set(values[j], { r: num(Math.max(14 * Math.sqrt(weight), 2)) });
      labels[j].textContent = `${tokens[j]} ${said(weight, 3)}`;
    });
    set(point, { cx: num(x), cy: num(y) });
    whose.lastChild.textContent = same ? ` of ${query}` : "";
    label.textContent = `(${said(z[0], 3)}, ${said(z[1], 3)})`;
    return sentence(tokens, state.weights, z);
  });

  tokens.forEach((token, j) => things.slider({
    label: token, small: true, min: 0, max: 1, step: 0.01,
    value: (state) => state.weights[j],
    text: (state) => said(state.weights[j], 3),
    input: (weight, state) => ({ weights: reweighted(state.weights, j, weight) }),
  }));
  things.button("All even", () => things.change({ weights: tokens.map(() => 1 / tokens.length) }));
  things.ready();
};
