import { type Plan, type Source, type Statement } from "../reading/analysis.ts";
import { speaks, type Voice, voicesOf } from "./voices.ts";

/** Log-odds that one firm voice adds, and the factors of the first and the following voices. */
const VOICE = 2.4;
const NEXT_VOICES = [1, 0.85, 0.5, 0.3, 0.2] as const;
/** Log-odds of a voice for a disputed claim: pages repeat claims more often than they confirm them. */
const REPEATED = 1.8;
/** Log-odds that the resolution source adds. */
const RESOLUTION_SOURCE = 4.2;

export interface Balance {
  readonly voices: readonly Voice[];
  /** Log-odds of the voices for YES and for NO, both at least 0. */
  readonly forYes: number;
  readonly forNo: number;
  /** Whether voices that decide are on both sides. */
  readonly contradicted: boolean;
}

/** Adds up the voices of each side. Each further voice of a side adds less. */
export function balanceOf(plan: Plan, sources: readonly Source[], statements: readonly Statement[]): Balance {
  const voices = voicesOf(plan, sources, statements);
  const forYes = sumOf(
    voices.filter((one) => one.sign === 1),
    plan.isClaim && !plan.negated ? REPEATED : VOICE,
  );
  const forNo = sumOf(
    voices.filter((one) => one.sign === -1),
    VOICE,
  );
  const sides = new Set(voices.filter(speaks).map(({ sign }) => sign));
  return { voices, forYes, forNo, contradicted: sides.size > 1 };
}

function sumOf(voices: readonly Voice[], own: number): number {
  const sorted = voices.toSorted((a, b) => b.strength - a.strength);
  return sorted.reduce((sum, voice, index) => {
    const full = voice.isResolutionSource ? RESOLUTION_SOURCE : own;
    return sum + full * voice.strength * (NEXT_VOICES[index] ?? 0.1);
  }, 0);
}
