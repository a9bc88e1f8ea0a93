/* What heads compute, on plain arrays: a matrix is an array of rows. Each function is the snippets'
   of the same meaning; a test compares them over a grid. */
import { softmax } from "./attention.js";

export const transpose = (A) => A[0].map((_, j) => A.map((row) => row[j]));

export const product = (A, B) => {
  const columns = transpose(B);
  return A.map((row) => columns.map((column) => row.reduce((sum, a, i) => sum + a * column[i], 0)));
};

/* snippets/attention.py, scaled_dot_product_attention */
export const attention = (Q, K, V, is_causal = false) => {
  const scale = 1 / Math.sqrt(K[0].length);
  const weights = product(Q, transpose(K)).map((row, i) =>
    softmax(row.map((score, j) => (is_causal && j > i ? -Infinity : score * scale))));
  return { weights, output: product(weights, V) };
};

/* One head: X asks, X_kv is read. */
export const oneHead = (X, X_kv, { W_Q, W_K, W_V }) =>
  attention(product(X, W_Q), product(X_kv, W_K), product(X_kv, W_V));

/* snippets/multi_head.py, multi_head_attention, as a sum over heads: output = Σ head_i O_i, where
   O_i are the rows of W_O that take up head i. A hidden head adds nothing. */
export const multiHead = (X, { W_Q, W_K, W_V, W_O }, h, hidden = []) => {
  const [Q, K, V] = [W_Q, W_K, W_V].map((W) => product(X, W));
  const part = (A, i) => A.map((row) => row.slice((i * row.length) / h, ((i + 1) * row.length) / h));
  const d_v = W_O.length / h;
  const output = X.map(() => W_O[0].map(() => 0));
  const weights = [];
  for (let i = 0; i < h; i += 1) {
    const head = attention(part(Q, i), part(K, i), part(V, i));
    weights.push(head.weights);
    if (hidden.includes(i)) continue;
    product(head.output, W_O.slice(i * d_v, (i + 1) * d_v)).forEach((row, t) =>
      row.forEach((value, c) => { output[t][c] += value; }));
  }
  return { weights, output };
};

/* snippets/minilm_heads.py, relative_change: of one row. */
export const relativeChange = (output, without) =>
  Math.hypot(...output.map((value, i) => value - without[i])) / Math.hypot(...output);

/* snippets/recall_task.py, encode */
export const encode = (tokens, columns) =>
  tokens.map((token) => [...columns].map((character) => (token.includes(character) ? 1 : 0)));

/* Whole numbers of 16 bits, first all low bytes, then all high ones; `steps` of them make 1. */
export const unpack = (text, steps) => {
  const bytes = atob(text);
  const count = bytes.length / 2;
  return new Float64Array(count).map((_, i) =>
    (bytes.charCodeAt(i) + 256 * bytes.charCodeAt(i + count)) / steps);
};

/* The recording of one sentence: functions of block and head, counted from 0. */
export const heads = ({ tokens, ...packed }, steps, [, perBlock]) => {
  const n = tokens.length;
  const [weights, change, distance] = ["weights", "change", "distance"]
    .map((name) => unpack(packed[name], steps[name]));
  const place = (block, head) => block * perBlock + head;
  return {
    tokens,
    row: (block, head, i) => {
      const start = (place(block, head) * n + i) * n;
      return [...weights.subarray(start, start + n)];
    },
    weight: (block, head, i, j) => weights[(place(block, head) * n + i) * n + j],
    change: (block, head, i) => change[place(block, head) * n + i],
    distance: (block, head, i) => distance[place(block, head) * n + i],
  };
};
