/* A mask to paint: what each query may read from, and what becomes of its weights. */
import { attention_weights, causal_mask, padding_mask } from "./attention.js";
import { make, part, said, set, starting, touch } from "./controls.js";

const sentence = (tokens, mask, weights, row) => {
  const open = tokens.filter((_, j) => mask[row][j]);
  const later = mask.some((keys, i) => keys.some((allowed, j) => allowed && j > i));
  const forbidden = mask.flat().filter((allowed) => !allowed).length;
  const own = open.length === 0
    ? `Row ${row + 1}, “${tokens[row]}”, may read from nothing: all its weights are 0.`
    : `Row ${row + 1}, “${tokens[row]}”, reads from ${open.length} of ${tokens.length}, with weights that sum to 1, the largest`
      + ` ${said(Math.max(...weights[row]))}.`;
  return `${own} ${forbidden} of ${mask.flat().length} pairs are forbidden.`
    + ` ${later ? "Some token may read from a later one." : "No token reads from a later one: the mask is causal."}`;
};

export const mount = (figure) => {
  const { tokens, scores, scale, mask, length, cells } = starting(figure);
  const boxes = part(figure, "cell");
  const texts = part(figure, "weight");
  const sums = part(figure, "sum");
  const n = tokens.length;
  const svg = figure.querySelector("svg");
  const { x: left, width, height } = svg.viewBox.baseVal;

  const things = touch(figure, { mask, row: 1 }, (state) => {
    const weights = attention_weights(scores, state.mask, scale);
    state.mask.flat().forEach((open, at) => {
      const weight = weights.flat()[at];
      set(boxes[at], {
        class: open ? "vk-score" : "vk-muted vk-stroke", "fill-opacity": (0.05 + 0.43 * weight).toFixed(2),
      });
      if (open) texts[at].removeAttribute("class");
      else texts[at].setAttribute("class", "vk-muted");
      texts[at].textContent = open ? said(weight) : "−∞";
    });
    weights.forEach((row, i) => {
      sums[i].textContent = String(Math.round(row.reduce((sum, weight) => sum + weight, 0) * 1e6) / 1e6);
    });
    return sentence(tokens, state.mask, weights, state.row);
  });

  const painted = (at, open) => ({
    row: Math.floor(at / n),
    mask: things.state.mask.map((row, i) => row.map((old, j) => (i * n + j === at ? open : old))),
  });

  /* One button a cell; one of them is reached with Tab, the others with the arrows. */
  const grid = make("span", { class: "touch__grid", "data-live": "", role: "group", "aria-label": "Mask: who may read from whom" });
  const buttons = boxes.map((_, at) => {
    const [i, j] = [Math.floor(at / n), at % n];
    const button = make("button", { type: "button", tabindex: at ? -1 : 0, "aria-label": `${tokens[i]} reads from ${tokens[j]}` });
    set(button, {
      style: `left:${((cells.x + j * cells.width - left) / width) * 100}%;top:${((cells.y + i * cells.height) / height) * 100}%;`
        + `width:${(cells.width / width) * 100}%;height:${(cells.height / height) * 100}%`,
    });
    grid.append(button);
    return button;
  });
  const pressed = () => buttons.forEach((button, at) => button.setAttribute("aria-pressed", things.state.mask.flat()[at]));
  const move = (at) => {
    buttons.forEach((button, other) => { button.tabIndex = other === at ? 0 : -1; });
    buttons[at].focus({ preventScroll: true });
  };
  const paint = (at, open) => { things.change(painted(at, open)); };

  let begun; // The cell where a stroke of the pointer began, and what it paints, once it has left it.
  const under = ({ clientX, clientY }) => buttons.indexOf(document.elementFromPoint(clientX, clientY));
  // The click that ends a stroke comes behind the pointer's last event.
  const end = () => setTimeout(() => { begun = undefined; });
  grid.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    begun = { at: under(event) };
    for (const last of ["pointerup", "pointercancel"]) document.addEventListener(last, end, { once: true });
  });
  grid.addEventListener("pointermove", (event) => {
    if (!begun || !event.buttons) return;
    const at = under(event);
    if (at < 0 || (at === begun.at && begun.open === undefined)) return;
    if (begun.open === undefined) {
      begun.open = !things.state.mask.flat()[begun.at];
      paint(begun.at, begun.open);
    }
    paint(at, begun.open);
  });
  grid.addEventListener("click", (event) => {
    const at = buttons.indexOf(event.target);
    if (at < 0 || begun?.open !== undefined) return;
    paint(at, !things.state.mask.flat()[at]);
    move(at);
  });
  grid.addEventListener("keydown", (event) => {
    const at = buttons.indexOf(event.target);
    const [i, j] = [Math.floor(at / n), at % n];
    const to = {
      ArrowRight: [i, Math.min(j + 1, n - 1)], ArrowLeft: [i, Math.max(j - 1, 0)],
      ArrowDown: [Math.min(i + 1, n - 1), j], ArrowUp: [Math.max(i - 1, 0), j],
      Home: [i, 0], End: [i, n - 1],
    }[event.key];
    if (!to || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    move(to[0] * n + to[1]);
  });
  things.stage.append(grid);
  things.follow(pressed);

  const [padding] = padding_mask(length, n);
  const causal = causal_mask(n);
  const masks = {
    None: causal.map((row) => row.map(() => true)),
    Causal: causal,
    Padding: causal.map(() => padding),
    Both: causal.map((row) => row.map((open, j) => open && padding[j])),
  };
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  things.choice({
    label: "Mask",
    small: true,
    options: Object.keys(masks).map((name) => [name, name]),
    // A mask that was painted may be none of them.
    value: ({ mask }) => Object.keys(masks).find((name) => same(masks[name], mask)),
    input: (name) => ({ mask: masks[name] }),
  });
  things.ready();
};
