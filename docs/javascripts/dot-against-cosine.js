/* Dot product against cosine: a query and two keys to drag, and which key each measure prefers. */
import { cosine, dot_product } from "./attention.js";
import { arrow, num, part, polyline, said, set, starting, touch } from "./controls.js";

export { cosine, dot_product };

const SHORTEST = 0.3; // A vector of no length has no direction.

/* Where the letter of a vector stands: beyond its tip, clear of all others. */
const beyond = (v, others) => {
  const out = v.map((value) => value / Math.hypot(...v));
  const spots = [0, -1, 1, -2, 2].map((turn) => {
    const [c, s] = [Math.cos((turn * Math.PI) / 4), Math.sin((turn * Math.PI) / 4)];
    return [v[0] + 0.6 * (c * out[0] - s * out[1]), v[1] + 0.6 * (s * out[0] + c * out[1])];
  });
  const rooms = spots.map(([x, y]) => Math.min(0.7, ...others.map(([a, b]) => Math.hypot(x - a, y - b))));
  return spots[rooms.indexOf(Math.max(...rooms))];
};

const two = (a, b) => `${said(Math.max(a, b))} against ${said(Math.min(a, b))}`;

const sentence = (keys, dots, cosines) => {
  const best = (values) => (Math.abs(values[0] - values[1]) < 1e-9 ? -1 : values[0] > values[1] ? 0 : 1);
  const [byDot, byCosine] = [best(dots), best(cosines)];
  const name = (i) => `$k_${i + 1}$`;
  if (byDot < 0) return `Both dot products are ${said(dots[0])}; the cosines are ${said(cosines[0])} and ${said(cosines[1])}.`;
  if (byCosine < 0) return `Both cosines are ${said(cosines[0])}; by dot product ${name(byDot)} is first, ${two(...dots)}.`;
  if (byDot === byCosine) {
    return `Both measures prefer ${name(byDot)}: its dot product is the larger, ${two(...dots)}, and its cosine, ${two(...cosines)}.`;
  }
  const times = Math.hypot(...keys[byDot]) / Math.hypot(...keys[byCosine]);
  return `They disagree. ${name(byCosine)} points more nearly the way of the query: cosine ${two(...cosines)}.`
    + ` ${name(byDot)} has the larger dot product, ${two(...dots)}, because it is ${said(times, 1)} times as long.`;
};

export const mount = (figure) => {
  const { vectors, plane } = starting(figure);
  const { origin, unit } = plane;
  const place = ([a, b]) => [origin[0] + unit * a, origin[1] - unit * b];
  const arrows = part(figure, "vector");
  const names = part(figure, "name");
  const feet = part(figure, "foot");
  const landings = part(figure, "landing");
  const [line] = part(figure, "line");
  const { x: left, width } = figure.querySelector("svg").viewBox.baseVal;
  const table = Object.fromEntries(["key", "dot", "cosine", "length"].map((name) => [name, part(figure, name)]));

  const things = touch(figure, { vectors }, ({ vectors: [q, ...keys] }) => {
    const length = Math.hypot(...q);
    const direction = q.map((value) => value / length);
    const letters = [];
    [q, ...keys].forEach((v, i, all) => {
      letters.push(beyond(v, [...all.filter((other) => other !== v), ...letters]));
      const [x, y] = place(letters[i]);
      set(arrows[i], { d: arrow(origin, place(v)) });
      set(names[i], { x: num(Math.max(left + 14, Math.min(left + width - 14, x))), y: num(Math.max(y, 8) + 5) });
    });
    const ends = [-1, 1].map((sign) => {
      const reach = [plane.x, plane.y].flatMap((span, axis) => span
        .filter((limit) => limit * sign * direction[axis] > 0)
        .map((limit) => limit / (sign * direction[axis])));
      return place(direction.map((value) => sign * Math.min(...reach) * value));
    });
    set(line, { d: polyline(ends) });
    const dots = keys.map((key) => dot_product(q, key));
    const cosines = keys.map((key) => cosine(q, key));
    keys.forEach((key, i) => {
      const reached = dot_product(key, direction);
      const foot = place(direction.map((value) => reached * value));
      set(feet[i], { d: polyline([place(key), foot]) });
      set(landings[i], { cx: num(foot[0]), cy: num(foot[1]) });
      table.key[i].textContent = `(${said(key[0], 1)}, ${said(key[1], 1)})`;
      table.length[i].textContent = said(Math.hypot(...key));
    });
    for (const [cells, values] of [[table.dot, dots], [table.cosine, cosines]]) {
      values.forEach((value, i) => {
        cells[i].textContent = said(value);
        if (value === Math.max(...values)) cells[i].setAttribute("font-weight", "600");
        else cells[i].removeAttribute("font-weight");
      });
    }
    return sentence(keys, dots, cosines);
  });

  const fits = (value, [low, high]) => Math.round(Math.max(low, Math.min(high, value)) * 10) / 10;
  const moved = (state, i, [a, b]) => {
    const v = [fits(a, plane.x), fits(b, plane.y)];
    return Math.hypot(...v) < SHORTEST ? {} : { vectors: state.vectors.map((old, j) => (j === i ? v : old)) };
  };
  ["query $q$", "key $k_1$", "key $k_2$"].forEach((label, i) => things.handle({
    label, hue: i ? "key" : "query",
    at: (state) => place(state.vectors[i]),
    value: ({ vectors: all }) => ({
      now: all[i][0], min: plane.x[0], max: plane.x[1], text: all[i].map((value) => said(value, 1)).join(", "),
    }),
    moved: ([x, y], state) => moved(state, i, [(x - origin[0]) / unit, (origin[1] - y) / unit]),
    nudged: ([right, up], state) => moved(state, i, [state.vectors[i][0] + right / 10, state.vectors[i][1] + up / 10]),
  }));
  things.ready();
};
