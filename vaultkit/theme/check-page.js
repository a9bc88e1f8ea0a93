/* Checks the page in the reader's browser: runs its code, edited or not, and marks each block, equation,
shape and number. */

const FOLLOWS = "p, li, h1, h2, h3, h4, h5, h6, summary, table, figure, .vk-math--display";
const NOTE = "Check this page in your browser";
const RANK = { holds: 0, excepted: 1, unjudged: 2, changed: 3, fails: 4 };
// The numbers of a text, with either minus sign.
const NUMBERS = /[-−]?(?<![\w.])\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?/g;
// Milliseconds without a change of an edited block, after which the page is computed anew.
const REST = 250;

/* --- The foot of a page --------------------------------------------------------------------- */

/* Shows what a click will fetch, the progress, and the result. While Python starts, it shows what
`known` promises: what the build has found. */
const panel = (box, words, run, known = async () => "") => {
  const start = button(words, run, "md-button vk-run__start");
  const stop = button("Stop", () => engine.stop("Stopped."), "md-button vk-run__stop");
  const bar = element("progress", { "aria-label": "Loading Python", max: "1", value: "0" });
  const said = element("p", { role: "status", class: "vk-run__said" });
  const cost = element("p", { class: "vk-run__cost" });
  stop.hidden = bar.hidden = true;
  box.replaceChildren(element("div", { class: "vk-run__acts" }, start, stop), cost, bar, said);
  const view = {
    box, said,
    say(text, outcome = "") {
      said.textContent = text.charAt(0).toUpperCase() + text.slice(1);
      said.dataset.outcome = outcome;
    },
    busy(is) {
      swap(is ? start : stop, is ? stop : start, () => {
        start.disabled = is;
        stop.hidden = !is;
      });
      if (!is) bar.hidden = true;
      cost.textContent = engine.loaded ? "" : `The first time this loads Python: ${COST}.`;
    },
    loaded() {
      bar.hidden = true;
      cost.textContent = "";
    },
    /* Where a block asked for Python, `tell` says there how far it is. */
    loading(tell = view.say) {
      if (engine.loaded) return;
      engine.watch(bar, tell);
      known().then((text) => { if (!bar.hidden) cost.textContent = text; });
    },
  };
  view.busy(false);
  return view;
};

/* --- A note --------------------------------------------------------------------------------- */

const note = (box) => {
  const name = box.dataset.note;
  const article = box.closest("article") ?? document;
  const store = `vaultkit:${name}`;
  const parts = new Map();
  // A mark in an alternative text is shown at its picture.
  for (const part of article.querySelectorAll("[data-says]")) {
    for (const said of part.dataset.says.split(" ")) parts.set(said, part);
  }
  for (const part of article.querySelectorAll("[data-check]")) parts.set(part.dataset.check, part);
  const cells = [];
  let busy = false;
  let again = false;  // Edited while it ran.
  let resting;

  const edits = () => Object.fromEntries(cells
    .map((cell, index) => [index, cell]).filter(([, cell]) => cell?.changed())
    .map(([index, cell]) => [index, cell.text()]));
  const keep = () => {
    const kept = Object.entries(edits()).map(([index, code]) => [index, cells[index].original, code]);
    try {
      if (kept.length) sessionStorage.setItem(store, JSON.stringify(kept));
      else sessionStorage.removeItem(store);
    } catch { /* Where nothing may be kept, edits last as long as the page. */ }
    reset.hidden = !cells.some((cell) => cell?.editing());
  };

  const clear = () => {
    article.querySelectorAll(".vk-pair").forEach((pair) => pair.replaceWith(pair.firstElementChild.lastElementChild));
    article.querySelectorAll(".vk-why, .vk-now").forEach((told) => told.remove());
    article.querySelectorAll("[data-outcome]").forEach((part) => {
      for (const name of ["data-outcome", "data-now", "aria-describedby"]) part.removeAttribute(name);
    });
    cells.forEach((cell) => cell?.say(""));
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

  /* Where Python is there, an edit needs no button: everything below it follows. */
  const follow = (cell) => {
    clearTimeout(resting);
    if (engine.loaded) resting = setTimeout(() => run(cell, true), REST);
  };

  /* Runs the page. After an edit, a block's result is replaced when it has run; all else at the end, so that
  nothing on the page jumps meanwhile. */
  const run = async (asker, follows = false) => {
    clearTimeout(resting);
    if (!box.isConnected) return;
    if (busy) {
      again ||= follows || Boolean(asker?.changed());
      return;
    }
    busy = true;
    again = false;
    const changed = edits();
    const edited = Object.keys(changed).length > 0;
    const found = [];
    const lost = [];
    const outputs = new Map();
    const drawn = new Map();
    const late = [];
    // A run that takes longer shows that it can be stopped.
    const slow = follows && setTimeout(() => asker.running(true), GIVES_IN);
    if (!follows) clear();
    view.busy(true);
    view.loading(asker?.say);
    let current;
    try {
      if (!engine.loaded) asker?.loading();
      await engine.start();
      view.loaded();
      if (!box.isConnected) return;
      asker?.say("");
      view.say("Checking …");
      const built = await ledger(name);
      const seconds = await engine.check(name, changed, ({ block, figure, svg, error, check: result, places }) => {
        if (figure) {
          drawn.set(figure, { svg, error });
          return;
        }
        if (block !== undefined) {
          if (follows) return;
          current?.running(false);
          current = cells[block];
          current?.running(true);
          return;
        }
        const check = { ...result, outcome: outcomeOf(result, edited, built, found) };
        found.push(check);
        if (check.outcome === "changed" && check.kind === "block") outputs.set(places[0], check.fix.output);
        if (follows) {
          late.push([check, places]);
          if (check.kind === "block" && !again) preview(check, places);
        } else if (!mark(check, places) && check.outcome === "fails") lost.push(check);
      });
      if (again) return;  // These are the results of other code.
      if (follows) clear();
      for (const [check, places] of late) {
        if (!mark(check, places) && check.outcome === "fails") lost.push(check);
      }
      renew(outputs);
      const figures = redraw(drawn, outputs);
      // Who runs a block wants to see what it shows, also where a question folds it.
      if (!follows) asker?.unfold();
      const fails = found.some((check) => check.outcome === "fails");
      view.say(edited ? experiment(found, figures, seconds)
        : `${fails ? "✗" : "✓"} ${totals(found)}, in ${time(seconds)}. ${compare(found, built)}`,
        fails ? "fails" : edited ? "" : "holds");
      for (const check of lost) {
        box.append(element("div", { class: "vk-why", role: "note" },
          element("p", {}, `${check.what}: ${plain(check)}`)));
      }
      number(article, view.said);
    } catch (error) {
      view.say(error.message, "fails");
      current?.running(false);
      (current ?? asker)?.say(error.message);
    } finally {
      busy = false;
      clearTimeout(slow);
      asker?.running(false);
      current?.running(false);
      view.busy(false);
      if (again) run(asker, true);
    }
  };

  const known = async () => {
    const found = await ledger(name);
    return found ? `The build has found: ${totals(found)}.` : "";
  };
  const view = panel(box, NOTE, () => run(), known);
  const reset = button("Reset the page", () => {
    clearTimeout(resting);
    again = false;
    if (busy) engine.stop("Stopped.");
    cells.forEach((cell) => cell?.restore());
    clear();
    keep();
    view.say("The page is back to its published state.");
  }, "md-button vk-run__reset");
  reset.hidden = true;
  box.querySelector(".vk-run__acts").append(reset);

  for (const [place, part] of parts) {
    if (!place.startsWith("block-") || part.matches(".no-run")) continue;
    cells[Number(place.slice(6))] = cellOf(part, { run, follow, keep, reset: () => reset.click() });
  }
  try {
    for (const [index, original, code] of JSON.parse(sessionStorage.getItem(store) ?? "[]")) {
      if (cells[index]?.original === original) cells[index].edit(code);
    }
  } catch { /* Nothing was kept, or nothing that can be read. */ }
  keep();
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

/* --- All notes ------------------------------------------------------------------------------ */

const vault = (box) => {
  const rows = [...document.querySelectorAll(".vk-ledger tr[data-note]")];
  let busy = false;
  const run = async () => {
    if (busy) return;
    busy = true;
    view.busy(true);
    view.loading();
    rows.forEach((row) => row.querySelector("th").removeAttribute("data-outcome"));
    const all = [];
    let seconds = 0;
    let other = 0;
    let unchecked = 0;
    try {
      await engine.start();
      view.loaded();
      for (const [index, row] of rows.entries()) {
        const { note: name } = row.dataset;
        view.say(`Checking note ${index + 1} of ${rows.length}: ${row.querySelector("th").textContent}`);
        const found = [];
        seconds += await engine.check(name, {}, ({ check }) => check && found.push(check));
        const fails = found.some((check) => check.outcome === "fails");
        row.querySelector("th").dataset.outcome = fails ? "fails" : "holds";
        const built = await ledger(name);
        if (built) other += differences(found, built);
        else unchecked += 1;
        all.push(...found);
      }
      const parts = [`${totals(all)}, on ${count(rows.length, "note")}, in ${time(seconds)}.`];
      if (unchecked < rows.length) {
        parts.push(other ? `${count(other, "outcome")} not the same as in the build.` : "The build found the same, check by check.");
      }
      if (unchecked) parts.push(`The build had not checked ${count(unchecked, "note")}.`);
      const fails = all.some((check) => check.outcome === "fails");
      view.say(`${fails ? "✗" : "✓"} ${parts.join(" ")}`, fails ? "fails" : "holds");
    } catch (error) {
      view.say(error.message, "fails");
    } finally {
      busy = false;
      view.busy(false);
    }
  };
  const view = panel(box, "Check the whole vault in your browser", run);
  box.prepend(element("p", {}, "Nothing has to be installed. ", element("em", {}, NOTE),
    ", at the foot of each note, loads Python into the page, runs the note there and marks each " +
    "block, equation, shape, number and prediction at its place; this button does so for all " +
    "notes. Each block has ", element("em", {}, "Run"), " and ", element("em", {}, "Edit"),
    ". Once Python is there, each edit computes the page again: new outputs, numbers and figures appear beside the " +
    "old ones; a formula that no longer holds turns red and says why; and ",
    element("em", {}, "Reset"), " brings the page back."));
};

const prepare = () => {
  // A run that is still active belongs to a page that was left.
  if (engine.running) engine.stop("Stopped.");
  document.querySelectorAll(".vk-run[data-note]").forEach(note);
  document.querySelectorAll(".vk-run[data-vault]").forEach(vault);
};
// `document$` is Material's: it emits after every page that was loaded in place, but for files.
if (typeof document$ === "undefined" || location.protocol === "file:") prepare();
else document$.subscribe(prepare);
