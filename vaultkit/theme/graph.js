/* Highlights the notes connected with one that a reader points at or reaches with the keyboard. */
(() => {
  "use strict";

  const light = ({ target }) => {
    const stop = target.closest?.(".vk-graph a[data-n]");
    document.querySelectorAll(".vk-lit").forEach((old) => old.classList.remove("vk-lit"));
    if (!stop) return;
    const map = stop.closest("svg");
    for (const line of map.querySelectorAll("path[data-e]")) {
      const ends = line.dataset.e.split(" ");
      if (!ends.includes(stop.dataset.n)) continue;
      line.classList.add("vk-lit");
      for (const end of ends) map.querySelector(`a[data-n="${end}"]`).classList.add("vk-lit");
    }
  };
  document.addEventListener("pointerover", light);
  document.addEventListener("focusin", light);
})();
