/* Tells the worker that searches when its index will be wanted: as soon as the box is entered. Tells
   Material what came into the box without a key: pasted, dictated, or put together by a finger. */
(() => {
  "use strict";

  const opened = "BroadcastChannel" in window && new BroadcastChannel("vaultkit-search");
  document.addEventListener("focusin", ({ target }) => {
    if (opened && target.matches?.(".md-search__input")) opened.postMessage("open");
  });
  document.addEventListener("input", ({ target }) => {
    if (target.matches?.(".md-search__input")) target.dispatchEvent(new Event("keyup"));
  });
})();
