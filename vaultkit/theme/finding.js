/* Makes the search worker fetch its index as soon as the search box has the focus. Reports to Material
text that was entered without a key: pasted, dictated, or swiped. */
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
