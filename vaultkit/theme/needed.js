/* Loads the scripts that few pages need, where a page needs them. `VAULTKIT_NEEDED` stands above: for
   each such script, the part of a page that needs it. */
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
  // `document$` is Material's: it speaks after every page that was loaded in place.
  if (typeof document$ === "undefined") load();
  else document$.subscribe(load);
})();
