/* The decoder of snippets/decoder.py, on plain arrays: a matrix is an array of rows. A test compares
   its logits and weights with the snippets'. */
import { softmax } from "./attention.js";
import { attention, product } from "./heads.js";

/* snippets/layer_norm.py, of one row */
export const layer_norm = (x, gain, bias, eps = 1e-5) => {
  const mean = x.reduce((sum, value) => sum + value, 0) / x.length;
  const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length;
  return x.map((value, i) => (gain[i] * (value - mean)) / Math.sqrt(variance + eps) + bias[i]);
};

/* snippets/feed_forward.py, with ReLU, of one row */
const feed_forward = (x, { W_1, b_1, W_2, b_2 }) => {
  const [hidden] = product([x], W_1);
  const [output] = product([hidden.map((value, i) => Math.max(0, value + b_1[i]))], W_2);
  return output.map((value, i) => value + b_2[i]);
};

const add = (x, y) => x.map((row, t) => row.map((value, i) => value + y[t][i]));

/* Causal multi-head attention of a block; a head that is hidden adds nothing. */
const attend = (x, { W_Q, W_K, W_V, W_O }, num_heads, hidden) => {
  const [Q, K, V] = [W_Q, W_K, W_V].map((W) => product(x, W));
  const width = W_O.length / num_heads;
  const weights = [];
  let output = x.map(() => W_O[0].map(() => 0));
  for (let head = 0; head < num_heads; head += 1) {
    const part = (A) => A.map((row) => row.slice(head * width, (head + 1) * width));
    const found = attention(part(Q), part(K), part(V), true);
    weights.push(found.weights);
    if (hidden.includes(head)) continue;
    output = add(output, product(found.output, W_O.slice(head * width, (head + 1) * width)));
  }
  return { output, weights };
};

/* snippets/decoder.py, next_token_logits: those behind the last token, and the weights of each head
   of each block. `hidden` lists pairs of block and head. */
export const next_token_logits = (weights, numbers, num_heads, hidden = []) => {
  let x = numbers.map((number, t) => weights.E[number].map((value, i) => value + weights.positions[t][i]));
  const maps = weights.blocks.map((block, index) => {
    const own = hidden.filter(([at]) => at === index).map(([, head]) => head);
    const normed = x.map((row) => layer_norm(row, block.gain_1, block.bias_1));
    const attended = attend(normed, block, num_heads, own);
    x = add(x, attended.output);
    x = add(x, x.map((row) => feed_forward(layer_norm(row, block.gain_2, block.bias_2), block)));
    return attended.weights;
  });
  const last = layer_norm(x.at(-1), weights.gain, weights.bias);
  return { logits: weights.E.map((row) => row.reduce((sum, value, i) => sum + value * last[i], 0)), maps };
};

export const next_token_probabilities = (...given) => {
  const { logits, maps } = next_token_logits(...given);
  return { probabilities: softmax(logits), maps };
};

/* Numbers of 16 bits, as IEEE 754 has them. */
const half = (bits) => {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
};

/* The weights, in the order of snippets/weight_vector.py. */
export const unpack_weights = ({ c, n_max, d_model, d_ff, num_blocks, weights }) => {
  const bytes = Uint8Array.from(atob(weights), (character) => character.charCodeAt(0));
  const vector = Array.from({ length: bytes.length / 2 }, (_, i) => half(bytes[2 * i] | (bytes[2 * i + 1] << 8)));
  let at = 0;
  const row = (length) => vector.slice(at, at += length);
  const matrix = (rows, columns) => Array.from({ length: rows }, () => row(columns));
  const square = () => matrix(d_model, d_model);
  const [E, positions] = [matrix(c, d_model), matrix(n_max, d_model)];
  const blocks = Array.from({ length: num_blocks }, () => ({
    W_Q: square(), W_K: square(), W_V: square(), W_O: square(),
    W_1: matrix(d_model, d_ff), b_1: row(d_ff), W_2: matrix(d_ff, d_model), b_2: row(d_model),
    gain_1: row(d_model), bias_1: row(d_model), gain_2: row(d_model), bias_2: row(d_model),
  }));
  return { E, positions, blocks, gain: row(d_model), bias: row(d_model) };
};
