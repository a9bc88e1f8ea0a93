/* Makes figures answer: a drawing that carries data for a thing to touch gets the module of its
   name. Pages without such a drawing load nothing more; where a module fails, its drawing stays. */
(() => {
  "use strict";

  const here = document.currentScript.src;

  const prepare = () => {
    for (const data of document.querySelectorAll(".md-content svg > metadata[data-touch]")) {
      const figure = data.closest("figure");
      if (!figure || figure.dataset.touch) continue;
      figure.dataset.touch = "coming";
      import(new URL(`${data.dataset.touch}.js`, here))
        .then(async ({ mount }) => {
          await mount(figure);
          figure.dataset.touch = "ready";
        })
        .catch((reason) => {
          figure.dataset.touch = "failed";
          console.info(`${data.dataset.touch} stays as drawn: ${reason}`);
        });
    }
  };
  // `document$` is Material's: it speaks after every page that was loaded in place.
  if (typeof document$ === "undefined") prepare();
  else document$.subscribe(prepare);
})();
