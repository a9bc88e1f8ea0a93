/* One query, step by step: as the note counts the steps, for whichever token asks. */
import { scaled_dot_product_attention, attention_scores } from "./attention.js";
import { heat, part, said, starting, touch } from "./controls.js";

const STEPS = 6;

export const walk = ({ Q, K, V, d_k }, row) => {
  const scores = attention_scores([Q[row]], K)[0];
  const { output, weights } = scaled_dot_product_attention([Q[row]], K, V);
  return { q: Q[row], scores, scaled: scores.map((score) => score / Math.sqrt(d_k)), weights: weights[0], z: output[0] };
};

const pair = (values, digits = 2) => `(${values.map((value) => said(value, digits)).join(", ")})`;

const sentence = ({ tokens, K, V, d_k }, { row, step }, { q, scores, scaled, weights, z }) => {
  const token = tokens[row];
  const most = weights.indexOf(Math.max(...weights));
  const exps = scaled.map(Math.exp);
  const total = exps.reduce((sum, e) => sum + e, 0);
  return `Step ${step} of ${STEPS}. ` + [
    `The query of ${token} is $q$ = ${pair(q)}.`,
    `Every token has a key and a value, ${token} itself as well.`,
    `The score with ${tokens[most]} is ${said(q[0])} · ${said(K[most][0])} + ${said(q[1])} · ${said(K[most][1])}`
      + ` = ${said(scores[most])}, the largest of the six.`,
    `All scores are divided by √${d_k}: with ${tokens[most]}, ${said(scores[most])} becomes ${said(scaled[most])}.`,
    `Softmax: the weight of ${tokens[most]} is exp(${said(scaled[most])}) = ${said(exps[most])}, divided by the sum`
      + ` of all six, ${said(total)}: ${said(weights[most], 3)}.`,
    `Each value times its weight, added up, is the context vector of ${token}, $z$ = ${pair(z)}. Most of it comes`
      + ` from ${tokens[most]}: ${said(weights[most], 3)} · ${pair(V[most])}.`,
  ][step - 1];
};

export const mount = (figure) => {
  const data = starting(figure);
  const { tokens, d_k } = data;
  const [name] = part(figure, "token");
  const [scoreName] = part(figure, "score name");
  const [divisor] = part(figure, "divisor");
  const [whose] = part(figure, "whose");
  const groups = Object.fromEntries(["q", "scores", "weights", "z"].map((each) => [each, part(figure, each)[0]]));
  const shownFrom = Array.from({ length: STEPS - 1 }, (_, i) => [part(figure, `step ${i + 2}`)[0], i + 2]);

  const things = touch(figure, { row: data.row, step: STEPS }, (state) => {
    const found = walk(data, state.row);
    name.textContent = tokens[state.row];
    heat(groups.q, found.q);
    // The divided scores are shown when the scores are divided, and not before or after.
    heat(groups.scores, state.step === 4 ? found.scaled : found.scores);
    scoreName.textContent = state.step === 4 ? "divided" : "scores";
    divisor.textContent = state.step === 4 ? `÷ √${d_k}` : `÷ √${d_k}, then softmax`;
    heat(groups.weights, found.weights, 3);
    heat(groups.z, found.z);
    whose.lastChild.textContent = ` of ${tokens[state.row]}`;
    for (const [group, from] of shownFrom) {
      if (state.step < from) group.setAttribute("visibility", "hidden");
      else group.removeAttribute("visibility");
    }
    return sentence(data, state, found);
  });

  things.choice({
    label: "query of", options: tokens.map((token, i) => [String(i), token]),
    value: (state) => String(state.row),
    input: (row) => ({ row: Number(row) }),
  });
  const to = (step) => things.change({ step });
  const last = () => things.state.step === STEPS;
  const forward = things.button("Next step", () => to(last() ? 1 : things.state.step + 1), { leads: true });
  things.button("Back", () => to(things.state.step - 1), { off: ({ step }) => step === 1 });
  things.follow(() => { forward.textContent = last() ? "First step" : "Next step"; });
  things.ready();
};
