/* Training the head of the recall task in front of the reader: the loss, and where the head reads. */
import { softmax } from "./attention.js";
import { make, num, part, polyline, said, set, starting, touch } from "./controls.js";
import { generator } from "./random.js";

const LETTERS = "abcdefgh";
const [KINDS, DIGITS, PAIRS, BATCH, TESTS] = [LETTERS.length, 10, 4, 64, 1000];
const RATE = 0.03;

/* --- The snippets' functions. Each feature is 0 or 1, so a product with X is a sum of rows. ------ */

const zeros = (rows, columns) => Array.from({ length: rows }, () => new Float64Array(columns));
const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);

/* snippets/recall_task.py, recall_batch: of each sequence the features of its tokens, and the digit. */
export const recallBatch = (rng, count, ahead = 0) => {
  const drawn = (kinds) => Array.from({ length: count }, () => rng.permuted(kinds).slice(0, PAIRS));
  const [letters, digits] = [drawn(KINDS), drawn(DIGITS)];
  return letters.map((row, b) => {
    const place = rng.integer(PAIRS);
    const asks = (row[place] - ahead + KINDS) % KINDS;
    return { tokens: [...row.map((letter, j) => [letter, KINDS + digits[b][j]]), [asks]], asks, answer: digits[b][place] };
  });
};

/* snippets/recall_head.py, first_weights. A wide head begins with queries and keys of variance near 1,
   as in the note Taking Parts Away. */
export const firstWeights = (rng, { width, own }) => {
  const rows = KINDS + DIGITS;
  const spread = width > 4 ? Math.sqrt(0.5) : 1 / Math.sqrt(rows);
  const draw = (columns, size) => zeros(rows, columns).map((row) => row.map(() => size * rng.normal()));
  const [W_Q, W_K, W_V] = [draw(width, spread), draw(width, spread), draw(DIGITS, 1 / Math.sqrt(rows))];
  return { W_Q, W_K: own ? W_K : W_Q, W_V };
};

/* The products of a letter's query with the key of each feature, scaled: a score is a sum of them. */
const matches = ({ W_Q, W_K }, scaled) => {
  const scale = scaled ? 1 / Math.sqrt(W_Q[0].length) : 1;
  return W_Q.slice(0, KINDS).map((q) => Float64Array.from(W_K, (k) => scale * dot(q, k)));
};

/* Where the last token reads, and the logits of the ten digits. */
const forward = (match, W_V, { tokens, asks }, withSoftmax) => {
  const scores = tokens.map((features) => features.reduce((sum, f) => sum + match[asks][f], 0));
  const alpha = withSoftmax ? softmax(scores) : scores;
  const logits = new Float64Array(DIGITS);
  tokens.forEach((features, j) => {
    for (const f of features) for (let c = 0; c < DIGITS; c += 1) logits[c] += alpha[j] * W_V[f][c];
  });
  return { alpha, logits };
};

/* snippets/recall_head.py, loss_and_gradients */
export const lossAndGradients = (weights, batch, { scaled, withSoftmax, own }) => {
  const { W_Q, W_K, W_V } = weights;
  const [rows, width] = [W_K.length, W_K[0].length];
  const match = matches(weights, scaled);
  const dL_dmatch = zeros(KINDS, rows);
  const dL_dW_V = zeros(rows, DIGITS);
  let loss = 0;
  for (const sequence of batch) {
    const { alpha, logits } = forward(match, W_V, sequence, withSoftmax);
    const p = softmax([...logits]);
    const largest = Math.max(...logits);
    loss += largest + Math.log(logits.reduce((sum, z) => sum + Math.exp(z - largest), 0)) - logits[sequence.answer];
    const dL_dlogits = p.map((share, c) => (share - (c === sequence.answer)) / batch.length);
    const dL_dalpha = sequence.tokens.map((features, j) => features.reduce((sum, f) => {
      for (let c = 0; c < DIGITS; c += 1) dL_dW_V[f][c] += alpha[j] * dL_dlogits[c];
      return sum + dot(dL_dlogits, W_V[f]);
    }, 0));
    const mean = withSoftmax ? dot(alpha, dL_dalpha) : 0;
    sequence.tokens.forEach((features, j) => {
      const dL_dscore = withSoftmax ? alpha[j] * (dL_dalpha[j] - mean) : dL_dalpha[j];
      for (const f of features) dL_dmatch[sequence.asks][f] += dL_dscore;
    });
  }
  const scale = scaled ? 1 / Math.sqrt(width) : 1;
  const [dL_dW_Q, dL_dW_K] = [zeros(rows, width), zeros(rows, width)];
  dL_dmatch.forEach((row, a) => row.forEach((slope, f) => {
    if (slope === 0) return;
    for (let l = 0; l < width; l += 1) {
      dL_dW_Q[a][l] += scale * slope * W_K[f][l];
      dL_dW_K[f][l] += scale * slope * W_Q[a][l];
    }
  }));
  if (own) return { loss: loss / batch.length, gradients: { W_Q: dL_dW_Q, W_K: dL_dW_K, W_V: dL_dW_V } };
  // A matrix that makes both gets both gradients.
  const both = dL_dW_Q.map((row, f) => row.map((slope, l) => slope + dL_dW_K[f][l]));
  return { loss: loss / batch.length, gradients: { W_Q: both, W_V: dL_dW_V } };
};

/* snippets/adam.py, in place. */
const adam = (weight, gradient, state) => {
  state.step += 1;
  const [first, second] = [1 - 0.9 ** state.step, 1 - 0.999 ** state.step];
  weight.forEach((row, i) => {
    const [mean, square, slopes] = [state.mean[i], state.square[i], gradient[i]];
    for (let l = 0; l < row.length; l += 1) {
      mean[l] = 0.9 * mean[l] + 0.1 * slopes[l];
      square[l] = 0.999 * square[l] + 0.001 * slopes[l] ** 2;
      row[l] -= (RATE * (mean[l] / first)) / (Math.sqrt(square[l] / second) + 1e-8);
    }
  });
};

/* The share of right answers, and the mean of the largest weights. */
export const judge = (weights, sequences, { scaled, withSoftmax }) => {
  const match = matches(weights, scaled);
  let [right, largest] = [0, 0];
  for (const sequence of sequences) {
    const { alpha, logits } = forward(match, weights.W_V, sequence, withSoftmax);
    right += logits.indexOf(Math.max(...logits)) === sequence.answer;
    largest += Math.max(...alpha);
  }
  return { right: right / sequences.length, largest: largest / sequences.length };
};

/* A training that goes on by one step at a time. */
export const training = (options) => {
  const rng = generator(options.seed);
  const weights = firstWeights(rng, options);
  const states = {};
  for (const name of options.own ? ["W_Q", "W_K", "W_V"] : ["W_Q", "W_V"]) {
    const [rows, columns] = [weights[name].length, weights[name][0].length];
    states[name] = { mean: zeros(rows, columns), square: zeros(rows, columns), step: 0 };
  }
  return {
    weights,
    /* The loss of the next batch, before the step that learns from it. */
    step: () => {
      const { loss, gradients } = lossAndGradients(weights, recallBatch(rng, BATCH, options.ahead), options);
      for (const [name, state] of Object.entries(states)) adam(weights[name], gradients[name], state);
      return loss;
    },
  };
};

/* For a test. */
export const trained = (options, steps) => {
  const run = training(options);
  const losses = Array.from({ length: steps }, run.step);
  const rows = (W) => W.map((row) => [...row]);
  const { W_Q, W_K, W_V } = run.weights;
  return { losses, W_Q: rows(W_Q), W_K: rows(W_K), W_V: rows(W_V) };
};

/* --- The figure ---------------------------------------------------------------------------------- */

const PACE = 1000 / 60; // milliseconds for a step
const MOST = 5; // steps between two pictures
const JUMP = [50, 700]; // for readers who want no motion: steps at once, every so many milliseconds

/* What a test asks after every step, and what the map shows: one question for each pair. */
const questions = (pairs, ahead) => pairs.map((pair, place) => {
  const asks = (LETTERS.indexOf(pair[0]) - ahead + KINDS) % KINDS;
  const tokens = pairs.map(([letter, digit]) => [LETTERS.indexOf(letter), KINDS + Number(digit)]);
  return { tokens: [...tokens, [asks]], asks, place, answer: Number(pair[1]) };
});

const recording = (options, pairs) => {
  const run = training(options);
  // As in the notes: seed 2 for the same letter, seed 3 for the next one.
  const tests = recallBatch(generator(2 + options.ahead), TESTS, options.ahead);
  const asked = questions(pairs, options.ahead);
  const [losses, seen] = [[], []];
  const look = () => {
    const match = matches(run.weights, options.scaled);
    const rows = asked.map((question) => {
      const { alpha, logits } = forward(match, run.weights.W_V, question, options.withSoftmax);
      return { alpha, digits: softmax([...logits]) };
    });
    seen.push({ rows, ...judge(run.weights, tests, options) });
  };
  return {
    asked,
    losses,
    at: (step) => {
      while (seen.length <= step) {
        look();
        losses.push(run.step());
      }
      return { ...seen[step], loss: losses[step] };
    },
  };
};

const why = ({ ahead, scaled, withSoftmax, own, width }, first) => {
  if (!withSoftmax) return " Without softmax, weights need not lie between 0 and 1, nor sum to 1.";
  if (!own && ahead) return " With one matrix, a scores b as b scores a; but a should find b, and b should not find a.";
  if (!own) return " One matrix is enough here: that two letters are the same is a symmetric relation.";
  if (!scaled && width > 4) return ` Softmax was saturated before the first step: this weight was ${said(first.largest)}.`;
  if (!scaled) return " In a narrow head the scores are small at first without the divisor, too.";
  return "";
};

/* The link of this page to the note that takes the same parts away. */
const others = () => {
  const link = document.querySelector('article a[href*="taking-parts-away/"]');
  return [" The note ", link ? make("a", { href: link.href }, "Taking Parts Away") : "Taking Parts Away", " uses other batches."];
};

export const mount = (figure) => {
  const { pairs, losses, plot, shade } = starting(figure);
  const steps = losses.length;
  const [[curve], [legend], [now], [scale], [above]] = ["curve", "legend", "now", "scale", "above"].map((name) => part(figure, name));
  const [asks, cells, numbers, answers] = ["asks", "weight", "number", "answer"].map((name) => part(figure, name));
  const shown = pairs.length + 1;
  const place = (loss, step, last) => [
    plot.left + ((plot.right - plot.left) * step) / last,
    plot.bottom - ((plot.bottom - plot.top) * Math.min(loss, plot.peak)) / plot.peak,
  ];

  const note = { ahead: 0, scaled: true, withSoftmax: true, own: true, width: 4, seed: 0 };
  const settings = ({ step, playing, untouched, ...options }) => JSON.stringify(options);
  let [run, made] = [null, ""];

  const draw = (state) => {
    const invitation = `The training of this note, after ${steps} steps. Press Play to see it from the first step.`;
    // The drawing shows that, and to compute it again takes time.
    if (state.untouched && !run) return invitation;
    if (made !== settings(state)) {
      run = recording(JSON.parse(settings(state)), pairs);
      made = settings(state);
    }
    const { rows, loss, right, largest } = run.at(state.step);
    const points = run.losses.slice(0, Math.max(1, state.step)).map((each, i) => place(each, i, steps - 1));
    set(curve, { d: polyline(points) });
    const [cx, cy] = points.at(-1).map(num);
    set(now, { cx, cy });
    legend.textContent = made === settings(note) ? "" : "thin: the head of this note";
    const most = Math.max(...run.losses.slice(0, state.step + 1));
    above.textContent = most > plot.peak ? `↑ off the scale: up to ${most.toFixed(1)}` : "";
    // Without softmax, a weight may be larger than 1: the colours follow, and say so.
    const full = Math.max(1, ...rows.flatMap(({ alpha }) => [...alpha].map(Math.abs)));
    scale.textContent = state.withSoftmax ? "" : `strongest colour: ${said(full)}; orange: below 0`;
    rows.forEach(({ alpha, digits }, i) => {
      const { asks: letter, answer } = run.asked[i];
      asks[i].textContent = LETTERS[letter];
      alpha.forEach((weight, j) => {
        const share = Math.abs(weight) / full;
        set(cells[i * shown + j], {
          class: weight < 0 ? "vk-key" : "vk-score",
          "fill-opacity": (shade.faint + (shade.full - shade.faint) * share).toFixed(2),
        });
        numbers[i * shown + j].textContent = said(weight);
      });
      const best = digits.indexOf(Math.max(...digits));
      answers[i].textContent = `${best} (${said(digits[best])})${best === answer ? "" : `, not ${answer}`}`;
    });
    if (state.untouched) return invitation;
    const count = Math.round(right * TESTS);
    // Another seed takes no part away.
    const whole = settings({ ...state, seed: note.seed }) === settings(note);
    return [`Step ${state.step} of ${steps}: loss ${said(loss, 3)}. The head answers ${count} of ${TESTS} test sequences`
      + ` correctly; on average, its largest weight is ${said(largest)}.${why(state, run.at(0))}`, ...(whole ? [] : others())];
  };

  const things = touch(figure, { untouched: true, step: steps, playing: false, ...note }, draw);
  const { state, change } = things;

  let running = false;
  const play = () => {
    running = true;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    let last = performance.now();
    const wait = () => { if (still) setTimeout(next, JUMP[1]); else requestAnimationFrame(next); };
    const next = (at) => {
      running = state.playing && figure.isConnected;
      if (!running) return;
      // A slow machine trains more slowly, and still draws. A frame may have begun before Play was pressed.
      const due = still ? JUMP[0] : Math.max(0, Math.floor((at - last) / PACE));
      last += due * PACE;
      const step = Math.min(steps, state.step + Math.min(due, still ? due : MOST));
      if (due) change({ step, playing: step < steps });
      wait();
    };
    wait();
  };

  const button = things.button("Play", () =>
    change({ untouched: false, playing: !state.playing, step: state.step === steps ? 0 : state.step }), { leads: true });
  things.follow(() => {
    button.textContent = state.playing ? "Pause" : "Play";
    if (state.playing && !running) play();
  });
  things.slider({
    label: "step", min: 0, max: steps, step: 1,
    value: ({ step }) => step,
    text: ({ step }) => String(step),
    input: (step) => ({ untouched: false, step, playing: false }),
  });
  /* A switch begins a new training, and plays it if one was playing. */
  const choice = (label, name, options) => things.choice({
    label,
    small: true,
    options: options.map(([value, title]) => [String(value), title]),
    value: (now) => String(now[name]),
    input: (chosen) => ({ [name]: JSON.parse(chosen), untouched: false, step: 0 }),
  });
  choice("looks for", "ahead", [[0, "same letter"], [1, "next letter"]]);
  choice("divided by", "scaled", [[true, "√$d_k$"], [false, "nothing"]]);
  choice("softmax", "withSoftmax", [[true, "yes"], [false, "no"]]);
  choice("$W_K$", "own", [[true, "its own"], [false, "$W_K$ = $W_Q$"]]);
  choice("width $d_k$", "width", [[4, "4"], [256, "256"]]);
  choice("seed", "seed", [0, 1, 2, 3, 4].map((seed) => [seed, String(seed)]));
  things.ready();
};
