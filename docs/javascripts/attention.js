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
const frequencies = (d_model) => rotary_angles(1, d_model);

export const sinusoidal_positions = (n, d_model) => Array.from({ length: n }, (_, position) =>
  frequencies(d_model).flatMap((theta) => [Math.sin(position * theta), Math.cos(position * theta)]));

/* snippets/rotary.py, of one position and one row: number i is paired with number i + half, or,
   interleaved, number 2i with number 2i + 1; what has no angle stays as it is. */
export const rotary_angles = (position, width, base = 10000) =>
  Array.from({ length: width / 2 }, (_, i) => position * base ** ((-2 * i) / width));

export const rotate = (x, cos, sin, interleaved = false) => {
  const turned = [...x];
  cos.forEach((c, i) => {
    const [first, second] = interleaved ? [2 * i, 2 * i + 1] : [i, i + cos.length];
    turned[first] = x[first] * c - x[second] * sin[i];
    turned[second] = x[first] * sin[i] + x[second] * c;
  });
  return turned;
};

/* What the notes Dot Product and Cosine, Softmax Saturation and Importance of dk in Scaling define. */
export const dot_product = dot;

export const cosine = (q, k) => dot(q, k) / (Math.hypot(...q) * Math.hypot(...k));

export const entropy = (alpha) => -alpha.reduce((sum, a) => sum + (a > 0 ? a * Math.log(a) : 0), 0);

export const jacobian = (alpha) => alpha.map((a, i) => alpha.map((b, j) => a * ((i === j) - b)));

export const jacobian_norm = (alpha) => {
  const power = (exponent) => alpha.reduce((sum, a) => sum + a ** exponent, 0);
  return Math.sqrt(Math.max(power(2) - 2 * power(3) + power(2) ** 2, 0));
};
