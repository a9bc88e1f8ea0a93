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
