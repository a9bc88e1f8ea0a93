/* The snippets' functions of the same names, on plain arrays: a row is an array of numbers, a matrix
   an array of rows. A test compares each with its snippet. */

/* snippets/softmax.py, of one row: -Infinity gets 0, and so does a row that is nothing else. */
export const softmax = (x) => {
  const largest = Math.max(...x);
  if (largest === -Infinity) return x.map(() => 0);
  const exps = x.map((score) => Math.exp(score - largest));
  const total = exps.reduce((sum, e) => sum + e, 0);
  return exps.map((e) => e / total);
};

/* snippets/attention.py */
const dot = (a, b) => a.reduce((sum, value, l) => sum + value * b[l], 0);

export const attention_scores = (query, key) => query.map((q) => key.map((k) => dot(q, k)));

/* `attn_mask`: rows of true and false, as many as scores, or one for all; null: none. */
export const attention_weights = (scores, attn_mask = null, scale = null) =>
  scores.map((row, i) => softmax(row.map((score, j) => {
    const open = !attn_mask || (attn_mask[i] ?? attn_mask[0])[j];
    return open ? score * (scale ?? 1) : -Infinity;
  })));

/* The weighted sum of values, row by row: alpha V. */
export const context_vectors = (weights, value) =>
  weights.map((row) => value[0].map((_, column) => dot(row, value.map((v) => v[column]))));

export const scaled_dot_product_attention = (query, key, value, attn_mask = null, is_causal = false, scale = null) => {
  const mask = is_causal ? causal_mask(query.length, key.length) : attn_mask;
  const weights = attention_weights(attention_scores(query, key), mask, scale ?? 1 / Math.sqrt(query[0].length));
  return { output: context_vectors(weights, value), weights };
};

/* snippets/masks.py */
export const causal_mask = (n, m = n) =>
  Array.from({ length: n }, (_, i) => Array.from({ length: m }, (_, j) => j <= i));

export const padding_mask = (length, m) => [Array.from({ length: m }, (_, j) => j < length)];

/* snippets/positional_encoding.py */
export const frequencies = (d_model) =>
  Array.from({ length: d_model / 2 }, (_, i) => 10000 ** ((-2 * i) / d_model));

export const sinusoidal_positions = (n, d_model) => Array.from({ length: n }, (_, position) =>
  frequencies(d_model).flatMap((theta) => [Math.sin(position * theta), Math.cos(position * theta)]));

/* Turns a pair by an angle, from its second axis to its first: (sin a, cos a) becomes
   (sin(a + angle), cos(a + angle)). */
export const rotate = ([x, y], angle) => [
  x * Math.cos(angle) + y * Math.sin(angle),
  y * Math.cos(angle) - x * Math.sin(angle),
];

/* What the notes Dot Product and Cosine, Softmax Saturation and Importance of dk in Scaling define. */
export const dot_product = dot;

export const cosine = (q, k) => dot(q, k) / (Math.hypot(...q) * Math.hypot(...k));

export const entropy = (alpha) => -alpha.reduce((sum, a) => sum + (a > 0 ? a * Math.log(a) : 0), 0);

export const jacobian = (alpha) => alpha.map((a, i) => alpha.map((b, j) => a * ((i === j) - b)));

export const jacobian_norm = (alpha) => {
  const power = (exponent) => alpha.reduce((sum, a) => sum + a ** exponent, 0);
  return Math.sqrt(Math.max(power(2) - 2 * power(3) + power(2) ** 2, 0));
};
