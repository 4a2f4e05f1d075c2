/**
 * Signatures of a throwaway key without money, in test mode. They take a time that depends on the key, so that no key of
 * value may be used here.
 */
const P = 2n ** 256n - 2n ** 32n - 977n;
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const G: Point = [
  0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
  0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n,
];

/** Affine; undefined: the point at infinity. */
type Point = readonly [x: bigint, y: bigint];

function mod(value: bigint, by: bigint): bigint {
  const rest = value % by;
  return rest < 0n ? rest + by : rest;
}

function inverse(value: bigint, by: bigint): bigint {
  let [a, b, x, y] = [mod(value, by), by, 1n, 0n];
  while (a > 1n) {
    const quotient = b / a;
    [a, b, x, y] = [b - quotient * a, a, y - quotient * x, x];
  }
  return mod(x, by);
}

function add(a: Point | undefined, b: Point | undefined): Point | undefined {
  if (a === undefined) return b;
  if (b === undefined) return a;
  if (a[0] === b[0] && a[1] !== b[1]) return undefined;
  const slope = a[0] === b[0] ? 3n * a[0] * a[0] * inverse(2n * a[1], P) : (b[1] - a[1]) * inverse(b[0] - a[0], P);
  const x = mod(slope * slope - a[0] - b[0], P);
  return [x, mod(slope * (a[0] - x) - a[1], P)];
}

/** The point `scalar` times the generator; `scalar` is from 1 to N - 1. */
function times(scalar: bigint): Point {
  let sum: Point | undefined;
  let step: Point | undefined = G;
  for (let rest = scalar; rest > 0n; rest >>= 1n) {
    if (rest & 1n) sum = add(sum, step);
    step = add(step, step);
  }
  return sum ?? G;
}

/** A number from 1 to N - 1. */
export function randomScalar(): bigint {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return mod(BigInt(`0x${hexOf(bytes)}`), N - 1n) + 1n;
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function wordOf(value: bigint): string {
  return value.toString(16).padStart(64, "0");
}

/** The public key in hex: x and y. */
export function publicKey(key: bigint): string {
  const [x, y] = times(key);
  return wordOf(x) + wordOf(y);
}

/** A signature of a hash of 32 bytes, in hex: r, s and v, with s in the lower half of the order. */
export function sign(hash: Uint8Array, key: bigint): string {
  const random = randomScalar();
  const [x, y] = times(random);
  const r = mod(x, N);
  const high = mod(inverse(random, N) * (BigInt(`0x${hexOf(hash)}`) + r * key), N);
  const isHigh = high > N / 2n;
  const v = 27 + Number((y & 1n) ^ (isHigh ? 1n : 0n));
  return `0x${wordOf(r)}${wordOf(isHigh ? N - high : high)}${v.toString(16)}`;
}
