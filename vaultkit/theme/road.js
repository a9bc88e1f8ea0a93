/* Remembers which pages of a road a reader has read to the end, and shows it on the cards of the road. */
(() => {
  "use strict";

  const read = VAULTKIT_KEPT("read");
  const predicted = VAULTKIT_KEPT("predictions");

  const ends = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      ends.unobserve(target);
      read.keep({ ...read.all(), [target.dataset.note]: true });
    }
  });

  const fill = (card) => {
    const { note, keys } = card.dataset;
    const questions = keys.split(" ").filter(Boolean);
    const answered = questions.filter((key) => predicted.all()[note]?.[key]).length;
    const done = Boolean(read.all()[note]);
    card.toggleAttribute("data-read", done);
    const words = [done && "✓ read", answered && `${answered} of ${questions.length} predicted`].filter(Boolean);
    let said = card.querySelector(".vk-card__done");
    if (!said && words.length) {
      said = Object.assign(document.createElement("span"), { className: "vk-card__done" });
      card.append(said);
    }
    if (said) said.textContent = words.join(", ");
  };

  const prepare = () => {
    ends.disconnect();
    document.querySelectorAll(".vk-onward[data-note]").forEach((end) => ends.observe(end));
    document.querySelectorAll(".vk-cards > li").forEach(fill);
  };
  // `document$` is Material's: it emits after every page that was loaded in place.
  if (typeof document$ === "undefined") prepare();
  else document$.subscribe(prepare);
})();
