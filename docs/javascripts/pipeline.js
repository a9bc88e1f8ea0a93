/* One zoom, from the text to the numbers of one token, through the head, and out to the block and the
   model, under the reader's control. What is seen, its words and their numbers come with the drawing. */
import { make, part, set, starting, touch } from "./controls.js";

const HEADER = 64; // What the page's header covers.
const SHAPE = 5 / 6; // Height to width of what is seen of the drawing.
const LONG = 700; // Milliseconds of a movement.

/* The place a share of the way between two: [x, y, width]. What both show stays where it is. */
const between = ([x0, y0, w0], [x1, y1, w1], share) => {
  const width = w0 * (w1 / w0) ** share;
  const way = Math.abs(w1 / w0 - 1) < 0.01 ? share : (width - w0) / (w1 - w0);
  return [x0 + (x1 - x0) * way, y0 + (y1 - y0) * way, width];
};

export const mount = (figure) => {
  const { steps } = starting(figure);
  const svg = figure.querySelector("svg");
  const drawn = svg.getAttribute("viewBox");
  const { x: left, width, height } = svg.viewBox.baseVal;
  const whole = [left + width / 2, height / 2, height / SHAPE];
  const groups = [];
  for (let at = 1; part(figure, `step ${at}`).length; at += 1) groups.push(...part(figure, `step ${at}`));
  const around = part(figure, "around")[0];
  const display = (element, on) => (on ? element.removeAttribute("display") : element.setAttribute("display", "none"));
  const note = make("a", { class: "touch__note", hidden: "" });

  let place = whole;
  let running = 0;
  const look = (at) => {
    place = at;
    const [x, y, w] = at;
    set(svg, { viewBox: [x - w / 2, y - (w * SHAPE) / 2, w, w * SHAPE].join(" ") });
  };
  const move = (to) => {
    cancelAnimationFrame(running);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) { look(to); return; }
    const from = place;
    const begun = performance.now();
    const frame = (now) => {
      const time = Math.min(1, Math.max(0, now - begun) / LONG);
      look(between(from, to, time * time * (3 - 2 * time)));
      if (time < 1) running = requestAnimationFrame(frame);
    };
    running = requestAnimationFrame(frame);
  };

  const paint = (now) => {
    groups.forEach((group, at) => {
      if (now?.step) group.dataset.when = at + 1 < now.step ? "before" : at + 1 > now.step ? "after" : "now";
      else group.removeAttribute("data-when");
    });
    // The numbers take the place of a stage's words; two operations have theirs beside them.
    steps.forEach(({ title }) => part(figure, `inside ${title}`).forEach((each) => display(each, title === now?.title)));
    for (const words of part(figure, "words")) display(words, !groups[now?.step - 1]?.contains(words));
    display(around, now?.step === 0);
    for (const each of part(figure, "beyond Head")) display(each, now?.title !== "Head");
    // A link that is out of sight is no stop for the Tab key.
    for (const link of svg.querySelectorAll("a")) {
      const seen = !now || (now.step ? [groups[now.step - 1], ...part(figure, `inside ${now.title}`)] : [around]).some((each) => each.contains(link));
      if (seen) link.removeAttribute("tabindex");
      else link.setAttribute("tabindex", -1);
    }
  };

  const things = touch(figure, { step: 0 }, ({ step }) => {
    const now = steps[step - 1];
    paint(now);
    note.hidden = !now;
    if (!now) return `One zoom in ${steps.length} steps: from the words to the numbers of one head, and out to the whole model.`;
    note.textContent = `Note: ${now.note}`;
    note.href = [...svg.querySelectorAll("a")].find((link) => link.getAttribute("aria-label") === now.note).href.baseVal;
    return `Step ${step} of ${steps.length}, ${now.title.toLowerCase()}. ${now.words}`;
  });

  /* The picture is brought into sight only if most of it would be below the window. */
  const follow = () => {
    const { top, bottom, height } = things.stage.getBoundingClientRect();
    if (bottom - innerHeight < height / 3) return;
    const panel = figure.querySelector(".touch").getBoundingClientRect();
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const by = Math.min(bottom - innerHeight, Math.max(0, Math.min(top, panel.top) - HEADER));
    scrollBy({ top: by, behavior: still ? "instant" : "smooth" });
  };
  const arrange = () => {
    const { step } = things.state;
    const zoomed = step > 0;
    if (zoomed !== figure.classList.contains("touch--zoomed")) {
      cancelAnimationFrame(running);
      figure.classList.toggle("touch--zoomed", zoomed);
      if (zoomed) look(whole);
      else set(svg, { viewBox: drawn });
    }
    if (!zoomed) return;
    move(steps[step - 1].at);
    follow();
  };
  const go = (by) => {
    const step = Math.max(0, Math.min(steps.length, things.state.step + by));
    if (step !== things.state.step) things.change({ step });
  };
  things.slider({
    label: "Zoom", min: 0, max: steps.length, step: 1,
    value: ({ step }) => step, text: ({ step }) => steps[step - 1]?.title ?? "Whole", input: (step) => ({ step }),
  });
  things.button("Next", () => go(1), { off: ({ step }) => step === steps.length, leads: true });
  things.button("Back", () => go(-1), { off: ({ step }) => step === 0 });
  things.ready();
  // Paper shows the whole drawing.
  const paper = matchMedia("print");
  const print = ({ matches }) => {
    if (!figure.isConnected) { paper.removeEventListener("change", print); return; }
    const { step } = things.state;
    if (!step) return;
    cancelAnimationFrame(running);
    paint(matches ? undefined : steps[step - 1]);
    figure.classList.toggle("touch--zoomed", !matches);
    if (matches) set(svg, { viewBox: drawn });
    else look(steps[step - 1].at);
  };
  paper.addEventListener("change", print);
  let shown = 0;
  things.follow(() => {
    if (things.state.step === shown) return;
    shown = things.state.step;
    arrange();
  });
  figure.querySelector(".touch__buttons").append(note);
  figure.querySelector(".touch").addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    go(by);
  });
};
