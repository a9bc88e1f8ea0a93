/* The trained decoder: type a beginning, see the next word, which words each head reads, and what
   happens without a head. The drawing stays where it is, and its bars move. */
import { choiceOf, make, num, part, set, starting, touch } from "./controls.js";
import { next_token_probabilities, unpack_weights } from "./decoder.js";
import { largest, percent, quoted, toggle } from "./heads-view.js";

const LEAST = 0.0005; // of a listed word: less is shown as 0.0 %
const ROOM = 466; // for the words of a story, in the units of the drawing
const [BLOCKS, HEADS] = [2, 2];

const named = ([block, head]) => `${block + 1}.${head + 1}`;
const listed = (names) => [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(" and ");

export const mount = (figure) => {
  const { beginnings, after, names, kinds, vocabulary, end, plot } = starting(figure);
  const [titles, rows, words, bars, shares] = ["beginning", "row", "word", "bar", "share"].map((name) => part(figure, name));
  const count = rows.length / titles.length;
  const caption = figure.querySelector("figcaption"); // describes what was recorded
  const split = (text) => text.split(" ").filter(Boolean);
  let packed = null;
  let weights = null;
  let coming = null;
  let failed = false;

  /* The weights of the model come when something else than a recorded beginning is asked for. */
  const fetched = async () => {
    try {
      ({ default: packed } = await import("./decoder-weights.js"));
      weights = unpack_weights(packed);
    } catch {
      failed = true;
    }
    coming = null;
    things.change({});
  };
  const load = () => (coming ??= fetched());
  const place = (word) => vocabulary.indexOf(word);
  const computed = (story, hidden) => {
    const { probabilities: p, maps } = next_token_probabilities(weights, [end, ...story].map(place), packed.num_heads, hidden);
    const order = p.map((_, i) => i).sort((a, b) => p[b] - p[a]).filter((i, at) => at === 0 || p[i] >= LEAST).slice(0, count);
    return {
      words: order.map((i) => vocabulary[i]), shares: order.map((i) => p[i]), read: maps.flat().map((rows_) => rows_.at(-1)),
      kinds: kinds.map((kind) => kind.reduce((sum, word) => sum + p[place(word)], 0)),
    };
  };
  const answer = (story, hidden) => {
    const recorded = hidden.length ? -1 : beginnings.indexOf(story.join(" "));
    return recorded < 0 ? computed(story, hidden) : after[recorded];
  };

  const paint = (chart, story, found) => {
    const kept = [...story];
    // A long story loses its first words.
    do titles[chart].textContent = `${kept.length < story.length ? "… " : ""}${kept.join(" ") || "A new story"} …`;
    while (titles[chart].getComputedTextLength() > ROOM && kept.shift());
    for (let i = 0; i < count; i += 1) {
      const at = chart * count + i;
      const there = i < found.words.length;
      rows[at].style.visibility = there ? "" : "hidden";
      if (!there) continue;
      words[at].textContent = found.words[i];
      shares[at].textContent = percent(found.shares[i]);
      set(bars[at], { width: num(Math.max(1.5, plot.length * found.shares[i])) });
    }
  };

  const things = touch(figure, { words: split(beginnings[0]), beginning: 0, hidden: [], problem: "" }, (state) => {
    problem.textContent = state.problem;
    if (!state.problem) field.value = "";
    if (failed) {
      failed = false;
      return `The model could not be loaded from ${new URL(import.meta.url).host}. Choose again to try again.`;
    }
    const recorded = !state.hidden.length && beginnings.includes(state.words.join(" "));
    if (!weights && !recorded) {
      load();
      return "The model is being loaded.";
    }
    if (caption) caption.style.visibility = recorded ? "" : "hidden";
    const found = answer(state.words, state.hidden);
    const other = split(beginnings[1 - state.beginning]);
    paint(0, state.words, found);
    paint(1, other, answer(other, state.hidden));
    offer(found.words);
    readings(state, found.read);
    const [first, second] = found.words;
    const hidden = all.filter(isHidden).map(named);
    const without = hidden.length
      ? ` ${hidden.length === 1 ? "Head" : "Heads"} ${listed(hidden)} ${hidden.length === 1 ? "is" : "are"} hidden.` : "";
    // Elsewhere both shares are nearly 0, and say nothing.
    const bank = state.words.slice(-2).join(" ") === "bank is"
      ? ` All words for the bank of a river together: ${percent(found.kinds[0])}; for a bank that keeps money: ${percent(found.kinds[1])}.` : "";
    const then = second ? `, then ${quoted(second)}, ${percent(found.shares[1])}` : "";
    return `Likeliest: ${quoted(first)}, ${percent(found.shares[0])}${then}.${bank}${without}`;
  });
  const change = (changes) => things.change({ problem: "", ...changes });

  const field = make("input", {
    type: "text", id: "next-word-field", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    "aria-describedby": "next-word-problem",
  });
  const problem = make("p", { class: "next__problem", id: "next-word-problem", role: "status" });
  const typed = make("form", { class: "next__typed" },
    make("label", { for: field.id }, "Add words"), field, make("button", { type: "submit", class: "touch__primary" }, "Add"));
  const add = async (...added) => {
    const unknown = added.find((word) => place(word) < 0);
    if (unknown) return change({ problem: `The model knows ${vocabulary.length - 1} words, and ${quoted(unknown)} is not one of them.` });
    if (added.includes(end)) return change({ problem: "Here the story ends." });
    if (!weights) await load();
    if (!weights) return;
    const most = packed.n_max - 1;
    if (things.state.words.length + added.length > most) change({ problem: `The model reads ${most} words at most.` });
    else if (added.length) change({ words: [...things.state.words, ...added] });
  };
  typed.addEventListener("submit", (event) => { event.preventDefault(); add(...split(field.value.trim().replace(/\s+/g, " "))); });
  const step = (title, changes, off) => {
    const button = make("button", { type: "button" }, title);
    button.addEventListener("click", () => change(changes(things.state)));
    things.follow(() => button.setAttribute("aria-disabled", off(things.state)));
    return button;
  };
  typed.append(make("span", { class: "touch__buttons next__back" },
    step("Take a word back", (state) => ({ words: state.words.slice(0, -1) }), (state) => !state.words.length),
    step("Clear", () => ({ words: [] }), (state) => !state.words.length)));

  const offers = Array.from({ length: count }, () => {
    const button = make("button", { type: "button" });
    button.addEventListener("click", () => add(button.textContent));
    return button;
  });
  const offer = (likely) => offers.forEach((button, i) => {
    button.hidden = i >= likely.length;
    button.textContent = likely[i] ?? "";
    button.setAttribute("aria-label", `Add ${likely[i]}`);
  });
  const offered = choiceOf(["Next word"], offers);
  offered.classList.add("next__offers");
  // A row of the drawing may be pressed, too.
  rows.slice(0, count).forEach((row, i) => row.addEventListener("click", () => add(words[i].textContent)));

  const known = make("details", { class: "next__known" },
    make("summary", {}, `The ${vocabulary.length - 1} words it knows`),
    make("div", { class: "next__choices" }, ...vocabulary.filter((word) => word !== end).map((word) => {
      const choice = make("button", { type: "button", "aria-label": `Add ${word}` }, word);
      choice.addEventListener("click", () => add(word));
      return choice;
    })));

  const isHidden = ([block, head]) => things.state.hidden.some(([b, h]) => b === block && h === head);
  const all = Array.from({ length: BLOCKS * HEADS }, (_, at) => [Math.floor(at / HEADS), at % HEADS]);
  const strips = [];
  const hiding = choiceOf(["Hide head"], all.map((each) => {
    const [block, head] = each;
    const button = toggle((pressed) => change({
      hidden: pressed ? [...things.state.hidden, each] : things.state.hidden.filter(([b, h]) => b !== block || h !== head),
    }));
    button.textContent = named(each);
    button.setAttribute("aria-label", `Hide head ${button.textContent}, head ${head + 1} of block ${block + 1}`);
    things.follow(() => button.setAttribute("aria-pressed", isHidden(each)));
    return button;
  }));

  const reader = make("span", {});
  const heads = make("div", { class: "next__heads" }, ...all.map(([block, head]) => {
    const strip = make("span", { class: "next__strip", role: "img" });
    strips.push(strip);
    return make("div", { class: "next__head" },
      make("span", { class: "next__name" }, `head ${named([block, head])}, in block ${block + 1}`), strip);
  }));
  const reading = make("details", { class: "next__known next__reading" }, make("summary", {}, reader), heads);
  const readings = (state, read) => {
    reader.textContent = state.words.length
      ? `What ${quoted(state.words.at(-1))}, the last word, reads (${end} is the end of the previous story)`
      : `${end} is the end of the previous story: a new story begins`;
    const tokens = [end, ...state.words];
    read.forEach((row, at) => {
      const most = largest(row);
      strips[at].classList.toggle("next__strip--hidden", isHidden(all[at]));
      strips[at].setAttribute("aria-label", `reads most from ${tokens[most]}, ${percent(row[most])}`);
      strips[at].replaceChildren(...row.map((weight, i) => {
        const token = make("span", {}, tokens[i]);
        token.style.setProperty("--share", weight);
        return token;
      }));
    });
  };

  things.add(typed, problem, known, offered);
  things.choice({
    label: "Beginning", options: names.map((name, i) => [String(i), name]),
    value: ({ words: story }) => String(beginnings.indexOf(story.join(" "))),
    input: (option) => ({ words: split(beginnings[option]), beginning: Number(option), problem: "" }),
  });
  things.add(hiding);
  things.ready();
  figure.querySelector(".touch__foot").before(reading);
};
