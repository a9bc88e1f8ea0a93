/* Tells the worker that searches when its index will be wanted: as soon as the box is entered. */
(() => {
  "use strict";

  const opened = "BroadcastChannel" in window && new BroadcastChannel("vaultkit-search");
  document.addEventListener("focusin", ({ target }) => {
    if (opened && target.matches?.(".md-search__input")) opened.postMessage("open");
  });
})();
