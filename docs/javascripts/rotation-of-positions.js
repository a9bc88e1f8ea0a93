/* The rotation of positions: pairs of sine and cosine as the hands of clocks. */
import { dot_product, rotary_angles, rotate, sinusoidal_positions } from "./attention.js";
import { along, arrow, num, part, polyline, said, set, starting, touch } from "./controls.js";

/* The pairs of one position. */
export const pairs_at = (position, d_model) => {
  const row = sinusoidal_positions(position + 1, d_model)[position];
  return Array.from({ length: d_model / 2 }, (_, i) => row.slice(2 * i, 2 * i + 2));
};

/* The rows some places on, without looking them up: each pair is turned. A pair is (sin, cos), so that
   a larger angle turns it clockwise. */
export const moved = (pairs, move) => {
  const angles = rotary_angles(move, 2 * pairs.length);
  return pairs.map((pair, i) => rotate(pair, [Math.cos(angles[i])], [-Math.sin(angles[i])]));
};

const sector = (x, y, radius, start, turn) => {
  const rest = turn % (2 * Math.PI);
  const arc = Array.from({ length: 25 }, (_, i) => start + (rest * i) / 24)
    .map((angle) => [x + radius * Math.sin(angle), y - radius * Math.cos(angle)]);
  return polyline([[x, y], ...arc], true);
};

export const mount = (figure) => {
  const { position, move, d_model, clocks, chart } = starting(figure);
  const theta = rotary_angles(1, d_model);
  const turns = part(figure, "turn");
  const hands = { from: part(figure, "from"), to: part(figure, "to") };
  const angles = part(figure, "angle");
  const [mark] = part(figure, "mark");
  const [label] = part(figure, "dot");

  const things = touch(figure, { position, move }, (state) => {
    const from = pairs_at(state.position, d_model);
    const to = moved(from, state.move);
    theta.forEach((frequency, i) => {
      const [x, y] = [clocks.centres[i], clocks.middle];
      const tip = ([a, b]) => [x + clocks.radius * a, y - clocks.radius * b];
      set(turns[i], { d: sector(x, y, clocks.inner, state.position * frequency, state.move * frequency) });
      set(hands.from[i], { d: arrow([x, y], tip(from[i])) });
      set(hands.to[i], { d: arrow([x, y], tip(to[i])) });
      angles[i].textContent = said(state.move * frequency, 3);
    });
    const product = dot_product(from.flat(), to.flat());
    set(mark, { cx: num(along(state.move, chart.x)), cy: num(along(product, chart.y)) });
    label.textContent = said(product);
    const by = theta.map((frequency) => said(state.move * frequency, 3));
    return `From position ${state.position} to ${state.position + state.move} the hands turn by ${by.slice(0, -1).join(", ")}`
      + ` and ${by.at(-1)} radians, as from any other position. The dot product of the two rows is ${said(product)}, of at`
      + ` most ${d_model / 2}.`;
  });

  things.slider({
    label: "position", min: 0, max: 64, step: 1,
    value: (state) => state.position, text: (state) => String(state.position),
    input: (value) => ({ position: value }),
  });
  things.slider({
    label: "distance", min: chart.x[0], max: chart.x[1], step: 1,
    value: (state) => state.move, text: (state) => String(state.move),
    input: (value) => ({ move: value }),
  });
  things.ready();
};
