/* Two heads made by hand: hide one, and see what the output loses. */
import { make, starting } from "./controls.js";
import { multiHead, relativeChange } from "./heads.js";
import { bars, controls, largest, lines, percent, quoted, radios, replace, toggle } from "./heads-view.js";

const SENTENCES = ["today she sees him", "today he sees her", "him she sees today"];
const ROLES = ["subject", "object"];

/* What the layer makes of a sentence without the hidden heads. */
export const without = ({ vocabulary, weights, h }, sentence, hidden) =>
  multiHead(sentence.split(" ").map((word) => vocabulary[word]), weights, h, hidden);

export const mount = (figure) => {
  const given = starting(figure);
  const { h, features } = given;
  const first = { sentence: 0, chosen: given.chosen, look: null, hidden: [] };
  const state = { ...first };
  const change = (changes) => { Object.assign(state, changes); draw(); };

  const views = Array.from({ length: h }, (_, head) => lines(`head ${head + 1}`, {
    ask: (chosen) => change({ chosen, look: null }),
    look: (look) => change({ look }),
  }));
  const buttons = views.map((_, head) => toggle((pressed) => change({
    hidden: pressed ? [...state.hidden, head] : state.hidden.filter((each) => each !== head),
  })));
  const output = bars("the output");
  const sentences = radios("Sentence", SENTENCES, (sentence) =>
    change({ sentence, chosen: SENTENCES[sentence].split(" ").indexOf("sees"), look: null }));
  const { words } = replace(figure, "Two heads", () => change(first), controls([], sentences.group),
    make("div", { class: "heads__pair" }, ...views.map(({ box }, head) =>
      make("div", {}, make("p", { class: "heads__title" }, `Head ${head + 1} `, buttons[head]), box))),
    output.box);

  const names = Array.from({ length: h }, (_, head) =>
    features.slice(0, 3).map((feature) => `head ${head + 1}: ${feature}`)).flat();

  function draw() {
    const sentence = SENTENCES[state.sentence];
    const tokens = sentence.split(" ");
    const whole = without(given, sentence, []);
    const now = without(given, sentence, state.hidden);
    const chosen = state.look ?? state.chosen;
    views.forEach(({ show }, head) => {
      const hidden = state.hidden.includes(head);
      show({ asks: tokens, reads: tokens, weights: whole.weights[head], chosen, picked: state.chosen, hidden });
      buttons[head].textContent = hidden ? "Show" : "Hide";
      buttons[head].setAttribute("aria-label", `${hidden ? "Show" : "Hide"} head ${head + 1}`);
      buttons[head].setAttribute("aria-pressed", hidden);
    });
    sentences.check(state.sentence);
    const word = quoted(tokens[chosen]);
    output.show(names, now.output[chosen], (value) => value.toFixed(2), `the output of ${word}`);
    const reads = whole.weights.map((weights) => weights[chosen]);
    const found = reads.map((row, head) =>
      `${percent(row[largest(row)])} to ${quoted(tokens[largest(row)])} in head ${head + 1}`);
    const even = reads.every((row) => row[largest(row)] < 1.1 / tokens.length);
    const change_ = relativeChange(whole.output[chosen], now.output[chosen]);
    if (even) {
      words.textContent = `${word} looks for nothing and reads evenly in both heads.`;
    } else if (!state.hidden.length) {
      words.textContent = `${word} gives ${found.join(" and ")}: one finds its subject, the other its object.`;
    } else if (state.hidden.length === h) {
      words.textContent = `With both heads hidden, the output of ${word} consists of zeros.`;
    } else {
      const [head] = state.hidden;
      words.textContent = `Without head ${head + 1} the output of ${word} changes by ${percent(change_)} of its length: `
        + `its ${ROLES[head]} is lost, its ${ROLES[1 - head]} is still there.`;
    }
  }
  draw();
};
