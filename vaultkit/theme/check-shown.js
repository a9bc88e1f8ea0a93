/* Shows on a page what its checks have found: marks, boxes, new outputs and figures. Loaded when a reader runs
a page; the scripts `RESULTS` of `site/assets.py` are published as one module. */

const { address, button, element } = globalThis.vaultkitPython;

const FOLLOWS = "p, li, h1, h2, h3, h4, h5, h6, summary, table, figure, .vk-math--display";
const RANK = { holds: 0, excepted: 1, unjudged: 2, changed: 3, fails: 4 };
// The numbers of a text, with either minus sign.
const NUMBERS = /[-−]?(?<![\w.])\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?/g;

/* The functions that change the page of a note: `parts` are its elements by their names, `cells` its blocks. */
const resultsOn = ({ article, parts, cells }) => {
  const clear = () => {
    article.querySelectorAll(".vk-pair").forEach((pair) => pair.replaceWith(pair.firstElementChild.lastElementChild));
    article.querySelectorAll(".vk-why, .vk-now").forEach((told) => told.remove());
    article.querySelectorAll("[data-outcome]").forEach((part) => {
      for (const name of ["data-outcome", "data-now", "aria-describedby"]) part.removeAttribute(name);
    });
  };

  /* Adds a box below a part: below the output of a block, and below earlier boxes. */
  const below = (part, box) => {
    const host = part.closest(".highlight") ?? part.closest(FOLLOWS) ?? part;
    let last = host.matches("li, summary") ? null : host.closest(".md-typeset__scrollwrap") ?? host;
    if (!last) host.append(box);
    else {
      const output = outputOf(part);
      if (output) last = output;
      while (last.nextElementSibling?.matches(".vk-folded, .vk-why, .vk-now")) last = last.nextElementSibling;
      last.after(box);
    }
  };
  const outputOf = (part) => {
    const next = part.closest(".highlight")?.nextElementSibling;
    return next?.matches(".output") ? next : null;
  };
  // A part of an output that is a table is not code, but has the same text.
  const printed = (output) =>
    [...output?.querySelectorAll("pre > code, table") ?? []].map((part) => part.textContent).join("");

  const explain = (part, text, output) => {
    const id = `vk-why-${article.querySelectorAll(".vk-why").length + 1}`;
    const [first, ...rest] = text.split("\n");
    const why = element("div", { class: "vk-why", id, role: "note" }, element("p", {}, first));
    const code = (lines) => why.append(element("pre", { tabindex: "0" }, lines || "(nothing)"));
    const lines = rest.join("\n").replace(/^\n+|\s+$/g, "");
    // Arrays and tracebacks keep their columns; sentences wrap.
    if (output !== undefined) code(output);
    else if (!lines.split("\n").some(isRow)) { if (lines) code(lines); }
    else {
      for (const piece of lines.match(/(?:^ *(?:\[|\.\.\.).*\n?)+|^.*\n?/gm).filter((each) => each.trim())) {
        if (isRow(piece)) code(piece.trimEnd());
        else why.append(element("p", { class: "vk-why__more" }, piece.trim()));
      }
    }
    part.setAttribute("aria-describedby", id);
    below(part, why);
    return id;
  };

  /* Shows the output of edited code below the output of the page. What differs is marked. */
  const compared = (part, output) => {
    const split = (text) => text.split(/([^\s,;=()[\]{}]+)/);  // words have odd places
    const words = (pieces) => pieces.filter((_, at) => at % 2);
    const old = words(split(printed(outputOf(part))));
    const pieces = split(output);
    const aligned = old.length === words(pieces).length;
    const shown = pieces.map((piece, at) =>
      (aligned && at % 2 && old[(at - 1) / 2] !== piece ? element("mark", {}, piece) : piece));
    below(part, element("div", { class: "vk-now", role: "note" },
      element("p", {}, "With your edit"), element("pre", { tabindex: "0" }, ...(output ? shown : ["(nothing)"]))));
  };

  /* Returns what a number of the text has become, if its output tells it. */
  const became = (part, outputs) => {
    const { place, text } = globalThis.VAULTKIT_SOURCE?.(part) ?? {};
    const index = /^output-(\d+)$/.exec(place ?? "")?.[1];
    if (index === undefined || !outputs.has(`block-${index}`)) return "";
    const plain = (number) => number.replace("−", "-");
    const numbers = (words) => (words.match(NUMBERS) ?? []).map(plain);
    const before = numbers(article.querySelector(`[data-check="${place}"]`)?.textContent ?? "");
    const after = numbers(outputs.get(`block-${index}`));
    if (before.length !== after.length) return "";
    const row = numbers(text.replaceAll(", ", " "));
    const own = plain(part.textContent.trim());
    const found = new Set();
    before.forEach((_, start) => {
      if (!row.every((number, at) => before[start + at] === number)) return;
      row.forEach((number, at) => { if (number === own) found.add(after[start + at]); });
    });
    const [now] = found;
    return found.size === 1 && now !== own ? now.replace("-", "−") : "";
  };

  const mark = (check, places) => {
    let seen = false;
    for (const place of places) {
      const named = parts.get(place);
      if (!named) continue;
      seen = true;
      // A browser renders nothing after the parts of a formula, but after the whole formula.
      const part = named.closest(".vk-math") ?? named;
      if ((RANK[part.dataset.outcome] ?? -1) < RANK[check.outcome]) part.dataset.outcome = check.outcome;
      const cell = place.startsWith("block-") ? cells[Number(place.slice(6))] : null;
      if (check.outcome === "fails") {
        if (check.fix?.output !== undefined && check.kind === "block") {
          explain(part, "This is no longer what the page shows. The code now shows:", check.fix.output);
        } else explain(part, plain(check));
        part.dataset.now = "Does not hold; the reason is below";
        cell?.say("✗ see below");
      } else if (check.outcome === "unjudged") {
        cell?.say("not judged: an earlier block does not run");
      } else if (check.outcome === "changed") {
        if (check.kind === "block") {
          compared(part, check.fix.output);
          cell?.say("the output has changed");
        } else part.dataset.now = "No longer true with your edit";
      } else if (check.outcome === "excepted" && check.why?.includes("in a browser")) {
        explain(part, `Not judged here: it ${check.why}.`);
        cell?.say("not judged here");
      } else if (check.kind === "block" && check.outcome === "holds") {
        cell?.say(`✓ shows what the page shows, ${time(check.seconds ?? 0)}`);
      }
    }
    return seen;
  };

  /* Replaces a block's result when it has run; all else is replaced at the end. */
  const preview = (check, places) => {
    const part = parts.get(places[0]);
    let next = part && (outputOf(part) ?? part.closest(".highlight"))?.nextElementSibling;
    while (next?.matches(".vk-folded, .vk-why, .vk-now")) {
      const box = next;
      next = next.nextElementSibling;
      if (!box.matches(".vk-folded")) box.remove();
    }
    part?.removeAttribute("data-outcome");
    mark(check, places);
  };

  /* Writes the new value behind each number whose output has changed. */
  const renew = (outputs) => {
    for (const part of article.querySelectorAll("span[data-check][data-outcome=changed]")) {
      const now = became(part, outputs);
      if (!now) continue;
      part.dataset.now = `${now} with your edit`;
      part.after(element("ins", { class: "vk-now" }, `\u00a0→\u00a0${now}`));
    }
  };

  /* Shows each figure as it is with the edit, beside the published one. `drawn` are those that are functions
  of the page's variables; if the page shows one drawing twice, both show the later result. */
  const redraw = (drawn, outputs) => {
    const tell = (box, text) => below(box, element("p", { class: "vk-now", role: "note" }, text));
    let number = 0;
    for (const box of article.querySelectorAll(".vk-figure-box, img[data-check]")) {
      const file = box.getAttribute("src")?.split("/").pop();
      const now = drawn.get(box.dataset.figure ?? decodeURIComponent(file));
      if (now?.svg) {
        const host = box.closest("figure") ?? box;
        const old = element("div", {}, element("p", {}, "On the page"));
        const svg = element("span", { class: "vk-figure-box" }, drawing(now.svg));
        host.before(element("div", { class: "vk-pair" }, old, element("div", { class: "vk-now", role: "note" },
          element("p", {}, "With your edit"), element("figure", {}, svg))));
        old.append(host);
        number += 1;
      } else if (now?.error) tell(box, `With your edit, this figure cannot be drawn: ${now.error}`);
      else if (!now && outputs.size && box.matches("img")) {
        tell(box, "This figure is the published one, without your edit.");
      } else if (!now && outputs.size && /\d/.test(box.textContent)) {
        tell(box, "This figure shows the original numbers, without your edit.");
      }
    }
    // The script of an interactive figure starts it.
    if (number) document.dispatchEvent(new Event("vaultkit:figures"));
    return number;
  };

  return { clear, mark, preview, renew, redraw };
};

/* Parses a drawing of which the page already has one; its ids are removed, since they must be unique. */
const drawing = (text) => {
  const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const label = svg.querySelector("desc")?.textContent ?? "";
  svg.querySelectorAll("[id]").forEach((part) => part.removeAttribute("id"));
  ["aria-labelledby", "aria-describedby"].forEach((name) => svg.removeAttribute(name));
  svg.setAttribute("aria-label", `With your edit: ${label}`);
  return document.importNode(svg, true);
};

/* Links each failure to the next one, and the foot to the first. */
const number = (article, said) => {
  const all = [...article.querySelectorAll(".vk-why")];
  all.forEach((why, index) => {
    why.tabIndex = -1;
    const next = all[index + 1];
    if (next) why.append(button(`Next ✗ (${index + 2} of ${all.length})`, () => show(next), "vk-why__next"));
  });
  if (all.length) said.append(" ", button("Show the first ✗", () => show(all[0]), "vk-why__next"));
};
const show = (why) => {
  for (let box = why.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  why.scrollIntoView({ block: "center" });
  why.focus({ preventScroll: true });
};


export { compare, differences, experiment, ledger, number, outcomeOf, plain, resultsOn, time, totals, count };
