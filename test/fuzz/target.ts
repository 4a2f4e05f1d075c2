import { type Arbitrary } from "fast-check";
import { type Random } from "./random.ts";

/** One thing that takes bytes from strangers, and what must hold whatever they are. */
export interface Target {
  readonly name: string;
  /** Sound inputs, and known troublemakers: what mutations begin with. */
  readonly seeds: readonly Buffer[];
  /** Words that mean something to the target. */
  readonly words: readonly Buffer[];
  /** Inputs that are right for the most part. */
  readonly structured: Arbitrary<Buffer>;
  /** Throws where a property does not hold; returns what an oracle must agree to, if it is asked. */
  check(input: Buffer, random: Random): Claim | undefined;
  /** Resolves to why the oracle does not agree to a claim, each in its claim's place; empty where it does. */
  readonly confirm?: (claims: readonly Claim[]) => Promise<string[]>;
}

/** What a target makes of a request, and another parser must make of it too. */
export interface Claim {
  readonly input: Buffer;
  readonly method: string;
  readonly target: string;
  /** Name and value of every line, in order. */
  readonly fields: readonly string[];
  /** Undefined where the body is not whole. */
  readonly body: string | undefined;
}

export function latin1(text: string): Buffer {
  return Buffer.from(text, "latin1");
}
