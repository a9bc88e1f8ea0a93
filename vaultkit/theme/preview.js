/* Shows a preview of a link's target when a reader points at it, reaches it with the keyboard, or holds
a finger on it. The target page is fetched from the link's address. */
(() => {
  "use strict";

  const WAIT = 300;   // Milliseconds before a card opens, so that a pointer in passing opens none.
  const LINGER = 200; // And before it closes, so that the pointer can reach it.
  const HOLD = 450;   // How long a finger rests on a link.
  const PARTS = 8;    // What follows the heading, at most.
  const BACK = ".footnote-backref, .headerlink";
  // A drawing keeps its own style element, since this page may have none.
  const EXTRA = "style:not(svg *), metadata, .touch, .headerlink, .md-tags, .md-path, .vk-onward, .vk-cards, .vk-unfold, .linked-from, .vk-graph, .vk-here, .md-content__button, .vk-math__copy, " +
    ".vk-checked, .vk-mark, [data-live], .vk-run, .vk-elsewhere, .vk-cell, .vk-cell__code, .vk-why, .md-code__nav, script, input, button, iframe";
  const HEADING = /^H[1-6]$/;

  const root = () => new URL(JSON.parse(document.getElementById("__config").textContent).base, location);

  /* ---- The target of a link --------------------------------------------------------------------- */

  const pages = new Map();
  const page = (url) => {
    const address = url.origin + url.pathname;
    if (address === location.origin + location.pathname) return Promise.resolve(document);
    if (!pages.has(address)) {
      const fetched = fetch(address).then(async (answer) => {
        if (!answer.ok) throw new Error(`${answer.status}`);
        const found = new DOMParser().parseFromString(await answer.text(), "text/html");
        // The page of an alias only redirects.
        const onward = !found.querySelector("article") && found.querySelector("link[rel=canonical]");
        return onward ? page(new URL(onward.getAttribute("href"), address)) : found;
      });
      fetched.catch(() => pages.delete(address));
      pages.set(address, fetched);
    }
    return pages.get(address);
  };

  /* The place itself if it is not a heading; else the section below it. */
  const section = (found, hash) => {
    const article = found.querySelector("article");
    if (!article) return [];
    let place = hash ? found.getElementById(decodeURIComponent(hash.slice(1))) : article.querySelector("h1");
    if (!place || !article.contains(place)) return [];
    const heading = place.closest("h1, h2, h3, h4, h5, h6");
    if (!heading) return [place];
    const parts = [heading];
    for (let next = heading.nextElementSibling; next && parts.length <= PARTS; next = next.nextElementSibling) {
      // The preview of a note ends at its first section; that of a section includes its subsections.
      if (HEADING.test(next.tagName) && (heading.tagName === "H1" || next.tagName <= heading.tagName)) break;
      if (!next.matches(EXTRA)) parts.push(next);
    }
    return parts;
  };

  const copied = (parts, address) => parts.map((part) => {
    const copy = document.importNode(part, true);
    const all = [copy, ...copy.querySelectorAll("*")];
    for (const element of all) {
      if (!element.closest("svg")) element.removeAttribute("id");
      element.removeAttribute("tabindex");
      if (element.hasAttribute("src")) element.src = new URL(element.getAttribute("src"), address).href;
    }
    copy.querySelectorAll(EXTRA).forEach((extra) => extra.remove());
    copy.querySelectorAll(".heads__drawn").forEach((drawing) => drawing.classList.remove("heads__drawn"));
    // A preview has no links of its own: the link itself leads there.
    for (const link of copy.querySelectorAll("a")) {
      if (link.namespaceURI.endsWith("svg")) link.removeAttributeNS("http://www.w3.org/1999/xlink", "href");
      link.removeAttribute("href");
    }
    copy.querySelectorAll("summary").forEach((summary) => { summary.tabIndex = -1; });
    return copy;
  });

  /* ---- The evidence for a link's number ---------------------------------------------------------- */

  const paragraph = (text) => Object.assign(document.createElement("p"), { textContent: text });

  /* The build's results: for the line of checks, or for a number in the words of a link. */
  const evidence = (link) => {
    const store = document.querySelector("template.vk-evidence");
    const texts = store ? JSON.parse(store.content.textContent) : {};
    const whole = link.closest(".vk-checked") && texts.checks;
    if (whole) return { instead: true, lines: [whole[0], ...whole.slice(1).map(([words]) => words)].map(paragraph) };
    const lines = [...link.querySelectorAll("[data-check]")].flatMap((part) => {
      const [title, ...rests] = texts[part.dataset.check] ?? [];
      return title ? [paragraph(`${part.textContent}: ${[title, ...rests.map(([words]) => words.replaceAll("`", ""))].join(". ")}`)] : [];
    });
    return { instead: false, lines };
  };

  /* ---- The card ------------------------------------------------------------------------------------ */

  let card, shown, timer, turn = 0;

  const close = () => {
    clearTimeout(timer);
    turn += 1;
    card?.remove();
    card = shown = undefined;
  };
  const later = (act, wait) => { clearTimeout(timer); timer = setTimeout(act, wait); };

  const place = (link) => {
    const [first] = link.getClientRects();
    const box = card.getBoundingClientRect();
    const edge = 12;
    const left = Math.max(edge, Math.min(first.left, document.documentElement.clientWidth - box.width - edge));
    const below = first.bottom + 6;
    const fits = below + box.height < innerHeight || first.top - 6 < box.height;
    card.style.left = `${left + scrollX}px`;
    card.style.top = `${(fits ? below : first.top - 6 - box.height) + scrollY}px`;
  };

  const open = async (link, touched = false) => {
    close();
    const mine = (turn += 1);
    const url = new URL(link.href);
    const { instead, lines } = evidence(link);
    let parts;
    if (instead) parts = lines;
    else try {
      parts = copied(section(await page(url), url.hash), url.origin + url.pathname);
    } catch (reason) {
      console.info(`no preview of ${url.pathname}: ${reason}`);
    }
    if (mine !== turn || !parts?.length || !link.isConnected) return;
    card = document.createElement("div");
    card.className = `vk-preview${touched ? " vk-preview--touched" : ""}`;
    const text = document.createElement("div");
    text.className = "vk-preview__text md-typeset";
    text.append(...parts);
    // The card ends with a paragraph or block; only where a block is longer than the card, it fades.
    const goesOn = () => text.scrollHeight - text.scrollTop > text.clientHeight + 2;
    const fade = () => text.classList.toggle("vk-preview__text--on", !text.style.maxHeight && goesOn());
    const end = () => {
      text.style.maxHeight = "";
      const top = text.getBoundingClientRect().top - text.scrollTop;
      const ends = [...text.children].map((part) => part.getBoundingClientRect().bottom - top)
        .filter((bottom) => bottom > text.clientHeight / 2 && bottom <= text.clientHeight);
      if (goesOn() && ends.length) text.style.maxHeight = `${Math.max(...ends) + 8}px`;
      fade();
    };
    text.addEventListener("scroll", fade, { passive: true });
    new ResizeObserver(end).observe(text);
    card.append(text);
    if (!instead && lines.length) {
      const foot = document.createElement("div");
      foot.className = "vk-preview__evidence";
      foot.append(...lines);
      card.append(foot);
    }
    if (touched) {
      card.setAttribute("role", "dialog");
      card.setAttribute("aria-label", "Preview");
      const go = document.createElement("a");
      go.className = "md-button md-button--primary";
      go.href = url.href;
      go.textContent = "Open";
      const shut = document.createElement("button");
      shut.className = "md-button";
      shut.type = "button";
      shut.textContent = "Close";
      const row = document.createElement("div");
      row.className = "vk-preview__ways md-typeset";
      row.append(go, shut);
      card.append(row);
    } else {
      card.setAttribute("role", "tooltip");
      card.addEventListener("pointerenter", () => clearTimeout(timer));
      card.addEventListener("pointerleave", () => later(close, LINGER));
    }
    shown = link;
    document.body.append(card);
    end();
    if (!touched) place(link);
  };

  /* ---- Pointer, keyboard, finger --------------------------------------------------------------------- */

  /* The link of an event, if its target is text of this site. */
  const link = ({ target }) => {
    const found = target instanceof Element && target.closest(".md-content a[href]");
    if (!found || !(found instanceof HTMLAnchorElement) || found.matches(BACK) || found.target) return null;
    const url = new URL(found.href);
    if (!url.href.startsWith(root().href) || !/(\/|\.html)$/.test(url.pathname)) return null;
    const here = url.pathname === location.pathname;
    return here && !url.hash ? null : found;
  };

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const found = link(event);
    if (found && found === shown) clearTimeout(timer);
    else if (found) later(() => open(found), WAIT);
  });
  document.addEventListener("pointerout", (event) => {
    if (event.pointerType === "touch" || !link(event)) return;
    if (card) later(close, LINGER);
    else { clearTimeout(timer); turn += 1; }
  });
  document.addEventListener("focusin", (event) => {
    const found = link(event);
    if (found?.matches(":focus-visible")) later(() => open(found), WAIT);
    else if (card && !card.contains(event.target)) close();
  });
  document.addEventListener("focusout", (event) => { if (link(event) && !card?.matches("[role=dialog]")) close(); });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });

  let held = false;
  document.addEventListener("touchstart", (event) => {
    held = false;
    if (card?.contains(event.target)) return;
    const found = link(event);
    if (found) later(() => { held = true; open(found, true); }, HOLD);
  }, { passive: true });
  document.addEventListener("touchmove", () => { if (!held) clearTimeout(timer); }, { passive: true });
  document.addEventListener("touchend", (event) => {
    if (!held) clearTimeout(timer);
    else if (link(event)) event.preventDefault();  // The finger showed the card, and follows no link.
  });
  document.addEventListener("contextmenu", (event) => { if (held && link(event)) event.preventDefault(); });
  document.addEventListener("click", (event) => {
    const inside = card?.contains(event.target);
    if (!inside || event.target.closest("a[href], button")) close();
  });

  if (typeof document$ !== "undefined") document$.subscribe(close);
})();
