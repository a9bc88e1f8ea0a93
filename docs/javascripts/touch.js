/* Makes figures answer: a drawing that carries data for a thing to touch gets the module of its
   name. Pages without such a drawing load nothing more; where a module fails, its drawing stays. */
(() => {
  "use strict";

  const here = document.currentScript.src;

  const begin = async (figure) => {
    if (figure.dataset.touch) return;
    const name = figure.querySelector("svg > metadata[data-touch]").dataset.touch;
    figure.dataset.touch = "coming";
    try {
      const { mount } = await import(new URL(`${name}.js`, here));
      await mount(figure);
      figure.dataset.touch = "ready";
    } catch (reason) {
      figure.dataset.touch = "failed";
      console.info(`${name} stays as drawn: ${reason}`);
    }
  };

  // Just before a reader sees it; a first visit loads no figure below the first screen.
  const near = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      begin(target);
    }
  }, { rootMargin: "10% 0px" });

  const prepare = () => {
    near.disconnect();
    for (const data of document.querySelectorAll(".md-content svg > metadata[data-touch]")) {
      const figure = data.closest("figure");
      if (figure && !figure.dataset.touch) near.observe(figure);
    }
  };
  // Material's: it emits after every page that was loaded in place.
  if (typeof document$ === "undefined") prepare();
  else document$.subscribe(prepare);
})();
