/* d_k and the divisor: how far the scores spread, what softmax makes of them, and how much of a
   gradient gets through. */
import { jacobian, jacobian_norm, softmax } from "./attention.js";
import { along, num, part, said, set, starting, touch } from "./controls.js";

export const divisors = { none: () => 1, root: Math.sqrt, d_k: (d_k) => d_k };

/* The scores after the division, their weights, and softmax's Jacobian for them. */
export const row = (scores, d_k, divisor) => {
  const scaled = scores.map((score) => score / divisors[divisor](d_k));
  const weights = softmax(scaled);
  return { scaled, weights, J: jacobian(weights), norm: jacobian_norm(weights) };
};

const std = (values) => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
};

const HOW = { none: "not divided", root: "divided by its root", d_k: "divided by $d_k$ itself" };

const sentence = (d_k, divisor, { scaled, weights, norm }, share) => {
  const largest = Math.max(...weights);
  const dead = norm < 0.01 ? " The row is dead: a change of its scores hardly changes its weights."
    : largest < 1.25 / weights.length ? " The weights are nearly even, whatever the query asks for." : "";
  return `$d_k$ = ${d_k.toLocaleString("en")}, ${HOW[divisor]}: the scores have a standard deviation of ${said(std(scaled))}. The largest`
    + ` weight is ${said(largest)}; the gradient is ${said(share)} of what it could be.${dead}`;
};

export const mount = (figure) => {
  const { widths, scores, power, query, plot } = starting(figure);
  const dots = part(figure, "score");
  const bars = part(figure, "weight");
  const entries = part(figure, "entry");
  const [bar] = part(figure, "share");
  const [label] = part(figure, "share label");

  const start = { power, query, divisor: "none" };
  const things = touch(figure, start, (state) => {
    const d_k = widths[state.power];
    const found = row(scores[state.power][state.query], d_k, state.divisor);
    const share = found.norm / plot.most;
    found.scaled.forEach((score, j) => set(dots[j], { cx: num(along(score, plot.span)) }));
    found.weights.forEach((weight, j) => {
      const height = Math.max(plot.height * weight, 1);
      set(bars[j], { y: num(plot.bottom - height), height: num(height) });
    });
    found.J.flat().forEach((entry, i) => set(entries[i], {
      class: entry >= 0 ? "vk-query" : "vk-key",
      "fill-opacity": Math.sqrt(Math.min(Math.abs(entry) / plot.largest, 1)).toFixed(3),
    }));
    set(bar, { width: num(Math.max(plot.length * share, 1)) });
    label.textContent = said(share);
    return sentence(d_k, state.divisor, found, share);
  });

  things.slider({
    label: "width $d_k$", min: 0, max: widths.length - 1, step: 1,
    value: (state) => state.power,
    text: (state) => widths[state.power].toLocaleString("en"),
    input: (chosen) => ({ power: chosen }),
  });
  things.choice({
    label: "divisor", options: [["none", "none"], ["root", "√$d_k$"], ["d_k", "$d_k$"]],
    value: (state) => state.divisor,
    input: (divisor) => ({ divisor }),
  });
  things.button("Another query", () => things.change({ query: (things.state.query + 1) % scores[0].length }), { leads: true });
  things.ready();
};
