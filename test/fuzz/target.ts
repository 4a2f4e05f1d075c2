import { type Arbitrary } from "fast-check";
import { type Random } from "./random.ts";

/** A component that reads untrusted bytes, and the properties that must hold for every input. */
export interface Target {
  readonly name: string;
  /** Valid inputs, and inputs that are known to cause problems: mutations begin with these. */
  readonly seeds: readonly Buffer[];
  /** Words with a meaning for the target. */
  readonly words: readonly Buffer[];
  /** Inputs that are mostly valid. */
  readonly structured: Arbitrary<Buffer>;
  /** Throws if a property does not hold. Returns the claim that an oracle must confirm, if there is an oracle. */
  check(input: Buffer, random: Random): Claim | undefined;
  /** Resolves to the contradictions that the oracle finds, each at the index of its claim; empty if it confirms the claim. */
  readonly confirm?: (claims: readonly Claim[]) => Promise<string[]>;
}

/** The target's reading of a request, which another parser must confirm. */
export interface Claim {
  readonly input: Buffer;
  readonly method: string;
  readonly target: string;
  /** Name and value of every line, in order. */
  readonly fields: readonly string[];
  /** Undefined if the body is incomplete. */
  readonly body: string | undefined;
}

export function latin1(text: string): Buffer {
  return Buffer.from(text, "latin1");
}
