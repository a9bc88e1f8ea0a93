/* Stores a reader's progress on this site in the browser: one object for each kind. */
const VAULTKIT_KEPT = (() => {
  "use strict";

  // Two sites on one host have separate keys.
  const site = new URL("../../", document.currentScript.src).pathname;

  return (kind) => {
    const key = `vaultkit:${kind}:${site}`;
    let unkept = {}; // Where nothing may be kept, it lasts as long as the page.
    return {
      all() {
        try {
          return JSON.parse(localStorage.getItem(key)) ?? {};
        } catch {
          return unkept;
        }
      },
      keep(all) {
        unkept = all;
        try {
          localStorage.setItem(key, JSON.stringify(all));
        } catch { /* Kept above. */ }
      },
    };
  };
})();
