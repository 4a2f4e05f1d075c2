/** A sequence of whole numbers from 0 to 2^32 - 1 that depends only on the seed (mulberry32). */
export function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

/** The same sequence as fractions from 0 to 1, 1 excluded. */
export function fractionsOf(seed: number): () => number {
  const next = mulberry32(seed);
  return () => next() / 4_294_967_296;
}
