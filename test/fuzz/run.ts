/** Runs a target with many inputs for a given time. */
import fc from "fast-check";
import { crossed, mutate } from "./mutate.ts";
import { Random } from "./random.ts";
import { type Claim, type Target } from "./target.ts";

/** Inputs from which mutations begin; new ones replace old ones. */
const MAX_POOL = 512;
/** Claims that are sent to the oracle together. */
const BATCH = 200;
/** Maximum milliseconds of processor time for one input; a thousandth of this is usual. */
const SLOW_MS = 2_000;
/** Attempts at making a failing input smaller. */
const SHRINKS = 400;

export interface FuzzReport {
  readonly inputs: number;
  readonly confirmed: number;
}

/** A property that did not hold. */
export class FuzzFailure extends Error {
  constructor(target: Target, seed: number, input: Buffer, cause: unknown) {
    const why = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    super(`${target.name} fails with seed ${seed} on ${JSON.stringify(input.toString("latin1"))}: ${why}`);
    this.name = "FuzzFailure";
  }
}

/** A busy machine can keep the process waiting, so the clock on the wall would tell nothing of an input. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function failureOf(target: Target, input: Buffer, seed: number): unknown {
  try {
    const began = cpuMs();
    target.check(input, new Random(seed));
    const took = cpuMs() - began;
    return took > SLOW_MS ? new Error(`it took ${took.toFixed(0)} ms`) : undefined;
  } catch (error) {
    return error;
  }
}

/** Removes parts of the input that the failure does not need. */
function shrink(target: Target, input: Buffer, seed: number): Buffer {
  let smallest = input;
  let size = Math.ceil(input.length / 2);
  for (let tries = 0; tries < SHRINKS && size > 0; ) {
    let smaller = false;
    for (let at = 0; at < smallest.length && tries < SHRINKS; at += size, tries++) {
      const candidate = Buffer.concat([smallest.subarray(0, at), smallest.subarray(at + size)]);
      if (failureOf(target, candidate, seed) === undefined) continue;
      smallest = candidate;
      smaller = true;
    }
    if (!smaller) size = Math.floor(size / 2);
  }
  return smallest;
}

/** An endless series of inputs: seeds first, then structured inputs and mutations of all. */
function* inputsOf(target: Target, random: Random, seed: number): Generator<Buffer> {
  const pool = [...target.seeds];
  yield* target.seeds;
  for (let round = 0; ; round++) {
    for (const input of fc.sample(target.structured, { seed: seed + round, numRuns: 50 })) {
      yield input;
      if (pool.length < MAX_POOL) pool.push(input);
      else pool[random.below(MAX_POOL)] = input;
    }
    for (let i = 0; i < 400; i++) {
      const first = random.pick(pool);
      yield mutate(random.below(4) === 0 ? crossed(first, random.pick(pool), random) : first, random, target.words);
    }
  }
}

/**
 * Runs for `milliseconds`, and until `leastInputs` were tried; rejects with a `FuzzFailure` if a property does not hold.
 */
export async function fuzz(target: Target, seed: number, milliseconds: number, leastInputs = 0): Promise<FuzzReport> {
  const ends = performance.now() + milliseconds;
  let claims: Claim[] = [];
  let inputs = 0;
  let confirmed = 0;
  const confirm = async (): Promise<void> => {
    const verdicts = (await target.confirm?.(claims)) ?? [];
    for (const [i, claim] of claims.entries()) {
      if ((verdicts[i] ?? "") !== "") throw new FuzzFailure(target, seed, claim.input, verdicts[i]);
    }
    confirmed += claims.length;
    claims = [];
  };
  for (const input of inputsOf(target, new Random(seed), seed)) {
    if (performance.now() > ends && inputs >= leastInputs) break;
    inputs++;
    const inputSeed = seed + inputs;
    const began = cpuMs();
    try {
      const claim = target.check(input, new Random(inputSeed));
      if (claim !== undefined && target.confirm !== undefined) claims.push(claim);
      const took = cpuMs() - began;
      if (took > SLOW_MS) throw new Error(`it took ${took.toFixed(0)} ms`);
    } catch (error) {
      const smallest = shrink(target, input, inputSeed);
      throw new FuzzFailure(target, seed, smallest, failureOf(target, smallest, inputSeed) ?? error);
    }
    if (claims.length >= BATCH) await confirm();
  }
  await confirm();
  return { inputs, confirmed };
}
