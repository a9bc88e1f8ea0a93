/* Asks before it shows: hides the output that answers a question, takes a prediction, judges it with
the checked values, and stores the result in the browser. Without scripts, the question is above the
visible output. */
(() => {
  "use strict";

  const LABELS = { number: "Number", row: "Row", shape: "Shape", line: "Line", output: "Output" };
  const { all, keep } = VAULTKIT_KEPT("predictions");

  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const button = (words, act) => {
    const made = element("button", { type: "button" }, words);
    made.addEventListener("click", act);
    return made;
  };
  const count = (number, one) => `${number} ${number === 1 ? one : `${one}s`}`;

  /* --- Stored answers, by note and by question: {tries, right, shown} ------------------------- */

  const record = (note, key, answer) => {
    const answers = all();
    answers[note] = { ...answers[note], [key]: answer };
    if (!answer) delete answers[note][key];
    keep(answers);
  };

  /* --- Parsing of answers ---------------------------------------------------------------------- */

  const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i;
  /* A word without marks around it: quotation marks, the period of a sentence. */
  const bare = (word) => word.replace(/^[“”‘’„«»`*_]+|[“”‘’«»`*_.!?]+$/g, "") || word;
  const token = (piece) => {
    if (NUMBER.test(piece)) return Number(piece);
    const [, above, below] = /^([-+]?[\d.]+)\/([\d.]+)$/.exec(piece) ?? [];
    return NUMBER.test(above) && NUMBER.test(below) ? above / below : bare(piece.toLowerCase());
  };
  const pieces = (text) => text.match(/[^\s,;:=%()[\]{}'"]+/g) ?? [];

  /* Parses an answer; null if it is not of the kind that is asked for. */
  const read = (part, typed) => {
    const text = typed.replace(/[−–]/g, "-").replace(/√/g, "sqrt").trim();
    if (part === "shape") {
      const plain = text.replace(/\bby\b|[x×*]/gi, ",").replace(/[()[\]\s]/g, ",");
      return /^[\d,]+$/.test(plain) ? (plain.match(/\d+/g) ?? []).map(Number) : null;
    }
    // Of a single number, a comma is that of thousands, or a decimal one.
    const joined = part === "number" ? text.replace(/(?<=[1-9]\d*)[\s,_](?=\d{3}(?!\d))/g, "").replace(/(?<=\d),(?=\d)/, ".") : text;
    const found = pieces(joined).map(token);
    return found.length ? found : null;
  };
  /* Leaves out the words between numbers, as in "n = 6 and m = 4"; signs stay. */
  const withoutWords = (given) => given.filter((one) => typeof one === "number" || !/^[\p{L}_≈]+$/u.test(one));

  const near = (right, given, slack) =>
    typeof right === "number" && typeof given === "number"
      ? Math.abs(right - given) <= slack * (1 + 1e-9) : bare(String(right)) === String(given);
  const agreeing = (right, given, slack) =>
    right.filter((own, at) => near(own, given[at], slack[at])).length;
  const same = (right, given, slack) =>
    right.length === given.length && agreeing(right, given, slack) === right.length;

  /* A hint at the form of an answer; how many digits count. */
  const form = ({ part, right, slack }) => {
    const decimals = Math.max(0, ...slack.filter((half) => half > 0 && half > 1e-8)
      .map((half) => Math.round(-Math.log10(2 * half))));
    const digits = decimals ? `${count(decimals, "decimal")}` : "";
    if (part === "shape") return "as 3 × 4 or (3, 4)";
    if (part === "number") return digits || "a whole number";
    if (right.every((own) => own === "true" || own === "false")) return "True or False";
    if (part === "row") return ["blanks or commas between", digits].filter(Boolean).join(", ");
    const numbers = right.filter((own) => typeof own === "number").length;
    if (!numbers) return right.length === 1 ? "one word; capitals do not matter" : `${count(right.length, "word")}; capitals do not matter`;
    return [numbers === right.length ? count(numbers, "number") : "", digits].filter(Boolean).join(", ");
  };
  const NOT = {
    number: "That is not a number.", shape: "That is not a shape: write it as 3 × 4 or (3, 4).",
    row: "Write the row with blanks or commas between.",
  };

  /* Describes how an unforeseen wrong answer differs from the right one. */
  const hint = ({ part, right, slack }, given) => {
    const names = { shape: "axis", row: "entry" }[part]
      ?? (right.every((own) => typeof own === "number") ? "number" : "word");
    const plural = { axis: "axes", entry: "entries", number: "numbers", word: "words" }[names];
    const many = (number) => `${number} ${number === 1 ? names : plural}`;
    if (part === "number") {
      const [own] = right;
      if (typeof own !== "number") return "";
      if (near(own, -given[0], slack[0])) return "The sign is the other way round.";
      if (Math.abs(own - given[0]) < 0.02 * Math.abs(own)) return "Close, but not to the digits asked for.";
      return given[0] > own ? "It is smaller." : "It is larger.";
    }
    if (right.length !== given.length) return `It has ${many(right.length)}; you gave ${given.length}.`;
    if (part === "shape" && same([...right].reverse(), given, slack)) return "The axes are the other way round.";
    const agree = agreeing(right, given, slack);
    return right.length > 1 ? `${agree} of ${many(right.length)} ${agree === 1 ? "agrees" : "agree"}.` : "";
  };

  /* --- Edits ----------------------------------------------------------------------------------- */

  const tokens = (box) => [...box.querySelectorAll("pre > code, table, .vk-now > pre")]
    .flatMap((part) => pieces(part.textContent)).map(token);
  /* The right answer where a reader's edit has changed the output: what is now at its place. Undefined if
  nothing has changed, null if the place is not known. */
  const rightNow = ({ right, slack }, output) => {
    let now = output.nextElementSibling;
    while (now?.matches(".vk-folded")) now = now.nextElementSibling;
    if (!now?.matches("div.vk-now")) return undefined;
    const [before, after] = [output, now].map(tokens);
    if (before.length !== after.length) return null;
    const places = before.map((_, at) => at).filter((at) => same(right, before.slice(at, at + right.length), slack));
    const found = places.map((at) => after.slice(at, at + right.length));
    return found.length && found.every((other) => String(other) === String(found[0])) ? found[0] : null;
  };

  /* --- A question ------------------------------------------------------------------------------ */

  const ask = (note, question) => {
    const find = (place) => document.querySelector(`.md-content [data-check="${place}"]`);
    const callout = find(question.place);
    const output = find(question.output);
    if (!callout || !output || callout.dataset.asked) return;
    callout.dataset.asked = "";
    const box = output.closest(".highlight") ?? output;
    // If the page already folds the answer, that fold is opened.
    const fold = output.closest("details");
    const others = [...callout.querySelectorAll("li")];
    const lists = new Set(others.map((other) => {
      const fold = other.closest("details");
      return fold && callout.contains(fold) ? fold : other.parentElement;
    }));
    let tries = 0;
    let asking = false; // Not yet: what was answered on another day is not unfolded unasked.

    const id = `vk-${question.place}`;
    const input = element("input", {
      type: "text", id, autocomplete: "off", autocapitalize: "off", spellcheck: "false",
      "aria-describedby": `${id}-form`,
    });
    const check = element("button", { type: "submit" }, "Check");
    const show = button("Show", () => reveal());
    const again = button("Try again", () => {
      record(note, question.key);
      tries = 0;
      input.value = "";
      say();
      open(false);
      input.focus();
    });
    const said = element("p", { class: "vk-predict__said", role: "status" });
    const asks = element("form", { class: "vk-predict" },
      element("p", {}, element("label", { for: id }, LABELS[question.part]), " ",
        element("span", { class: "vk-predict__form", id: `${id}-form` }, form(question))),
      input, check, show, again);
    const folded = element("div", { class: "vk-folded" },
      element("span", {}, "Folded until you predict it."),
      button("Show the output", () => reveal()));

    const say = (verdict = "", ...words) => {
      callout.dataset.predicted = verdict;
      said.replaceChildren(...words);
    };
    const open = (is) => {
      const held = folded.contains(document.activeElement) || asks.contains(document.activeElement);
      fold?.toggleAttribute("data-folds", !is);
      if (fold) fold.open = is && asking;
      else if (is) box.removeAttribute("hidden");
      // Some browsers' search also finds hidden text.
      else box.setAttribute("hidden", "until-found");
      folded.hidden = check.hidden = show.hidden = is;
      again.hidden = !is;
      input.readOnly = is;
      lists.forEach((list) => { list.hidden = !is; });
      if (is && held && document.activeElement !== input) again.focus({ preventScroll: true });
    };
    const done = (answer) => {
      open(true);
      if (!answer.right) say("shown", "– Looked up: the output stands below.");
      else if (answer.tries > 1) say("right", `✓ Right, at the ${ordinal(answer.tries)} attempt.`);
      else say("right", "✓ Right.");
    };
    const reveal = () => {
      const answer = { tries, shown: true };
      record(note, question.key, answer);
      done(answer);
    };
    const judge = () => {
      const right = rightNow(question, box);
      const isEdited = right !== undefined;
      const typed = read(question.part, input.value);
      const isNumber = (value) => typeof value === "number";
      const given = typed && question.right.every(isNumber) ? withoutWords(typed) : typed;
      // Words where numbers are asked for are not an attempt.
      const isAttempt = question.part === "number" ? given?.length === 1 && isNumber(given[0])
        : given && (given.some(isNumber) || !question.right.some(isNumber));
      if (!isAttempt) {
        say("none", input.value.trim() ? NOT[question.part] ?? "Write what the output says." : "Type what you expect.");
        return;
      }
      // Nor are too few or too many numbers, unless they are a usual wrong answer.
      const lengths = [right ?? question.right, ...question.wrong].map((row) => row.length);
      if (question.part !== "shape" && question.right.every(isNumber) && !lengths.includes(given.length)) {
        say("none", hint({ ...question, right: right ?? question.right }, given));
        return;
      }
      tries += 1;
      if (isEdited) {
        // It is no answer to the question of the page, and is not kept.
        const asked = { ...question, right: right ?? question.right };
        const about = right ? "" : " The question is about the published numbers, without your edit.";
        if (!same(asked.right, given, asked.slack)) say("wrong", "✗ No. ", hint(asked, given), about);
        else {
          open(true);
          say("right", right ? "✓ Right, with your edit." : "✓ Right, without your edit.");
        }
        return;
      }
      if (same(question.right, given, question.slack)) {
        const answer = { tries, right: true };
        record(note, question.key, answer);
        done(answer);
        return;
      }
      const at = question.wrong.findIndex((wrong) => same(wrong, given,
        wrong.length === question.slack.length ? question.slack : wrong.map(() => Math.min(...question.slack))));
      if (at >= 0) {
        const why = others[at].cloneNode(true);
        say("wrong", "✗ No. Your answer is the value of ", ...(why.querySelector(":scope > p") ?? why).childNodes);
      } else say("wrong", "✗ No. ", hint(question, given));
    };
    asks.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!input.readOnly) judge();
    });
    // The browser's search, or a link to hidden text.
    const seen = () => { if (!input.readOnly) reveal(); };
    box.addEventListener("beforematch", seen);
    // Running a block is no answer to its question.
    box.addEventListener("vk-ran", () => {
      if (input.readOnly) return;
      open(true);
      say("ran", "– The output is shown because you ran the block. ", again.textContent, " folds it and asks again.");
    });
    fold?.addEventListener("toggle", () => { if (fold.open) seen(); });

    const before = [...lists].find((list) => list.parentElement === callout);
    callout.insertBefore(asks, before ?? null);
    asks.after(said);
    if (!fold) box.after(folded);
    const answer = all()[note]?.[question.key];
    if (answer) done(answer);
    else open(false);
    asking = true;
  };
  const ordinal = (number) => ["", "first", "second", "third", "fourth", "fifth"][number] ?? `${number}th`;

  /* --- The page with all results ------------------------------------------------------------------ */

  const HEADS = ["At once", "Later", "Looked up"];
  const table = (box) => {
    const rows = [...box.querySelectorAll("tbody tr")];
    const asked = Number(box.dataset.asked);
    const said = element("p", { role: "status" });
    const reset = button("Forget all answers", () => {
      if (!confirm("Forget all your predictions in this browser?")) return;
      keep({});
      fill();
    });
    reset.className = "md-button";
    box.querySelector("thead tr").append(...HEADS.map((head) => element("th", { scope: "col" }, head)));
    rows.forEach((row) => row.append(...HEADS.map(() => element("td"))));
    box.prepend(said);
    box.append(reset);
    const fill = () => {
      const answers = all();
      const sums = [0, 0, 0];
      for (const row of rows) {
        const own = row.dataset.keys.split(" ").map((key) => answers[row.dataset.note]?.[key]).filter(Boolean);
        const counts = [
          own.filter((answer) => answer.right && answer.tries === 1).length,
          own.filter((answer) => answer.right && answer.tries > 1).length,
          own.filter((answer) => answer.shown).length,
        ];
        counts.forEach((number, at) => {
          sums[at] += number;
          row.cells[at + 2].textContent = number || "–";
        });
        row.dataset.done = own.length === Number(row.cells[1].textContent);
      }
      const answered = sums[0] + sums[1] + sums[2];
      said.textContent = answered
        ? `You have answered ${answered} of ${count(asked, "question")}: ${sums[0]} right at once, `
          + `${sums[1]} later, ${sums[2]} looked up.`
        : `You have answered none of ${count(asked, "question")} yet.`;
      reset.hidden = !answered;
    };
    fill();
  };

  const prepare = () => {
    const template = document.querySelector("template.vk-predictions");
    if (template) for (const one of JSON.parse(template.content.textContent)) ask(template.dataset.note, one);
    document.querySelectorAll(".vk-predicted:not([data-filled])").forEach((box) => {
      box.dataset.filled = "";
      table(box);
    });
  };
  // `document$` is Material's: it emits after every page that was loaded in place.
  if (typeof document$ === "undefined") prepare();
  else document$.subscribe(prepare);
})();
