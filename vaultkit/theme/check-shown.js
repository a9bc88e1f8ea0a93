/* Shows on a page what its checks have found: marks, boxes, new outputs and figures. Loaded when a reader runs
a page; the scripts `RESULTS` of `site/assets.py` are published as one module. */

const { address, button, element } = globalThis.vaultkitPython;

const FOLLOWS = "p, li, h1, h2, h3, h4, h5, h6, summary, table, figure, .vk-math--display";
const RANK = { holds: 0, excepted: 1, unjudged: 2, changed: 3, fails: 4 };
// The numbers of a text, with either minus sign.
const NUMBERS = /[-−]?(?<![\w.])\d+(?:,\d{3})*(?:\.\d*)?(?:e[-+]?\d+)?/g;
const numbersIn = (words) => (words.match(NUMBERS) ?? []).map((text) =>
  ({ text, value: Number(text.replaceAll(",", "").replace("−", "-")) }));
// An output in pieces, of which each second one is a word. The commas of 1,024 are within a word.
const piecesOf = (text) => text.split(/((?:(?<=\d),(?=\d{3}(?!\d))|[^\s,;=()[\]{}])+)/);
const wordsOf = (text) => piecesOf(text).filter((_, at) => at % 2);
/* Where the lines of an output begin among the lines of another one that have as many words each: above added lines,
or below them. It is -1 where they are not there, or where an added line may be a row of a table among them. */
const linesWithin = (old, lines) => {
  const [before, after] = [old, lines].map((all) => all.map((line) => wordsOf(line).length));
  const added = after.length - before.length;
  if (added < 0 || before.at(-1) === after[before.length]) return -1;
  return [0, added].find((from) => before.every((many, at) => many === after[from + at])) ?? -1;
};
const decimals = (text) => text.split(".")[1]?.length ?? 0;
const isRounded = ({ text, value }, other) =>
  Math.abs(value - other) <= .5 / 10 ** decimals(text) * (1 + 1e-9);
/* Writes a value in the form of another number, with more decimals if these are needed for two digits that count
(three of a whole number). */
const MORE = 6;
const written = (value, like) => {
  if (!Number.isFinite(value)) return String(value);
  const inDecimals = (many) => Math.abs(value).toLocaleString("en",
    { minimumFractionDigits: many, maximumFractionDigits: many, useGrouping: like.includes(",") });
  const number = (text) => Number(text.replaceAll(",", ""));
  const least = decimals(like);
  const exact = inDecimals(least + MORE);
  const tells = (text) => number(text) === number(exact)
    || text.replace(/[.,]/g, "").replace(/^0+/, "").length >= (least ? 2 : 3);
  const text = [...Array(MORE).keys()].map((more) => inDecimals(least + more)).find(tells) ?? exact;
  return (value < 0 && /[1-9]/.test(text) ? "−" : "") + text;
};
/* Where a word begins for the last time in a text. */
const lastOf = (text, word) => {
  for (let at = text.lastIndexOf(word); at >= 0; at = at ? text.lastIndexOf(word, at - 1) : -1) {
    if (!/[\w.−]/.test(text[at - 1] ?? "") && !/\w/.test(text[at + word.length] ?? "")) return at;
  }
  return -1;
};
/* The new value of a number, or of a formula that ends in one. */
const valueIn = ({ kind, what, why = "" }) => {
  const [, value] = (kind === "number" && /^\S+: \S+ is (-?\d[\d.]*)$/.exec(why)) || [];
  if (value) return written(Number(value), what);
  const last = kind === "equation" && /(?:=|\\approx)\s*(-?\d[\d.]*)\s*$/.exec(what)?.[1];
  const [, left, right] = /^\s*left (\S+), right (\S+);/m.exec(why) ?? [];
  return last && Number(last) === Number(right) && Number.isFinite(Number(left)) ? written(Number(left), last) : "";
};
const LONG = 60;  // characters of a value that is too long to tell anything
/* What a reader is told about a statement that does not hold for the numbers of an edit, in texts and elements:
what the page checks, and what is found now. Empty if that is not known. */
const toldOf = (check) => {
  const { kind, what, values = [], was } = check;
  if (kind === "sentence") {
    const [[code, now] = []] = values;
    const [[, before] = []] = was?.values ?? [];
    if (!code) {
      const [, failed] = /: (.+?) cannot be evaluated: /.exec(check.why) ?? [];
      return failed ? [`The page checks “${what}” on `, element("code", {}, failed), ", which cannot be computed with your edit."] : [];
    }
    const isShort = (text) => text && text.length <= LONG && !["True", "False"].includes(text);
    const ends = now === "False" || !now ? "this is not so" : isShort(now) ? `it is ${now}` : "it is another value";
    return [`The page checks “${what}” on `, element("code", {}, code), isShort(before) ? ` (${before})` : "",
      `. With your edit ${ends}.`];
  }
  const [why] = plain(check).split("\n");
  if (kind === "equation") {
    const sides = sidesOf(reasonOf(check));
    const [left, right] = [sides?.left, sides?.right].map((side) => (side === "nan" ? "undefined" : side));
    if (sides?.areNumbers) return [`With your edit, the left side of this formula is ${left}, and its right side is ${right}.`];
    if (sides) return [`With your edit, ${sides.differ.replace("its", "the")}.`];
    return [`With your edit, this formula ${why.charAt(0).toLowerCase()}${why.slice(1)}`];
  }
  if (kind !== "shape") return [];
  return [`The page says “${what}”. With your edit, ${why.startsWith(`${what}: `) ? why.slice(what.length + 2) : why}.`];
};
/* Why a name of a statement has no value; empty if that is not why it is not judged. */
const lacking = ({ reason, why }) => (reason === "unbound"
  && /(?:\w+ has no value here: |no code of this note defines )[^:]*$/.exec(why)?.[0].replace("of this note", "of this page")) || "";
const NAMED = { number: "number", equation: "formula", shape: "size" };

/* The functions that change the page of a note: `parts` are its elements by their names, `cells` its blocks. */
const resultsOn = ({ article, parts, cells }) => {
  // What is laid out only near the screen (`devices.css`) is cut at its edges, and so are the buttons beside a
  // block. A box that is inserted above a block would make it such a part.
  document.documentElement.classList.add("vk-whole");
  let changes = [];  // What an edit has changed: its kind, and the element that shows it.
  const words = new Map();  // By the element of a statement, what a reader is told: the check, and the words.
  const boxes = new Map();  // By a paragraph, the box below it with what is told of its statements.
  let steps = null;  // The control that leads from one to the next.
  const clear = () => {
    changes = [];
    words.clear();
    boxes.clear();
    steps?.remove();
    article.querySelectorAll(".vk-pair").forEach((pair) => pair.replaceWith(pair.firstElementChild.lastElementChild));
    article.querySelectorAll(".vk-why, .vk-now").forEach((told) => {
      const around = told.parentElement;
      told.remove();
      if (told.matches("ins")) around.normalize();
    });
    article.querySelectorAll("[data-published]").forEach((output) => output.removeAttribute("data-published"));
    article.querySelectorAll("[data-outcome]").forEach((part) => {
      for (const name of ["data-outcome", "data-now", "data-new", "aria-describedby"]) part.removeAttribute(name);
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

  const explain = (part, text, output, subject = []) => {
    const id = `vk-why-${article.querySelectorAll(".vk-why").length + 1}`;
    const [first, ...rest] = text.split("\n");
    const why = element("div", { class: "vk-why", id, role: "note" }, element("p", {}, ...subject, first));
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

  /* Names a formula: what is within a sentence is repeated, another one is named by its section. */
  const subjectOf = (formula) => {
    if (formula.matches(".vk-math--display")) {
      const above = [...article.querySelectorAll("h1, h2, h3")].filter((heading) =>
        heading.compareDocumentPosition(formula) & Node.DOCUMENT_POSITION_FOLLOWING).at(-1)?.cloneNode(true);
      above?.querySelector(".headerlink")?.remove();
      return [above ? `The formula in “${above.textContent.trim()}” ` : "This formula "];
    }
    const copy = (formula.querySelector("math") ?? formula).cloneNode(true);
    copy.removeAttribute("data-check");
    return [copy, " "];
  };

  /* Shows the output of edited code below the output of the page, in the same form. What differs is marked. */
  const compared = (part, output) => {
    const published = outputOf(part);
    const old = printed(published).trimEnd().split("\n");
    const lines = output.trimEnd().split("\n");
    const from = linesWithin(old, lines);
    const code = (...content) => element("pre", { tabindex: "0" }, ...content);
    let told = [code(output || "(nothing)")];
    if (output && from >= 0) {
      const words = wordsOf(old.join("\n"));
      const shown = piecesOf(lines.slice(from, from + old.length).join("\n")).map((piece, at) =>
        (at % 2 && words[(at - 1) / 2] !== piece ? element("mark", {}, piece) : piece));
      const added = [lines.slice(0, from), lines.slice(from + old.length)].map((all) => all.map((line) => `${line}\n`).join(""));
      if (published?.querySelector("table")) {
        const [above, beneath] = added.map((text) => (text ? [code(text)] : []));
        told = [...above, ...inTables(published, shown), ...beneath];
      } else told = [code(added[0], ...shown, `\n${added[1]}`)];
    }
    const box = element("div", { class: "vk-now", role: "note" }, element("p", {}, "With your edit"), ...told);
    below(part, box);
    changes.push(["output", box]);
  };
  /* The parts of an output with the words of another one, of which there are as many. `shown` has a word at each
  odd place, and between two parts a line ends. */
  const inTables = (published, shown) => {
    let at = 0;
    const take = (text) => {
      const words = wordsOf(text).length;
      const taken = shown.slice(at + 1, at + 2 * words);
      at += 2 * words;
      return taken;
    };
    return [...published.querySelectorAll("pre > code, table")].map((part) => {
      if (part.matches("code")) {
        const begin = shown[at].split("\n").at(-1);
        const words = take(part.textContent);
        return element("pre", { tabindex: "0" }, begin, ...words, shown[at].split("\n")[0]);
      }
      const table = part.cloneNode(true);
      // What has not changed stays as it is set: a symbol may be set as mathematics. In some cells are words that
      // the head of the column shows.
      for (const cell of table.querySelectorAll(":is(th, td):not(:has(> .vk-own)), caption, .vk-said, .vk-own")) {
        // A colon behind a word or value is a part of it.
        const text = cell.textContent.replace(/^:/, "");
        const pieces = piecesOf(text);
        const words = take(text);
        // The brackets of an array are around its words.
        if (words.some((word) => word instanceof Element)) {
          (cell.querySelector("code") ?? cell).replaceChildren(pieces[0], ...words, pieces.at(-1));
        }
      }
      return element("div", { class: "vk-values__box" }, table);
    });
  };

  /* Writes a new value behind a number. */
  const insert = (after, now) => {
    const shown = element("ins", { class: "vk-now" }, `\u00a0→\u00a0${now}`);
    after.after(shown);
    changes.push(["number", shown]);
  };
  const isNow = (part, now) => {
    part.dataset.outcome = "changed";
    const old = part.matches(".vk-math") ? "" : `, ${part.textContent.trim()} without it`;
    part.dataset.now = `${now} with your edit${old}`;
    part.dataset.new = now;
    insert(part, now);
  };

  /* Shows the values of the numbers that a comment binds: the last one is `part`, the others are ahead of it. */
  const showBound = (part, values) => {
    const [last, now] = values.at(-1);
    if (part.textContent.trim() !== last) return;
    if (last !== now) isNow(part, now);
    else ["data-outcome", "data-now"].forEach((name) => part.removeAttribute(name));
    const walker = document.createTreeWalker(part.closest("tr, p, li, figcaption") ?? part.parentElement, NodeFilter.SHOW_TEXT);
    const ahead = [];
    for (let node = walker.nextNode(); node && !part.contains(node); node = walker.nextNode()) ahead.push(node);
    const left = values.slice(0, -1);
    for (const node of ahead.reverse()) {
      let end = node.length;
      while (left.length && !node.parentElement.closest("code, math, ins")) {
        const [old, new_] = left.at(-1);
        end = lastOf(node.data.slice(0, end), old);
        if (end < 0) break;
        left.pop();
        if (old === new_) continue;
        node.splitText(end + old.length);
        insert(node, new_);
      }
    }
  };

  /* Says that the number of a sentence stays. It is that of the last case of a loop, and the sentence is about all
  cases: with the new number it might be false. */
  const keepBound = (part, values) => {
    if (part.textContent.trim() !== values.at(-1)[0]) return;
    part.dataset.now = "as before your edit, which changes the cases of the loop";
    part.dataset.new = "";
    part.after(element("ins", { class: "vk-now" }, " (as before your edit)"));
  };

  /* The numbers of an output or block, before and after the edit. */
  const numbersOf = (place, outputs, edited) => {
    const [, kind, index] = /^(output|block)-(\d+)$/.exec(place) ?? [];
    const after = kind === "output" ? outputs.get(`block-${index}`) : edited[index];
    if (after === undefined) return null;
    const before = kind === "output" ? printed(parts.get(place)) : cells[index]?.original ?? "";
    const both = [before, after].map(numbersIn);
    return both[0].length === both[1].length ? both : null;
  };
  /* What a number of the text is with the edit, as its source tells: the same place of the same output or code.
  Null if that is not known. `at` is its place in a row of numbers that the text gives one by one. */
  const became = (part, { place, text }, at, both) => {
    const own = numbersIn(part.textContent);
    const row = numbersIn(text.replaceAll(", ", " "));
    if (!own.length || !row.length) return null;
    const [before, after] = both;
    const percent = part.textContent.includes("%");
    const found = new Set();
    before.forEach((_, start) => {
      if (!row.every((one, by) => before[start + by]?.value === one.value)) return;
      const begins = own.length > 1 ? [0] : at === null ? row.keys() : [at];
      for (const by of begins) {
        const scale = [1, 100].slice(0, percent ? 2 : 1).find((factor) =>
          own.every((one, by_) => row[by + by_] && isRounded(one, factor * row[by + by_].value)));
        if (!scale) continue;
        let which = 0;
        found.add(part.textContent.trim().replace(NUMBERS, (old) => {
          const [was, is] = [before, after].map((all) => all[start + by + which].value);
          which += 1;
          return was === is ? old : written(scale * is, old);
        }));
      }
    });
    return found.size === 1 ? [...found][0] : null;
  };

  /* Writes the new value behind each number whose source has changed. A number that would be found on any page,
  such as 10, changes only if the page has it no longer. */
  const renew = (outputs, edited) => {
    const numbers = [...article.querySelectorAll("span[data-check^=number]")]
      .map((part) => ({ part, source: globalThis.VAULTKIT_SOURCE?.(part) }));
    numbers.forEach(({ part, source }, index) => {
      const both = source && numbersOf(source.place, outputs, edited);
      if (!both || part.querySelector("ins, [data-new]") || part.closest("[data-new]")) return;
      const row = numbersIn(source.text.replaceAll(", ", " "));
      const isSame = ({ source: other }) => other?.place === source.place && other.text === source.text;
      let [first, last] = [index, index];
      while (first && isSame(numbers[first - 1])) first -= 1;
      while (numbers[last + 1] && isSame(numbers[last + 1])) last += 1;
      const now = became(part, source, (last - first + 1) % row.length ? null : (index - first) % row.length, both);
      const isTelling = row.length > 1 || part.textContent.replace(/\D/g, "").length > 2;
      if (now === null || !(isTelling || part.dataset.outcome === "changed")) return;
      if (now !== part.textContent.trim()) isNow(part, now);
      else if (part.dataset.outcome === "changed") delete part.dataset.outcome;
    });
    for (const part of article.querySelectorAll("[data-outcome=changed]:not(.highlight, [data-new], [data-check^=prediction])")) {
      const isShown = part.matches("svg, img, [data-says]") || part.querySelector("ins, [data-new]");
      if (isShown || part.parentElement.closest("[data-new]")) delete part.dataset.outcome;
      else tellFound(part);
    }
    for (const [index, code] of Object.entries(edited)) tellUnchanged(cells[index], code);
  };

  const isDigit = (value) => Number.isInteger(value) && Math.abs(value) < 10;
  const sectionOf = (part) => [...article.querySelectorAll("h2, h3")].findLast((heading) =>
    heading.compareDocumentPosition(part) & Node.DOCUMENT_POSITION_FOLLOWING);
  /* Says behind a number that no check compares, and that edited code no longer has, that it is not renewed: in
  sentences with another number of that line; in the section of the block, also alone if it is no digit. */
  const tellUnchanged = ({ original, part }, code) => {
    const [before, after] = [original, code].map((text) => text.split("\n").map((line) => numbersIn(line).map(({ value }) => value)));
    if (before.length !== after.length) return;
    const gone = before.flatMap((line, at) => line.filter((value) => !after[at].includes(value)).map((value) => ({ value, line })));
    if (!gone.length) return;
    const section = sectionOf(part);
    for (const box of article.querySelectorAll("p, li, figcaption")) {
      if (box.closest(".vk-now, .vk-why, .vk-run, .touch, .vk-checked, .vk-predict") || box.querySelector("p, li")) continue;
      const said = textsOf(box).flatMap((node) => numbersIn(node.data)).map(({ value }) => value);
      const from = gone.filter(({ value, line }) => {
        if (!said.includes(value)) return false;
        const others = line.filter((other) => other !== value && ![0, 1].includes(other) && said.includes(other));
        if (sectionOf(box) === section) return !isDigit(value) || others.length > 0;
        return others.length > 0 && !isOfAnother(box, part, [value, ...others]);
      });
      if (from.length) markUnchanged(box, from.map(({ value }) => value));
    }
  };
  /* Whether a line of another block in the section of a text has the same numbers. */
  const isOfAnother = (box, part, values) => cells.some((cell) => cell && cell.part !== part && sectionOf(cell.part) === sectionOf(box)
    && cell.text().split("\n").some((line) => values.every((value) => numbersIn(line).some((one) => one.value === value))));
  /* The texts of a paragraph, without those of a drawing. */
  const textsOf = (box) => {
    const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
    const nodes = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) if (!node.parentElement.closest("svg")) nodes.push(node);
    return nodes;
  };
  const markUnchanged = (box, values) => {
    for (const node of textsOf(box)) {
      if (node.parentElement.closest("code, math, ins, [data-check^=number], [data-check^=sentence]:not(p, li, figcaption)")) continue;
      // Its new value may be behind it.
      const isRenewed = ({ 0: text, index }) => index + text.length === node.length && node.nextSibling?.nodeName === "INS";
      const found = [...node.data.matchAll(NUMBERS)].find((one) => values.includes(numbersIn(one[0])[0].value) && !isRenewed(one));
      if (!found) continue;
      node.splitText(found.index + found[0].replace(/\.$/, "").length);
      node.after(element("ins", { class: "vk-now" }, " (as before your edit)"));
      return;
    }
  };

  /* Says below the paragraph of a statement what is found with the edit; of several that the page checks on the same
  code, once. */
  const tellFound = (part) => {
    const { check, told = [] } = words.get(part) ?? {};
    if (!told.length) {
      changes.push(["statement", part]);
      return;
    }
    const code = check?.values?.[0]?.[0] ?? told;
    if ([...boxes.values()].some(({ codes }) => codes.has(code))) return;
    const host = part.closest(FOLLOWS) ?? part;
    if (!boxes.has(host)) {
      const box = element("div", { class: "vk-now vk-found", role: "note" });
      below(part, box);
      boxes.set(host, { box, codes: new Set() });
    }
    const { box, codes } = boxes.get(host);
    codes.add(code);
    box.append(element("p", {}, ...told));
    changes.push(["example", box]);
  };

  const mark = (check, places) => {
    let seen = false;
    const told = check.outcome === "changed" ? toldOf(check) : [];
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
        } else if (/^Does not hold/.test(plain(check))) {
          explain(part, plain(check).replace("D", "d"), undefined, subjectOf(part));
        } else explain(part, plain(check));
        part.dataset.now = `Does not ${cell ? "run" : "hold"}; the reason is below`;
        if (cell) {
          outputOf(part)?.setAttribute("data-published", "");
          cell.say("✗ see below");
        }
      } else if (check.outcome === "unjudged") {
        const runs = cells.every((other) => other?.part.dataset.outcome !== "fails");
        const sizes = runs && unfit(check);
        part.dataset.now = sizes || `Not judged with your edit: ${lacking(check) || "an earlier block does not run"}`;
        if (sizes) {
          const box = element("p", { class: "vk-now", role: "note" }, sizes);
          below(part, box);
          changes.push(["unjudged", box]);
        }
        cell?.say("not judged: an earlier block does not run");
      } else if (check.outcome === "changed") {
        if (check.kind === "block") {
          compared(part, check.fix.output);
          cell?.say("the output has changed");
        } else {
          words.set(part, { check, told });
          part.dataset.now = told.map((one) => one.textContent ?? one).join("")
            || `This ${NAMED[check.kind] ?? "statement"} belongs to the page without your edit`;
          const now = valueIn(check);
          // A number that a comment binds has two names; the element of the second one is inside that of the first.
          if (check.now && place !== places.at(-1)) delete part.dataset.outcome;
          else if (check.of_cases && part.closest("p, li, figcaption")) keepBound(part, check.now);
          else if (check.now) showBound(part, check.now);
          else if (now) isNow(part, now);
        }
      } else if (check.outcome === "excepted" && check.reason === "lacks") {
        explain(part, `Not judged here: it ${check.why}.`);
        cell?.say("not judged here");
      } else if (check.edited && ["equation", "shape"].includes(check.kind) && part.dataset.outcome === "holds") {
        part.dataset.now = "Holds with your edit, too";
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
    if (part) outputOf(part)?.removeAttribute("data-published");
    mark(check, places);
  };

  /* Shows each figure as it is with the edit, below the published one. `drawn` are those that are functions
  of the page's variables; if the page shows one drawing twice, both show the later result. */
  const redraw = (drawn, outputs) => {
    const tell = (box, text) => below(box, element("p", { class: "vk-now", role: "note" }, text));
    for (const box of article.querySelectorAll(".vk-figure-box, img[data-check]")) {
      const file = box.getAttribute("src")?.split("/").pop();
      const now = drawn.get(box.dataset.figure ?? decodeURIComponent(file));
      if (now?.svg) {
        const host = box.closest("figure") ?? box;
        const old = element("div", {}, element("p", {}, "On the page"));
        const svg = drawing(now.svg);
        const told = compareDrawings(box.querySelector("svg"), svg);
        const pair = element("div", { class: "vk-pair" }, old, element("div", { class: "vk-now", role: "note" },
          element("p", {}, `With your edit${told && `. ${told}`}`), element("figure", {}, element("span", { class: "vk-figure-box" }, svg))));
        host.before(pair);
        changes.push(["figure", pair.lastElementChild]);
        old.append(host);
      } else if (now?.error) tell(box, `With your edit, this figure cannot be drawn: ${now.error}`);
      else if (!now && outputs.size && box.matches("img")) {
        tell(box, "This figure is the published one, without your edit.");
      } else if (!now && outputs.size && /\d/.test(box.textContent)) {
        tell(box, "This figure shows the original numbers, without your edit.");
      }
    }
  };

  /* Adds a control that leads through all changes to the buttons of a block. */
  const stepFrom = (cell) => {
    steps?.remove();
    steps = null;
    if (!changes.length) return null;
    const places = [...changes.map(([, part]) => part), ...article.querySelectorAll(".vk-why")]
      .sort((one, other) => (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
    steps = stepsOf(cell.part, places);
    return steps.first;
  };
  const kinds = () => changes.map(([kind]) => kind);
  return { clear, kinds, mark, preview, renew, redraw, stepFrom };
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
/* Scrolls to a part; a question that is not answered keeps its fold. */
const reach = (part) => {
  const asked = part.closest("details[data-folds]");
  if (asked) return reach(asked.querySelector("summary"));
  for (let box = part.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  // What a question folds is below its fold, or within the question.
  let shown = part;
  while (!shown.getClientRects().length) shown = (shown.matches(".vk-now") && shown.previousElementSibling) || shown.parentElement;
  shown.scrollIntoView({ block: "center" });
  return shown;
};
const show = (part) => {
  const shown = reach(part);
  if (!shown.matches("[tabindex], summary")) shown.tabIndex = -1;
  shown.focus({ preventScroll: true });
};


export { changed, colour, compare, counterpart, differences, experiment, ledger, number, outcomeOf, plain, resultsOn, time, totals, count };
