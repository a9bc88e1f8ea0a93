/* Shows the evidence for a formula, shape or number, or the meaning of a term, when a reader points at it, reaches it
with the keyboard, or taps it. The build found it, and the page contains it. */
(() => {
  "use strict";

  const WAIT = 250;   // Milliseconds before a box opens, so that a pointer in passing opens none.
  const LINGER = 250; // And before it closes, so that the pointer can reach it.
  const LINES = "p, li, td, th, dt, dd, figcaption, summary, h1, h2, h3, h4, h5, h6";
  const OTHERS = "a, button, summary, label"; // Elements that react to a press otherwise.

  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };

  let known = new Map(); // By focusable element: the part of the page, and its text.
  let order = [];
  let box, shown, timer;
  const later = (act, wait) => { clearTimeout(timer); timer = setTimeout(act, wait); };

  const close = () => {
    clearTimeout(timer);
    if (!box) return;
    const inside = box.contains(document.activeElement);
    const from = shown;
    box.remove();
    from.setAttribute("aria-expanded", "false");
    from.removeAttribute("aria-describedby");
    box = shown = undefined;
    if (inside) from.focus({ preventScroll: true });
  };

  /* Scrolls to the evidence, and marks the very number where the browser supports that. */
  const go = (place, text) => {
    const target = document.querySelector(`.md-content [data-check="${CSS.escape(place)}"]`);
    if (!target) return;
    close();
    for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    const host = target.closest(".vk-math--display, .highlight") ?? target;
    // The number is highlighted as if the browser's own search had found it.
    host.closest("[hidden]")?.dispatchEvent(new Event("beforematch"));
    document.querySelectorAll(".vk-shown").forEach((old) => old.classList.remove("vk-shown"));
    host.classList.add("vk-shown");
    if (!host.matches("a, button, [tabindex]")) host.tabIndex = -1;
    host.focus({ preventScroll: true });
    host.addEventListener("blur", () => {
      host.classList.remove("vk-shown");
      globalThis.CSS?.highlights?.delete("vk-shown");
    }, { once: true });
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    host.scrollIntoView({ block: "center", behavior: still ? "auto" : "smooth" });
    const range = text && found(host.matches(".output") ? host : host.querySelector("pre code") ?? host, text);
    if (range && globalThis.Highlight) CSS.highlights.set("vk-shown", new Highlight(range));
  };

  /* The place of a number, or of several in a row, as it is printed or rounded less; in a table they are in
  cells of their own. Words are searched for as they are. */
  const NUMBER = /(?<![\w.)\]])[-−]?\d+(?:[,_]\d{3})*(?:\.\d*)?(?:e[-+]?\d+)?(?!\w)/gi;
  const numbers = (words) => [...words.matchAll(NUMBER)].map((one) =>
    ({ at: one.index, end: one.index + one[0].length, value: Number(one[0].replace(/[,_]/g, "").replace("−", "-")) }));
  const found = (host, text) => {
    const walker = document.createTreeWalker(host, NodeFilter.SHOW_TEXT);
    const wanted = numbers(text);
    const all = [];
    let minus = false; // coloured code has it in an element of its own
    for (let node = walker.nextNode(); node; minus = node.data === "-", node = walker.nextNode()) {
      if (wanted.length) all.push(...numbers(node.data).map((one) => ({ node, ...one, minus })));
      else if (node.data.includes(text)) all.push({ node, at: node.data.indexOf(text), end: node.data.indexOf(text) + text.length });
    }
    const first = wanted.length ? all.findIndex((_, at) => wanted.every(({ value }, by) => {
      const one = all[at + by];
      return one && (one.value === value || (one.minus && one.value === -value));
    })) : 0;
    const last = first < 0 ? null : all[first + Math.max(wanted.length, 1) - 1];
    if (!last) return null;
    const range = new Range();
    range.setStart(all[first].node, all[first].at);
    range.setEnd(last.node, last.end);
    return range;
  };

  /* Whether the part is in a section with a question that the reader has not answered yet. */
  const isAsked = (part) => {
    const headings = [...document.querySelectorAll(".md-content :is(h2, h3)")];
    const section = (node) => headings.findLast((heading) =>
      heading.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING);
    return [...document.querySelectorAll(".vk-folded:not([hidden])")]
      .some((folded) => section(folded) === section(part));
  };

  /* The names of arrays to which the site's style sheet gives a colour, `--vk-array-Q`, have it. */
  const coloured = (words) => {
    const style = getComputedStyle(document.body);
    return words.split(/(\b[A-Za-z]\w*)/).map((word, at) =>
      (at % 2 && style.getPropertyValue(`--vk-array-${word}`) ? element("span", { class: `vk-of-${word}` }, word) : word));
  };

  /* A symbol with an index or exponent, `W_Q` or `ℝ^(n×d_k)`, is set as mathematics. */
  const SYMBOL = /(?<![\w.])(\p{L})_(\([^)]*\)|\w+)|\^(\([^)]*\)|\w+)/u;
  const symbols = (words) => {
    const [all, base, index, power] = SYMBOL.exec(words) ?? [];
    if (!all) return coloured(words);
    const [before, after] = [words.slice(0, words.indexOf(all)), words.slice(words.indexOf(all) + all.length)];
    const inner = symbols((index ?? power).replace(/^\((.*)\)$/, "$1"));
    const set = base ? element("span", { class: `vk-symbol vk-of-${base}_${index}` }, base, element("sub", {}, ...inner))
      : element("sup", {}, ...inner);
    return [...coloured(before), set, ...symbols(after)];
  };

  /* Code in backticks and an array are set as code; an index, as in `x[0]`, is no array. */
  const typeset = (line) => line.split(/(`[^`]*`|(?<!\w)\[+[^[\]]*\]+)/).flatMap((piece, at) => {
    if (at % 2 === 0) return symbols(piece);
    return piece.startsWith("`") ? [element("code", {}, ...coloured(piece.slice(1, -1)))]
      : [element("span", { class: "vk-box__array" }, piece)];
  });

  const open = (trigger, byKeyboard = false) => {
    clearTimeout(timer);
    if (shown === trigger) return;
    close();
    const { part, text: [built, ...found] } = known.get(trigger);
    // The values could give the answer away.
    const hidden = !part.dataset.term && isAsked(part);
    const lines = !hidden ? [...found] : part.dataset.now ? []
      : [["The values are shown when you have answered the question in this section."]];
    // What a run in the reader's browser has found replaces what the build had found.
    const title = part.dataset.now ?? built;
    if (part.dataset.outcome === "changed") { if (lines.length) lines.unshift(["Without your edit:"]); }
    else if (part.dataset.now) lines.unshift([`On the page as it was published: “${built}”`]);
    const name = part.dataset.term ? "What this means" : "Based on";
    box = element("div", { class: "vk-box", id: "vk-box", role: "dialog", "aria-label": name },
      element("p", { class: "vk-box__title" }, ...typeset(title)));
    for (const [words, place, text, href] of lines) {
      // The columns of an array stay below each other.
      const pieces = words.match(/(?:^ *(?:\[|\.\.\.).*\n?)+|^.*\n?/gm).filter(Boolean).map((piece) => piece.replace(/\n$/, ""));
      const line = element("p", {}, ...href ? [element("a", { href }, words)] : pieces.flatMap((piece) =>
        (piece.includes("\n") ? [element("span", { class: "vk-box__rows" }, piece)] : typeset(piece))));
      if (place) {
        const show = element("button", { type: "button" }, "Show it");
        show.addEventListener("click", () => go(place, text));
        line.append(" ", show);
      }
      box.append(line);
    }
    if (byKeyboard) {
      const first = box.querySelector("button, a");
      const keys = [first && `Enter: ${first.href ? "to the link" : "show it"}`, "← →: others", "Esc: close"];
      box.append(element("p", { class: "vk-box__keys" }, keys.filter(Boolean).join(" · ")));
    }
    box.addEventListener("pointerenter", () => clearTimeout(timer));
    box.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && later(close, LINGER));
    shown = trigger;
    trigger.setAttribute("aria-expanded", "true");
    trigger.setAttribute("aria-describedby", "vk-box");
    document.body.append(box);
    // Of a display, neither the formula nor its mark may be covered.
    const near = (trigger.textContent ? trigger : part).getBoundingClientRect();
    const whole = part.matches(".vk-math--display") ? part.getBoundingClientRect() : near;
    const [top, bottom] = [Math.min(near.top, whole.top), Math.max(near.bottom, whole.bottom)];
    const { width, height } = box.getBoundingClientRect();
    const wide = document.documentElement.clientWidth;
    const left = Math.max(12, Math.min(near.left, wide - width - 12));
    // Below a formula that an edit has broken stands the reason.
    const above = top - 6 > height + 60;
    const fits = !(part.dataset.outcome === "fails" && above) && (bottom + 6 + height < innerHeight || !above);
    box.style.left = `${left + scrollX}px`;
    box.style.top = `${(fits ? bottom + 6 : top - 6 - height) + scrollY}px`;
  };

  /* The evidence for the place of an event. */
  const asked = ({ target }) => {
    const part = target instanceof Element && target.closest("[data-asks]");
    return part ? order[Number(part.dataset.asks)] : null;
  };

  /* The output or block that contains a number of the text, and how it stands there. */
  globalThis.VAULTKIT_SOURCE = (part) => {
    const [, place, text] = [...known.values()].find((one) => one.part === part)?.text[1] ?? [];
    return place ? { place, text } : null;
  };

  const prepare = () => {
    close();
    known = new Map();
    order = [];
    const store = document.querySelector("template.vk-evidence");
    const texts = store ? JSON.parse(store.content.textContent) : {};
    const begun = new Set();
    for (const named of document.querySelectorAll(".md-content [data-check], .md-content [data-term]")) {
      const text = texts[named.dataset.check] ?? texts[named.dataset.term];
      if (!text) continue;
      const part = named.closest(".vk-math") ?? named;
      if (part.parentElement.closest(`${OTHERS}, [data-asks]`)) continue;
      const trigger = part.querySelector(":scope > .vk-mark") ?? part;
      trigger.setAttribute("role", "button");
      // Screen readers do not read the parts of a formula that is a button.
      if (trigger.matches(".vk-math")) trigger.setAttribute("aria-label", text[0]);
      trigger.setAttribute("aria-haspopup", "dialog");
      trigger.setAttribute("aria-expanded", "false");
      part.setAttribute("data-asks", order.length);
      // Tab stops once in each paragraph; the arrows reach the rest.
      const line = part.matches(".vk-math--display") ? part : part.closest(LINES) ?? part;
      trigger.tabIndex = begun.has(line) ? -1 : 0;
      begun.add(line);
      known.set(trigger, { part, text });
      order.push(trigger);
    }
  };

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const trigger = asked(event);
    if (trigger) later(() => open(trigger), trigger === shown ? 0 : WAIT);
  });
  document.addEventListener("pointerout", (event) => {
    if (event.pointerType === "touch" || !asked(event) || asked({ target: event.relatedTarget })) return;
    if (box?.contains(event.relatedTarget)) return;
    // A box opened with the keyboard stays until the focus moves.
    if (shown?.matches(":focus-visible")) clearTimeout(timer);
    else later(close, LINGER);
  });
  document.addEventListener("click", (event) => {
    const trigger = asked(event);
    if (trigger && getSelection().isCollapsed && !event.target.closest("a, button:not(.vk-mark)")) open(trigger);
    else if (box && !box.contains(event.target)) close();
  });
  document.addEventListener("focusin", ({ target }) => {
    if (known.has(target) && target.matches(":focus-visible")) open(target, true);
    else if (box && target !== shown && !box.contains(target)) close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && box) {
      event.stopPropagation();
      close();
      return;
    }
    const { activeElement: at } = document;
    const inside = box?.contains(at);
    if (!known.has(at) && !inside) return;
    const buttons = box ? [...box.querySelectorAll("button, a")] : [];
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step && !event.altKey && !event.ctrlKey && !event.metaKey) {
      const next = order[order.indexOf(inside ? shown : at) + step];
      if (!next) return;
      for (let fold = next.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
      next.focus();
    } else if (event.key === "Tab" && box) {
      // The box follows its trigger in the document.
      const to = inside ? buttons[buttons.indexOf(at) + (event.shiftKey ? -1 : 1)] : !event.shiftKey && buttons[0];
      if (to) to.focus();
      else if (inside) { shown.focus({ preventScroll: true }); if (!event.shiftKey) return; }
      else return;
    } else if ((event.key === "Enter" || event.key === " ") && !inside) {
      if (!box) open(at, true);
      else buttons[0]?.focus();
    } else return;
    event.preventDefault();
  }, true);
  document.addEventListener("scroll", ({ target }) => { if (target !== document) close(); }, true);
  // On phones, the browser's bars also change the size of the window.
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) close(); width = innerWidth; });

  // `document$` is Material's: it emits after every page that was loaded in place, but for files.
  if (typeof document$ === "undefined" || location.protocol === "file:") prepare();
  else document$.subscribe(prepare);
})();
