/** Changes an input: flips, cuts, doubles and moves bytes, and inserts words of the target. */
import { type Random } from "./random.ts";

/** Maximum bytes of an input. Longer ones find nothing more, and are slow. */
const MAX_BYTES = 16_384;
const EDGES = [0x00, 0x01, 0x09, 0x0a, 0x0b, 0x0d, 0x20, 0x22, 0x2c, 0x3a, 0x3b, 0x7e, 0x7f, 0x80, 0xa0, 0xfe, 0xff];

type Mutator = (input: Buffer, random: Random, words: readonly Buffer[]) => Buffer;

function replaced(input: Buffer, at: number, length: number, by: Buffer): Buffer {
  return Buffer.concat([input.subarray(0, at), by, input.subarray(at + length)]);
}

/** An offset and a length within the input; short lengths are more frequent. */
function range(input: Buffer, random: Random): readonly [at: number, length: number] {
  const at = random.below(input.length + 1);
  const most = Math.min(input.length - at, random.below(3) === 0 ? input.length : 16);
  return [at, random.below(most + 1)];
}

const MUTATORS: readonly Mutator[] = [
  (input, random) => {
    const at = random.below(input.length + 1);
    return replaced(input, at, 1, Buffer.from([(input[at] ?? 0) ^ (1 << random.below(8))]));
  },
  (input, random) => replaced(input, random.below(input.length + 1), 1, Buffer.from([random.pick(EDGES)])),
  (input, random) => replaced(input, random.below(input.length + 1), 0, Buffer.from([random.pick(EDGES)])),
  (input, random) => replaced(input, random.below(input.length + 1), 1, Buffer.from([random.below(256)])),
  (input, random) => {
    const [at, length] = range(input, random);
    return replaced(input, at, length, Buffer.alloc(0));
  },
  (input, random) => {
    const [at, length] = range(input, random);
    return replaced(input, random.below(input.length + 1), 0, input.subarray(at, at + length));
  },
  (input, random) => {
    const [at, length] = range(input, random);
    return Buffer.concat([replaced(input, at, length, Buffer.alloc(0)), input.subarray(at, at + length)]);
  },
  (input, random) => input.subarray(0, random.below(input.length + 1)),
  (input, random, words) => replaced(input, random.below(input.length + 1), 0, random.pick(words)),
  (input, random, words) => {
    const [at, length] = range(input, random);
    return replaced(input, at, length, random.pick(words));
  },
  (input, random, words) => {
    const word = random.pick(words);
    const times = 1 + random.below(64);
    return replaced(input, random.below(input.length + 1), 0, Buffer.concat(Array.from({ length: times }, () => word)));
  },
];

/** One to five mutations, one after the other. */
export function mutate(input: Buffer, random: Random, words: readonly Buffer[]): Buffer {
  let mutated = input;
  for (let left = 1 + random.below(5); left > 0; left--) mutated = random.pick(MUTATORS)(mutated, random, words);
  return Buffer.from(mutated.subarray(0, MAX_BYTES));
}

/** The beginning of one input and the end of another. */
export function crossed(a: Buffer, b: Buffer, random: Random): Buffer {
  return Buffer.concat([a.subarray(0, random.below(a.length + 1)), b.subarray(random.below(b.length + 1))]);
}
