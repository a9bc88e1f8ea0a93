/* Three things that HTML and CSS cannot do: formulas are copied as TeX, elements that scroll sideways
can be focused and scrolled with the keyboard, and the target of a link stays in sight. Pages work
without any of it. */
(() => {
  "use strict";

  const FORMULA = "math[data-tex]";
  const SCROLLS = ".vk-math__box, pre > code, .md-typeset__scrollwrap, .vk-values__box, .vk-diagram";

  const whole = (node) => (node.nodeType === 1 ? node : node.parentElement)?.closest(".vk-math");

  document.addEventListener("copy", (event) => {
    const selection = getSelection();
    if (selection.isCollapsed || !event.clipboardData) return;
    const range = selection.getRangeAt(0).cloneRange();
    // A formula is copied as a whole or not at all.
    const first = whole(range.startContainer);
    const last = whole(range.endContainer);
    if (first) range.setStartBefore(first);
    if (last) range.setEndAfter(last);
    const copy = document.createElement("div");
    copy.append(range.cloneContents());
    if (!copy.querySelector(FORMULA)) return;
    event.clipboardData.setData("text/html", copy.innerHTML);
    copy.querySelectorAll(".headerlink, button").forEach((extra) => extra.remove());
    for (const math of copy.querySelectorAll(FORMULA)) {
      const block = math.getAttribute("display") === "block";
      const source = document.createElement(block ? "pre" : "span");
      source.textContent = block ? `$$\n${math.dataset.tex}\n$$` : `$${math.dataset.tex}$`;
      (math.closest(".vk-math") ?? math).replaceWith(source);
    }
    // Only elements with a layout have line breaks.
    copy.style.cssText = "position:fixed;left:-200vw";
    document.body.append(copy);
    event.clipboardData.setData("text/plain", copy.innerText.trim());
    copy.remove();
    event.preventDefault();
  });

  // Focusable if it scrolls; attributes for the style sheet name the sides with more content.
  const measure = (box) => [box, box.scrollWidth - box.clientWidth, box.scrollLeft];
  const mark = ([box, more, left]) => {
    const sides = [left > 1 && "left", left < more - 1 && "right"].filter(Boolean).join(" ");
    if (more > 1) {
      if (box.tabIndex !== 0) box.tabIndex = 0;
      if (box.dataset.more !== sides) box.dataset.more = sides;
    } else {
      // Material also adds and removes the first one. Without it, the element cannot keep the focus.
      if (box !== document.activeElement) box.removeAttribute("tabindex");
      delete box.dataset.more;
    }
  };
  // All are measured before any is marked, since a change would force another layout.
  const sizes = new ResizeObserver((entries) =>
    entries.map((entry) => measure(entry.target)).forEach(mark));
  // The event does not bubble.
  document.addEventListener("scroll", (event) => {
    if (event.target.dataset?.more !== undefined) mark(measure(event.target));
  }, { capture: true, passive: true });

  // Material makes the buttons beside a block of code a landmark when it first becomes visible.
  const buttons = new MutationObserver((records) => {
    const added = records.flatMap((record) => [...record.addedNodes])
      .filter((node) => node.nodeType === 1 && node.matches("nav.md-code__nav"));
    for (const nav of added) nav.setAttribute("role", "none");
    added.flatMap((nav) => [...nav.parentElement.querySelectorAll(":scope > code")])
      .map(measure).forEach(mark);
  });

  // The style sheet skips what is far below the screen. It is laid out in idle moments after the
  // reader's first move, or after five seconds. Earlier layout would slow the start.
  const LATER = ".md-content__inner > :nth-child(n + 18):not(aside, details, .admonition)";
  const MOVES = ["wheel", "touchstart", "pointerdown", "keydown"];
  const soon = window.requestIdleCallback ?? ((callback) => setTimeout(callback, 50));
  // A browser visits the whole page at each step: one part a step would take three times as long.
  const layOut = (waiting) => {
    // No style of its own: that would show an output which is hidden until a reader has predicted it.
    for (const part of waiting.splice(0, 4)) part.dataset.laidOut = "";
    if (waiting.length) soon(() => layOut(waiting));
  };
  const still = new AbortController();
  const begin = () => {
    if (still.signal.aborted) return;
    still.abort();
    soon(() => layOut([...document.querySelectorAll(LATER)]));
  };
  [...MOVES, "scroll"].forEach((name) =>
    addEventListener(name, begin, { passive: true, signal: still.signal }));
  // A browser itself says where the pointer is when a page appears below it.
  let first = null;
  addEventListener("pointermove", ({ screenX, screenY }) => {
    first ??= [screenX, screenY];
    if (first[0] !== screenX || first[1] !== screenY) begin();
  }, { passive: true, signal: still.signal });
  setTimeout(begin, 5000);
  if (typeof location$ !== "undefined")
    location$.subscribe(() => document.documentElement.classList.add("vk-whole"));

  // The scroll bars of a page have the scheme that its switch chose, if the system has another one.
  const follow = () => {
    const scheme = document.body.dataset.mdColorScheme === "slate" ? "dark" : "light";
    document.documentElement.style.colorScheme = matchMedia(`(prefers-color-scheme: ${scheme})`).matches ? "" : scheme;
  };
  if (document.querySelector("meta[name='color-scheme']")) {
    new MutationObserver(follow).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
    follow();
  }

  // Content that scripts add above the target of a link would move it out of sight. It is scrolled
  // back until the reader scrolls.
  const named = () => {
    try {
      return decodeURIComponent(location.hash.slice(1));
    } catch {
      return "";
    }
  };
  // Whoever returns to a page is where they left it. Material keeps that place in the state.
  let returns = ["back_forward", "reload"].includes(performance.getEntriesByType("navigation")[0]?.type);
  addEventListener("popstate", ({ state }) => { returns = state !== null; });
  let leave = () => {};
  const stay = () => {
    leave();
    const returned = returns;
    returns = false;
    const target = document.getElementById(named());
    // The content of this address is on another page now.
    if (target?.matches(".vk-moved")) {
      location.replace(target.querySelector("a").href);
      return;
    }
    const content = target?.closest(".md-content");
    const top = target?.getBoundingClientRect().top;
    if (!content) return;
    if (top < 0 || top > innerHeight) {
      if (returned) return;
      target.scrollIntoView();
    }
    const sizes = new ResizeObserver(() => target.scrollIntoView());
    leave = () => {
      sizes.disconnect();
      MOVES.forEach((name) => removeEventListener(name, leave));
    };
    MOVES.forEach((name) => addEventListener(name, leave, { passive: true }));
    sizes.observe(content);
    setTimeout(leave, 3000);
  };

  // The title ends before the button that leads to the top. `body:has()` would restyle at every change.
  const header = document.querySelector(".md-header");
  const top = new MutationObserver(([{ target }]) => header.toggleAttribute("data-top", !target.hidden));

  const prepare = () => {
    sizes.disconnect();
    const boxes = [...document.querySelectorAll(SCROLLS)];
    // An element without a layout may scroll: until that is known, it can be focused.
    boxes.filter((box) => !box.checkVisibility({ contentVisibilityAuto: true }))
      .forEach((box) => { box.tabIndex = 0; });
    boxes.forEach((box) => sizes.observe(box));
    top.disconnect();
    document.querySelectorAll(".md-top").forEach((button) => top.observe(button, { attributeFilter: ["hidden"] }));
    buttons.disconnect();
    document.querySelectorAll(".md-content").forEach((content) =>
      buttons.observe(content, { childList: true, subtree: true }));
    stay();
  };
  // `document$` is Material's: it emits after every page that was loaded in place.
  if (typeof document$ === "undefined") prepare();
  else document$.subscribe(() => requestAnimationFrame(prepare));
})();
