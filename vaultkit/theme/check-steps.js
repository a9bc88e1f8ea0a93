/* A control that leads from change to change: among the buttons of the edited block, and at the foot of the
screen when that block has left it. */

const stepsOf = (block, places) => {
  const many = places.length;
  // The first one below the code, or the first of all.
  const below = places.findIndex((part) => block.compareDocumentPosition(part) & Node.DOCUMENT_POSITION_FOLLOWING);
  let next = Math.max(below, 0);
  let shown = null;
  const said = element("span", { class: "vk-steps__said", role: "status" });
  const label = () => {
    onward.replaceChildren(element("span", {}, "Next"), " ", element("span", {}, `(${next + 1} of ${many})`));
  };
  const step = () => {
    shown?.classList.remove("vk-at");
    shown = reach(places[next]);
    shown.classList.add("vk-at");
    said.textContent = `Change ${next + 1} of ${many}: ${shown.innerText.trim().slice(0, 200)}`;
    next = (next + 1) % many;
    label();
    seen.observe(fixed);
  };
  const onward = button("", step, "vk-steps__next");
  const back = button("Back to the code", () => {
    block.scrollIntoView({ block: "center" });
    onward.focus({ preventScroll: true });
  }, "vk-steps__back");
  const box = element("span", { class: "vk-steps" }, onward, back, said);
  // The button beside it, which does not move with it.
  const fixed = block.querySelector(".vk-cell__acts > :last-child");
  const seen = new IntersectionObserver(([{ isIntersecting }]) => box.classList.toggle("vk-steps--away", !isIntersecting),
    { threshold: 1, rootMargin: "-60px 0px" });
  label();
  block.querySelector(".vk-cell__acts").append(box);
  return {
    first() {
      next = 0;
      step();
      onward.focus({ preventScroll: true });
    },
    remove() {
      seen.disconnect();
      shown?.classList.remove("vk-at");
      box.remove();
    },
  };
};
