/* The head that learned, before and after: other pairs, another letter that asks. */
import { softmax } from "./attention.js";
import { make, starting } from "./controls.js";
import { encode, oneHead } from "./heads.js";
import { bars, controls, largest, lines, percent, quoted, radios, replace } from "./heads-view.js";

const DIGITS = "0123456789";

/* What the head reads in a sequence, and the shares of the ten digits in its answer. */
export const answers = (tokens, weights, letters) => {
  const X = encode(tokens, letters + DIGITS);
  const head = oneHead(X, X, weights);
  return { weights: head.weights, digits: softmax(head.output[tokens.length - 1]) };
};

const drawn = (from, count) => {
  const left = [...from];
  return Array.from({ length: count }, () => left.splice(Math.floor(Math.random() * left.length), 1)[0]);
};

export const mount = (figure) => {
  const { tokens, letters, before, after } = starting(figure);
  const pairs = tokens.slice(0, -1);
  const state = { pairs, letter: tokens.at(-1), trained: 1, chosen: pairs.length, look: null };
  const change = (changes) => { Object.assign(state, changes); draw(); };

  const view = lines("one sequence", {
    ask: (chosen) => change({ chosen, look: null }),
    look: (look) => change({ look }),
  });
  const digits = bars("the digit it answers");
  const training = radios("Training", ["before", "after"], (trained) => change({ trained }));
  const asking = radios("Last letter", [...letters], (i) => change({ letter: letters[i], chosen: pairs.length }));
  const other = make("button", { type: "button", class: "touch__primary" }, "Other pairs");
  other.addEventListener("click", () => {
    const numbers = drawn(DIGITS, pairs.length);
    const names = drawn(letters, pairs.length);
    change({
      pairs: names.map((letter, i) => letter + numbers[i]),
      letter: drawn(names, 1)[0],
      chosen: pairs.length,
    });
  });
  const reset = () => change({ pairs, letter: tokens.at(-1), trained: 1, chosen: pairs.length });

  const { words } = replace(figure, "The trained head", reset,
    controls([other], training.group, asking.group),
    make("div", { class: "heads__pair heads__pair--output" }, view.box, digits.box));

  function draw() {
    const sequence = [...state.pairs, state.letter];
    const weights = state.trained ? after : before;
    const { weights: alpha, digits: shares } = answers(sequence, weights, letters);
    const chosen = state.look ?? state.chosen;
    view.show({ asks: sequence, reads: sequence, weights: alpha, chosen, picked: state.chosen });
    digits.show([...DIGITS], shares, percent, `the digit that ${quoted(state.letter)} answers`);
    training.check(state.trained);
    asking.check(letters.indexOf(state.letter));
    const to = largest(alpha[chosen]);
    const row = `${quoted(sequence[chosen])} gives ${percent(alpha[chosen][to])} of its weight to ${quoted(sequence[to])}`;
    if (chosen < state.pairs.length) {
      words.textContent = `${row}. In this task only the last token asks: training never looked at this row.`;
      return;
    }
    const said = largest(shares);
    const right = state.pairs.find((pair) => pair[0] === state.letter)?.[1];
    const verdict = right === undefined
      ? `No pair holds ${quoted(state.letter)}, so no digit is right`
      : String(said) === right ? "That is right" : `Right would be ${right}`;
    words.textContent = `${row}, and answers ${said} with ${percent(shares[said])}. ${verdict}${
      state.trained ? "." : "; before training the answer is a guess."}`;
  }
  draw();
};
