/* The real model in 8 bits: snippets/minilm.py, word_piece.py and minilm_8bit.py. A matrix of n rows is
   one Float32Array, row after row. A test compares tokens and weights with the snippets'. */
import { softmax } from "./attention.js";

const EPS = 1e-12;
export const NUM_HEADS = 12;

/* The file that `pack` has written: the length of its header, the header, the arrays. */
export const open = (buffer) => {
  const start = 8 + Number(new DataView(buffer).getBigUint64(0, true));
  const { __metadata__: { vocabulary }, ...found } = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, start - 8)));
  const arrays = {};
  for (const [name, { dtype, shape, data_offsets: [first] }] of Object.entries(found)) {
    const kind = dtype === "I8" ? Int8Array : Float32Array;
    arrays[name] = new kind(buffer, start + first, shape.reduce((product, length) => product * length, 1));
  }
  const blocks = Object.keys(arrays).filter((name) => name.endsWith(".W_Q")).length;
  return { arrays, blocks, vocabulary: new Map(vocabulary.split("\n").map((token, number) => [token, number])) };
};

const CHINESE = [[0x4e00, 0x9fff], [0x3400, 0x4dbf], [0x20000, 0x2fa1f], [0xf900, 0xfaff]];

const standsAlone = (character) => {
  const code = character.codePointAt(0);
  if (code < 128) return code > 32 && code < 127 && !/[a-z0-9]/i.test(character);
  return /\p{P}/u.test(character) || CHINESE.some(([low, high]) => low <= code && code <= high);
};

/* snippets/word_piece.py, split_words */
export const splitWords = (text) => {
  let words = "";
  for (const character of text.normalize("NFD")) {
    if ("\t\n\r".includes(character)) words += " ";
    else if (standsAlone(character)) words += ` ${character} `;
    else if (!/[\p{Mn}\p{C}\ufffd]/u.test(character)) words += character.toLowerCase();
  }
  return words.split(/\s+/).filter(Boolean);
};

/* snippets/word_piece.py, word_pieces */
const wordPieces = (word, vocabulary) => {
  const letters = [...word];
  const pieces = [];
  for (let start = 0; start < letters.length;) {
    let end = letters.length;
    const piece = () => (start ? "##" : "") + letters.slice(start, end).join("");
    while (end > start && !vocabulary.has(piece())) end -= 1;
    if (end === start) return ["[UNK]"];
    pieces.push(piece());
    start = end;
  }
  return pieces;
};

/* snippets/minilm.py, tokenize */
export const tokenize = ({ vocabulary }, text) =>
  ["[CLS]", ...splitWords(text).flatMap((word) => wordPieces(word, vocabulary)), "[SEP]"];

/* x Wᵀ + b, where W is codes and a scale for each of its rows. */
const linear = ({ arrays }, x, n, name, bias) => {
  const [codes, scale, b] = [arrays[name], arrays[`${name}.scale`], arrays[bias]];
  const [wide, long] = [b.length, x.length / n];
  const row = new Float32Array(long);
  const output = new Float32Array(n * wide);
  for (let o = 0; o < wide; o += 1) {
    for (let i = 0; i < long; i += 1) row[i] = codes[o * long + i];
    for (let t = 0, at = 0; t < n; t += 1) {
      let [one, two, three, four] = [0, 0, 0, 0]; // Four sums at once are faster.
      for (let i = 0; i < long; i += 4, at += 4) {
        one += row[i] * x[at];
        two += row[i + 1] * x[at + 1];
        three += row[i + 2] * x[at + 2];
        four += row[i + 3] * x[at + 3];
      }
      output[t * wide + o] = (one + two + three + four) * scale[o] + b[o];
    }
  }
  return output;
};

/* snippets/layer_norm.py, row by row, in place */
const normalize = (x, n, gain, bias) => {
  const d = x.length / n;
  for (let t = 0; t < n; t += 1) {
    const row = x.subarray(t * d, (t + 1) * d);
    const mean = row.reduce((sum, value) => sum + value, 0) / d;
    const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / d;
    const root = Math.sqrt(variance + EPS);
    for (let i = 0; i < d; i += 1) row[i] = (gain[i] * (row[i] - mean)) / root + bias[i];
  }
  return x;
};

/* erf, to 1.5e-7: formula 7.1.26 of Abramowitz and Stegun. */
const erf = (x) => {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const sum = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return Math.sign(x) * (1 - sum * Math.exp(-x * x));
};

/* snippets/feed_forward.py, gelu */
const gelu = (x) => (x * (1 + erf(x / Math.SQRT2))) / 2;

const add = (x, y) => x.map((value, i) => value + y[i]);

const attend = (Q, K, V, n) => {
  const d = Q.length / n;
  const d_k = d / NUM_HEADS;
  const output = new Float32Array(n * d);
  const weights = Array.from({ length: NUM_HEADS }, (_, head) => Array.from({ length: n }, (__, i) => {
    const scores = Array.from({ length: n }, (___, j) => {
      let score = 0;
      for (let c = head * d_k; c < (head + 1) * d_k; c += 1) score += Q[i * d + c] * K[j * d + c];
      return score / Math.sqrt(d_k);
    });
    const row = softmax(scores);
    row.forEach((weight, j) => {
      for (let c = head * d_k; c < (head + 1) * d_k; c += 1) output[i * d + c] += weight * V[j * d + c];
    });
    return row;
  }));
  return { output, weights };
};

/* snippets/minilm.py, hidden_states: the weights of each block and head. `rest` is awaited before each
   block, so that a page can draw meanwhile. */
export const attentionMaps = async (model, tokens, rest = () => {}) => {
  const { arrays, vocabulary, blocks } = model;
  const n = tokens.length;
  const d = arrays.gain.length;
  let x = new Float32Array(n * d);
  tokens.forEach((token, t) => {
    const number = vocabulary.get(token);
    const [word, place] = [arrays["words.scale"][number], arrays["positions.scale"][t]];
    for (let i = 0; i < d; i += 1)
      x[t * d + i] = arrays.words[number * d + i] * word + arrays.positions[t * d + i] * place + arrays.sentence[i];
  });
  normalize(x, n, arrays.gain, arrays.bias);
  const maps = [];
  for (let block = 0; block < blocks; block += 1) {
    await rest(block);
    const of = (name) => `${block}.${name}`;
    const through = (y, letter) => linear(model, y, n, of(`W_${letter}`), of(`b_${letter}`));
    const { output, weights } = attend(through(x, "Q"), through(x, "K"), through(x, "V"), n);
    maps.push(weights);
    x = normalize(add(x, through(output, "O")), n, arrays[of("gain_1")], arrays[of("bias_1")]);
    const hidden = through(x, "1").map(gelu);
    x = normalize(add(x, through(hidden, "2")), n, arrays[of("gain_2")], arrays[of("bias_2")]);
  }
  return maps;
};
