/* Checks the page in the reader's browser: runs its code, edited or not, and marks each block, equation,
shape and number. */

const NOTE = "Check this page in your browser";
// Milliseconds without a change of an edited block, after which the page is computed anew.
const REST = 150;
// Milliseconds without a change, after which errors of code that is being typed are shown.
const PAUSE = 1500;

/* What judges and shows results is loaded after the first click, as Python is. */
let module;
const results = () => {
  module ??= import(address(VAULTKIT_ENGINE.results));
  module.catch(() => { module = undefined; });
  return module;
};
const withPython = async () => {
  await engine.start();
  return results();
};

/* The words for what an edit has changed; only what fails is red. */
const inRed = (before, fails, after = "") => [before, ...fails ? [element("strong", {}, fails)] : [], after];

/* --- The foot of a page --------------------------------------------------------------------- */

/* Shows what a click will fetch, the progress, and the result. While Python starts, it shows what
`known` promises: what the build has found. */
const panel = (box, words, run, known = async () => "") => {
  const start = button(words, run, "md-button vk-run__start");
  const stop = button("Stop", () => engine.stop("Stopped."), "md-button vk-run__stop");
  const bar = progressBar();
  const said = element("p", { role: "status", class: "vk-run__said" });
  const price = element("p", { class: "vk-run__cost" });
  stop.hidden = true;
  box.replaceChildren(element("div", { class: "vk-run__acts" }, start, stop), price, bar, said);
  const view = {
    box, said,
    say(text, outcome = "") {
      said.textContent = text.charAt(0).toUpperCase() + text.slice(1);
      said.dataset.outcome = outcome;
    },
    tell(parts) {
      view.say("");
      said.append(...inRed(...parts));
    },
    busy(is) {
      swap(is ? start : stop, is ? stop : start, () => {
        start.disabled = is;
        stop.hidden = !is;
      });
      if (!is) engine.unwatch();
      price.textContent = cost() && `The first time this loads Python: ${cost()}.`;
    },
    loaded() {
      price.textContent = "";
    },
    /* Shows how far Python is: at the block that asked for it, or here. */
    loading(asker = { bar, say: view.say }) {
      if (engine.loaded) return;
      engine.watch(asker.bar, asker.say);
      known().then((text) => { if (engine.bar === bar && !bar.hidden) price.textContent = text; });
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
  const edited = new Set();  // Blocks that were edited, the last one at the end.
  let busy = false;
  let again = false;  // Edited while it ran.
  let resting;
  let typed = 0;  // When the code was last changed.
  let hurry = false;  // A reader asked for the results while errors were held back.
  let wake = null;  // Ends that pause.

  const changedCells = () => [...edited].filter((cell) => cell.changed());
  const edits = () => Object.fromEntries(changedCells().map((cell) => [cells.indexOf(cell), cell.text()]));
  const keep = () => {
    const kept = changedCells().map((cell) => [cells.indexOf(cell), cell.original, cell.text()]);
    try {
      if (kept.length) sessionStorage.setItem(store, JSON.stringify(kept));
      else [store, `${store}:found`].forEach((name) => sessionStorage.removeItem(name));
    } catch { /* Where nothing may be kept, edits last as long as the page. */ }
    reset.hidden = !cells.some((cell) => cell?.editing() || cell?.changed());
  };
  // What the last run has found for these edits, in this version of the site: shown again after a reload.
  const version = (code) => JSON.stringify([VAULTKIT_ENGINE.bundle.address, code]);
  const remember = (code, messages, seconds) => {
    try {
      sessionStorage.setItem(`${store}:found`, JSON.stringify({ of: version(code), messages, seconds }));
    } catch { /* Without room for it, a reader has to run the page again. */ }
  };
  const remembered = () => {
    try {
      const kept = JSON.parse(sessionStorage.getItem(`${store}:found`));
      return kept?.of === version(edits()) ? kept : null;
    } catch {
      return null;
    }
  };
  // What was found is on the page only after a run.
  let on;
  const clear = () => {
    on?.clear();
    cells.forEach((cell) => cell?.say(""));
  };

  /* Where Python is there or starts again, an edit needs no button: everything below it follows. */
  const follow = (cell) => {
    edited.delete(cell);
    edited.add(cell);
    keep();
    typed = performance.now();
    clearTimeout(resting);
    if (engine.ready) resting = setTimeout(() => run(cell, true), REST);
  };

  /* Waits until code has rested, or is left, or is run. */
  const pause = async (cell) => {
    const left = () => typed + PAUSE - performance.now();
    while (left() > 0 && cell?.typing() && !again && !hurry) {
      await new Promise((resolve) => {
        wake = resolve;
        setTimeout(resolve, left());
      });
    }
    wake = null;
  };

  /* Runs the page. After an edit, a block's result is replaced when it has run; all else at the end, so that
  nothing on the page jumps meanwhile. `kept` is what a run has found before a reload: it is only shown again. */
  const run = async (asker, follows = false, kept = null) => {
    clearTimeout(resting);
    if (!box.isConnected) return;
    if (busy) {
      again ||= follows || Boolean(asker?.changed());
      hurry ||= !follows;
      wake?.();
      return;
    }
    busy = true;
    again = false;
    const patient = follows && !hurry;
    hurry = false;
    let broken = false;
    const code = edits();
    const last = changedCells().at(-1);  // What all edits change is counted there.
    const found = [];
    const lost = [];
    const messages = [];
    const outputs = new Map();
    const drawn = new Map();
    const late = [];
    const showLate = () => {
      if (follows) clear();
      for (const [check, places] of late) {
        if (!on.mark(check, places) && check.outcome === "fails") lost.push(check);
      }
    };
    // A run that takes longer shows that it can be stopped, and when it will be.
    let limit = 0;
    const tellLimit = () => (current ?? asker)?.running(true, limit);
    let slow = follows ? setTimeout(tellLimit, GIVES_IN) : 0;
    if (!follows) clear();
    if (!kept) {
      view.busy(true);
      view.loading(asker);
    }
    let current;
    try {
      if (!engine.loaded && !kept) asker?.loading();
      const { changed, compare, counterpart, experiment, ledger, number, outcomeOf, plain, resultsOn, time, totals } = await (kept ? results() : withPython());
      on ??= resultsOn({ article, parts, cells });
      if (!kept) view.loaded();
      if (!box.isConnected) return;
      asker?.say("");
      view.say("Checking …");
      const built = await ledger(name);
      const report = ({ block, limit: allowed, figure, svg, error, check: result, places }) => {
        if (figure) {
          drawn.set(figure, { svg, error });
          return;
        }
        if (block !== undefined) {
          limit = allowed;
          if (follows) return;
          clearTimeout(slow);
          current?.running(false);
          current = cells[block];
          current?.running(true);
          slow = setTimeout(tellLimit, GIVES_IN);
          return;
        }
        const check = { ...result, outcome: outcomeOf(result, code, built, found), was: counterpart(result, built), edited: Boolean(last) };
        found.push(check);
        broken ||= check.kind === "block" && check.outcome === "fails";
        if (check.outcome === "changed" && check.kind === "block") outputs.set(places[0], check.fix.output);
        if (follows) {
          late.push([check, places]);
          if (check.kind === "block" && !again && !(broken && patient)) on.preview(check, places);
        } else if (!on.mark(check, places) && check.outcome === "fails") lost.push(check);
      };
      const seconds = kept?.seconds ?? await engine.check(name, code, (message) => {
        if (message.block === undefined) messages.push(message);
        report(message);
      });
      kept?.messages.forEach(report);
      if (broken && patient) {
        // Half a word is an error that nobody wants to read. Until then the last results stay.
        clearTimeout(slow);
        asker?.running(false);
        view.busy(false);
        await pause(asker);
      }
      // These are the results of other code.
      if (again || JSON.stringify(code) !== JSON.stringify(edits())) return;
      showLate();
      on.renew(outputs, code);
      on.redraw(drawn, outputs);
      // Who runs a block as it is published wants to see what it shows, also where a question folds it.
      if (!last && !follows) asker?.unfold();
      const fails = found.some((check) => check.outcome === "fails");
      const kinds = on.kinds();
      if (!kept) article.querySelector(".vk-checked--unchecked")?.remove();
      if (last && !kept) remember(code, messages, seconds);
      if (last) view.tell(experiment(found, kinds, seconds));
      else {
        view.say(`${fails ? "✗" : "✓"} ${totals(found)}, in ${time(seconds)}. ${compare(found, built)}`, fails ? "fails" : "holds");
      }
      for (const check of lost) {
        box.append(element("div", { class: "vk-why", role: "note" },
          element("p", {}, `${check.what}: ${plain(check)}`)));
      }
      if (last) {
        const first = on.stepFrom(last);
        if (first && !article.querySelector(".vk-why")) view.said.append(" ", button("Show the first", first, "vk-why__next"));
        // Also if its own output is the same, the summary at the block is about changes.
        if (last.part.dataset.outcome === "holds" && kinds.length) last.part.dataset.outcome = "changed";
        if (last.part.dataset.outcome !== "fails") last.say(...inRed(...changed(found, kinds)));
      }
      number(article, view.said);
    } catch (error) {
      // What was shown before belongs to other code.
      if (!again) showLate();
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
      else hurry = false;
    }
  };

  const known = async () => {
    const { ledger, totals } = await results().catch(() => ({}));
    const found = await ledger?.(name);
    return found ? `The build has found: ${totals(found)}.` : "";
  };
  const view = panel(box, NOTE, () => run(), known);
  const reset = button("Reset the page", () => {
    clearTimeout(resting);
    again = false;
    if (busy && !wake) engine.stop("Stopped.");  // nothing runs in a pause
    swap(reset, box.querySelector(".vk-run__start"), () => {
      cells.forEach((cell) => cell?.restore());
      clear();
      keep();
    });
    view.say("The page is back to its published state.");
  }, "md-button vk-run__reset");
  reset.hidden = true;
  box.querySelector(".vk-run__acts").append(reset);

  for (const [place, part] of parts) {
    if (!place.startsWith("block-") || part.matches(".no-run")) continue;
    cells[Number(place.slice(6))] = cellOf(part, {
      run, follow, keep, left: () => wake?.(), reset: () => reset.click(),
      colour: (code) => results().then((shown) => shown.colour(article, code), () => {}),
    });
  }
  try {
    for (const [index, original, code] of JSON.parse(sessionStorage.getItem(store) ?? "[]")) {
      if (cells[index]?.original !== original) continue;
      edited.add(cells[index]);
      cells[index].edit(code);
    }
  } catch { /* Nothing was kept, or nothing that can be read. */ }
  keep();
  const kept = changedCells().length && remembered();
  if (kept) run(changedCells().at(-1), false, kept);
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
      const { count, differences, ledger, time, totals } = await withPython();
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
        else {
          unchecked += 1;
          row.querySelector("td[colspan]")?.replaceChildren("checked in this browser");
        }
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
    "old ones; a law that no longer holds turns red and says why; and ",
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
