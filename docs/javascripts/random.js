/* The random numbers of np.random.default_rng(seed), for what training draws: whole numbers are the
   same, normal ones equal to 14 digits. A test compares them. As in NumPy, the seed is spread by
   SeedSequence over the state of PCG64, and normal numbers come from a ziggurat of 256 layers. */

const times = (a, b) => Math.imul(a, b) >>> 0;

/* The eight words of 32 bits that np.random.SeedSequence(seed) generates for PCG64. */
const words = (seed) => {
  let constant = 0x43b0d7e5;
  const hashed = (value) => {
    const mixed = (value ^ constant) >>> 0;
    constant = times(constant, 0x931e8875);
    const product = times(mixed, constant);
    return (product ^ (product >>> 16)) >>> 0;
  };
  const pool = [seed, 0, 0, 0].map(hashed);
  for (let from = 0; from < 4; from += 1) {
    for (let to = 0; to < 4; to += 1) {
      if (from === to) continue;
      const mixed = (times(0xca01f9dd, pool[to]) - times(0x4973f715, hashed(pool[from]))) >>> 0;
      pool[to] = (mixed ^ (mixed >>> 16)) >>> 0;
    }
  }
  let other = 0x8b51f9dd;
  return Array.from({ length: 8 }, (_, i) => {
    const mixed = (pool[i % 4] ^ other) >>> 0;
    other = times(other, 0x58f38ded);
    const product = times(mixed, other);
    return (product ^ (product >>> 16)) >>> 0;
  });
};

/* The ziggurat: 256 layers of equal area under exp(-x²/2). Layer 0 has the tail, which begins at R. */
const R = 3.6541528853610088;
const AREA = 0.004928673233974658;
const edges = [0, R]; // of the layers, from the tail inwards
for (let i = 2; i < 256; i += 1) {
  const x = edges[i - 1];
  edges.push(Math.sqrt(-2 * Math.log(AREA / x + Math.exp(-0.5 * x * x))));
}
edges[0] = AREA / Math.exp(-0.5 * R * R);
edges.push(0);
// NumPy counts its layers from the tail, then from the top down.
const layer = (i) => (i === 0 ? 0 : 256 - i);
const [wide, certain, height] = [[], [], []];
for (let i = 0; i < 256; i += 1) {
  const x = edges[layer(i)];
  wide.push(x / 2 ** 52);
  certain.push((edges[layer(i) + 1] / x) * 2 ** 52);
  height.push(i === 0 ? 1 : Math.exp(-0.5 * x * x));
}

export const generator = (seed) => {
  const MASK = (1n << 64n) - 1n;
  const FACTOR = 0x2360ed051fc65da44385df649fccf645n;
  const found = words(seed).map(BigInt);
  const long = (i) => (found[2 * i + 1] << 32n) | found[2 * i];
  const more = (((long(2) << 64n) | long(3)) << 1n) | 1n;
  const next = (value) => BigInt.asUintN(128, value * FACTOR + more);
  let state = next(more + ((long(0) << 64n) | long(1)));
  let kept = null; // The upper half of the last 64 bits, if only the lower one was used.

  const bits = () => {
    state = next(state);
    const turn = state >> 122n;
    const mixed = (state >> 64n) ^ (state & MASK);
    return ((mixed >> turn) | (mixed << (64n - turn))) & MASK;
  };
  const half = () => {
    if (kept !== null) {
      const value = kept;
      kept = null;
      return value;
    }
    const both = bits();
    kept = Number(both >> 32n);
    return Number(both & 0xffffffffn);
  };
  const share = () => Number(bits() >> 11n) / 2 ** 53;

  /* rng.integers(limit) */
  const integer = (limit) => {
    for (;;) {
      const product = half() * limit; // below 2**53 for the small limits here
      const low = product % 2 ** 32;
      if (low >= limit || low >= 2 ** 32 % limit) return Math.floor(product / 2 ** 32);
    }
  };

  /* A whole number from 0 to `last`, as NumPy draws one to shuffle: what is too large is drawn again. */
  const upTo = (last) => {
    const mask = 2 ** (32 - Math.clz32(last)) - 1;
    for (;;) {
      const value = half() & mask;
      if (value <= last) return value;
    }
  };

  /* rng.standard_normal() */
  const normal = () => {
    for (;;) {
      const drawn = bits();
      const at = Number(drawn & 0xffn);
      const size = Number((drawn >> 9n) & 0xfffffffffffffn);
      const x = (drawn >> 8n) & 1n ? -size * wide[at] : size * wide[at];
      if (size < certain[at]) return x;
      if (at > 0) {
        if ((height[at - 1] - height[at]) * share() + height[at] < Math.exp(-0.5 * x * x)) return x;
        continue;
      }
      for (;;) {
        const beyond = -Math.log1p(-share()) / R;
        const level = -Math.log1p(-share());
        if (2 * level > beyond * beyond) return (size >> 8) & 1 ? -(R + beyond) : R + beyond;
      }
    }
  };

  /* A row of rng.permuted(np.tile(np.arange(kinds), (count, 1)), axis=1) */
  const permuted = (kinds) => {
    const row = Array.from({ length: kinds }, (_, i) => i);
    for (let i = kinds - 1; i > 0; i -= 1) {
      const j = upTo(i);
      [row[i], row[j]] = [row[j], row[i]];
    }
    return row;
  };

  return { integer, normal, permuted };
};
