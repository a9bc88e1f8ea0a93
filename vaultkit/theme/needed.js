/* Loads scripts that only some pages need. `VAULTKIT_NEEDED` is defined above: the selector of the
element that needs each script. */
(() => {
  "use strict";

  const here = document.currentScript.src;
  const left = new Map(Object.entries(VAULTKIT_NEEDED));
  const load = () => {
    for (const [script, part] of left) {
      if (!document.querySelector(part)) continue;
      left.delete(script);
      document.head.append(Object.assign(document.createElement("script"), { src: new URL(script, here).href }));
    }
  };
  // `document$` is Material's: it emits after every page that was loaded in place.
  if (typeof document$ === "undefined") load();
  else document$.subscribe(load);
})();
