/* The trained decoder: type a beginning, see the next word, which words each head reads, and what
   happens without a head. */
import { choiceOf, make, starting } from "./controls.js";
import { next_token_probabilities, unpack_weights } from "./decoder.js";
import { controls, largest, percent, quoted, radios, replace, toggle } from "./heads-view.js";

const MOST = 6; // words that are listed
const LEAST = 0.0005; // of a listed word: less is shown as 0.0 %
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

export const mount = async (figure) => {
  const { names, beginnings, kinds } = starting(figure);
  const { default: packed } = await import("./decoder-weights.js");
  const { vocabulary, end, num_heads, num_blocks, n_max } = packed;
  const weights = unpack_weights(packed);
  const state = { words: beginnings[0].split(" "), hidden: [], problem: "" };
  const isHidden = (block, head) => state.hidden.some(([b, h]) => b === block && h === head);
  const change = (changes) => { Object.assign(state, { problem: "" }, changes); draw(); };

  const begin = (words) => { field.value = ""; change({ words }); };
  const presets = radios("Beginning", names, (i) => begin(beginnings[i].split(" ")));
  const field = make("input", {
    type: "text", id: "next-word-field", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    "aria-describedby": "next-word-problem",
  });
  const problem = make("p", { class: "next__problem", id: "next-word-problem", role: "status" });
  const typed = make("form", { class: "next__typed" },
    make("label", { for: field.id }, "Add words"), field, make("button", { type: "submit", class: "touch__primary" }, "Add"));
  typed.addEventListener("submit", (event) => {
    event.preventDefault();
    const added = field.value.trim().split(/\s+/).filter(Boolean);
    const unknown = added.find((word) => !vocabulary.includes(word));
    if (unknown) {
      change({ problem: `The model knows ${vocabulary.length - 1} words, and ${quoted(unknown)} is not one of them.` });
    } else if (added.length) {
      field.value = "";
      add(...added);
    }
  });
  const add = (...words) => {
    const room = n_max - 1 - state.words.length;
    if (words.length > room) change({ problem: `The model reads ${n_max - 1} words at most.` });
    else change({ words: [...state.words, ...words] });
  };

  const known = make("details", { class: "next__known" },
    make("summary", {}, `The ${vocabulary.length - 1} words it knows`),
    make("div", { class: "next__choices" }, ...vocabulary.filter((word) => word !== end).map((word) => {
      const choice = make("button", { type: "button", "aria-label": `Add ${word}` }, word);
      choice.addEventListener("click", () => add(word));
      return choice;
    })));

  const sentence = make("p", { class: "next__sentence" });
  const next = make("ol", { class: "next__words", "aria-label": "the next word" });
  const reader = make("span", {});
  const heads = make("div", { class: "next__heads" });
  const rows = Array.from({ length: num_blocks * num_heads }, (_, at) => {
    const [block, head] = [Math.floor(at / num_heads), at % num_heads];
    const hide = toggle((pressed) => change({
      hidden: pressed ? [...state.hidden, [block, head]] : state.hidden.filter(([b, h]) => b !== block || h !== head),
    }));
    const strip = make("span", { class: "next__strip" });
    heads.append(make("div", { class: "next__head" },
      make("span", { class: "next__name" }, `head ${block + 1}.${head + 1}, in block ${block + 1}`), strip));
    hide.textContent = `${block + 1}.${head + 1}`;
    hide.setAttribute("aria-label", `Hide head ${hide.textContent}, head ${head + 1} of block ${block + 1}`);
    return { block, head, hide, strip };
  });
  const hiding = choiceOf(["Hide head"], rows.map(({ hide }) => hide));
  const back = make("button", { type: "button" }, "Take a word back");
  back.addEventListener("click", () => { change({ words: state.words.slice(0, -1) }); });
  const clear = make("button", { type: "button" }, "Clear");
  clear.addEventListener("click", () => begin([]));
  const reset = () => { field.value = ""; change({ words: beginnings[0].split(" "), hidden: [] }); };

  typed.append(make("span", { class: "touch__buttons next__back" }, back, clear));
  // Below the next words, the heads would push away what follows the figure.
  const reading = make("details", { class: "next__known next__reading" }, make("summary", {}, reader), heads);
  reading.open = figure.clientWidth > 640; // as wide as both: see heads__pair
  const { words: said } = replace(figure, "The decoder", reset,
    make("div", { class: "heads__pair" },
      make("div", {}, controls([], typed, presets.group, hiding), known, problem, sentence,
        make("p", { class: "heads__title" }, "the next word: press one to add it"), next),
      reading));

  function draw() {
    const numbers = [end, ...state.words].map((word) => vocabulary.indexOf(word));
    const { probabilities, maps } = next_token_probabilities(weights, numbers, num_heads, state.hidden);
    const order = probabilities.map((_, i) => i).sort((a, b) => probabilities[b] - probabilities[a]);
    sentence.textContent = [...(state.words.length ? state.words : ["A new story"]), "…"].join(" ");
    problem.textContent = state.problem;
    reader.textContent = state.words.length
      ? `what ${quoted(state.words.at(-1))}, the last word, reads (${end} is the end of the previous story)`
      : `${end} is the end of the previous story: a new story begins`;
    presets.check(beginnings.indexOf(state.words.join(" ")));
    const likely = order.slice(0, MOST).filter((number, i) => i === 0 || probabilities[number] >= LEAST);
    next.replaceChildren(...likely.map((number) => {
      const bar = make("span", { class: "heads__bar" });
      bar.style.setProperty("--share", probabilities[number]);
      const word = vocabulary[number];
      const button = make("button", { type: "button", "aria-label": `${word}, ${percent(probabilities[number])}: add it` },
        make("span", { class: "next__word" }, word),
        make("span", { class: "heads__gauge" }, bar, make("span", { class: "heads__share" }, percent(probabilities[number]))));
      button.addEventListener("click", () => {
        const at = [...next.children].indexOf(button.parentElement);
        if (word === end) change({ problem: "Here the story ends." });
        else add(word);
        next.children[at]?.firstElementChild.focus({ preventScroll: true });
      });
      return make("li", {}, button);
    }));
    for (const { block, head, hide, strip } of rows) {
      const row = maps[block][head].at(-1);
      const off = isHidden(block, head);
      hide.setAttribute("aria-pressed", off);
      const most = largest(row);
      strip.classList.toggle("next__strip--hidden", off);
      strip.setAttribute("aria-label", `reads most from ${[end, ...state.words][most]}, ${percent(row[most])}`);
      strip.setAttribute("role", "img");
      strip.replaceChildren(...row.map((weight, i) => {
        const token = make("span", {}, i ? state.words[i - 1] : end);
        token.style.setProperty("--share", weight);
        return token;
      }));
    }
    const share = (words) => percent(sum(words.map((word) => probabilities[vocabulary.indexOf(word)])));
    const [first, second] = order;
    const without = state.hidden.length
      ? ` ${state.hidden.length === 1 ? "One head is" : `${state.hidden.length} heads are`} hidden.` : "";
    // Elsewhere both shares are nearly 0, and say nothing.
    const bank = state.words.slice(-2).join(" ") === "bank is"
      ? ` All words for the bank of a river together: ${share(kinds[0])}; for a bank that keeps money: ${share(kinds[1])}.` : "";
    said.replaceChildren(`Likeliest: ${quoted(vocabulary[first])}, ${percent(probabilities[first])}, then`
      + ` ${quoted(vocabulary[second])}, ${percent(probabilities[second])}.${bank}${without}`);
  }
  draw();
};
