/* The pipeline as a story: one step after the other, under the reader's control. Its words and their
   numbers come with the drawing. */
import { part, starting, touch } from "./controls.js";

const HEADER = 64; // What the page's header covers.

export const mount = (figure) => {
  const { steps } = starting(figure);
  const groups = steps.map((_, at) => part(figure, `step ${at + 1}`)[0]);

  const things = touch(figure, { step: 0 }, ({ step }) => {
    groups.forEach((group, at) => {
      if (step) group.dataset.when = at + 1 < step ? "before" : at + 1 > step ? "after" : "now";
      else group.removeAttribute("data-when");
    });
    const panel = figure.querySelector(".touch");
    panel?.toggleAttribute("data-announced", step > 0);
    if (!step) return `From the words to their new vectors in ${steps.length} steps.`;
    const { title, words } = steps[step - 1];
    return `Step ${step} of ${steps.length}, ${title.toLowerCase()}. ${words}`;
  });

  /* Brings what is computed into sight, between the header and the words. What lies above may be laid
     out meanwhile, and something else may end the movement: where it ended is looked at again, until
     the reader moves the page. */
  let following = new AbortController();
  const follow = () => {
    const { top, bottom } = groups[things.state.step - 1].getBoundingClientRect();
    const end = figure.querySelector(".touch").getBoundingClientRect().top;
    if (top >= HEADER && bottom <= end) return;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    scrollBy({ top: (top + bottom - HEADER - end) / 2, behavior: still ? "instant" : "smooth" });
  };
  const keepInSight = () => {
    following.abort();
    following = new AbortController();
    const { signal } = following;
    const moved = () => following.abort();
    for (const type of ["wheel", "touchmove", "pointerdown", "keydown"])
      addEventListener(type, moved, { signal, capture: true, passive: true });
    addEventListener("scrollend", follow, { signal });
    follow();
  };
  const go = (by) => {
    const step = Math.max(0, Math.min(steps.length, things.state.step + by));
    if (step === things.state.step) return;
    things.change({ step });
    if (step) keepInSight();
  };
  things.button("Next", () => go(1), ({ step }) => step === steps.length);
  things.button("Back", () => go(-1), ({ step }) => step === 0);
  things.ready();
  figure.querySelector(".touch").addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    go(by);
  });
};
