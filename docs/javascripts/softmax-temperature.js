/* Softmax with a temperature: numbers to drag, a divisor, and the shares that come out. */
import { softmax } from "./attention.js";
import { num, part, said, set, starting, touch } from "./controls.js";

export { softmax };

export const shares = ({ x, tau }) => softmax(x.map((value) => value / tau));

const digits = (tau) => (tau < 0.1 ? 3 : tau < 10 ? 2 : 0);

const sentence = ({ x, tau }, p) => {
  const [first, second] = x.map((_, i) => i).sort((a, b) => x[b] - x[a]);
  const gap = (x[first] - x[second]) / tau;
  const times = Math.exp(gap) < 1000 ? ` = ${said(Math.exp(gap))}` : ", more than 1000,";
  const how = p[first] > 0.99 ? "Softmax is saturated: " : p[first] < 1.2 / x.length ? "Nearly even: " : "";
  return `${how}${how ? "the" : "The"} largest share is ${said(p[first])}, the smallest ${said(Math.min(...p))}.`
    + ` The two largest numbers are ${said(x[first] - x[second], 1)} apart, or ${said(gap)} after the division by $τ$:`
    + ` the share of the larger is exp(${said(gap)})${times} times the share of the other.`;
};

export const mount = (figure) => {
  const { numbers, tau, plot } = starting(figure);
  const bars = part(figure, "number");
  const labels = part(figure, "number label");
  const divided = part(figure, "divided");
  const drawn = part(figure, "share");
  const ghosts = part(figure, "at 1");
  const shown = part(figure, "share label");
  const { zero, unit, limit, left, length } = plot;

  const things = touch(figure, { x: numbers, tau }, (state) => {
    const p = shares(state);
    const plainly = softmax(state.x);
    state.x.forEach((value, i) => {
      set(bars[i], { x: num(zero + Math.min(0, unit * value)), width: num(Math.max(unit * Math.abs(value), 1)) });
      labels[i].textContent = said(value, 1);
      divided[i].textContent = said(value / state.tau, Math.abs(value / state.tau) < 100 ? 2 : 0);
      set(drawn[i], { width: num(Math.max(length * p[i], 1)) });
      set(ghosts[i], { width: num(Math.max(length * plainly[i], 1)) });
      set(shown[i], { x: num(left + length * Math.max(p[i], plainly[i]) + 6) });
      shown[i].textContent = said(p[i]);
    });
    return sentence(state, p);
  });

  const fits = (value) => Math.round(Math.max(-limit, Math.min(limit, value)) * 10) / 10;
  const replaced = (x, i, value) => ({ x: x.map((old, j) => (j === i ? fits(value) : old)) });
  numbers.forEach((_, i) => things.handle({
    label: `number $x_${i + 1}$`,
    hue: "input",
    at: ({ x }) => [zero + unit * x[i], plot.rows[i]],
    value: ({ x }) => ({ now: x[i], min: -limit, max: limit, text: said(x[i], 1) }),
    moved: ([place], { x }) => replaced(x, i, (place - zero) / unit),
    nudged: ([right, up], { x }) => replaced(x, i, x[i] + (right + up) / 10),
  }));
  things.slider({
    label: "temperature $τ$", min: -2, max: 2, step: 0.05,
    value: (state) => Math.log10(state.tau),
    text: (state) => said(state.tau, digits(state.tau)),
    input: (power) => ({ tau: 10 ** power }),
  });
  things.ready();
};
