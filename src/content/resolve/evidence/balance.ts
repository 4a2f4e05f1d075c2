import { type Plan, type Source, type Statement } from "../reading/analysis.ts";
import { type Voice, voicesOf } from "./voices.ts";

/** Log-odds that one firm voice adds, and the factors of the first and the following voices. */
const VOICE = 2.4;
const NEXT_VOICES = [1, 0.6, 0.45, 0.3, 0.2] as const;
/** Log-odds that the resolution source adds. */
const RESOLUTION_SOURCE = 4.2;
/** The weaker side's minimum share of the stronger side at which sources contradict each other. */
const CONTRADICTION = 0.45;

/** The weight of the sources on each side. */
export interface Balance {
  readonly voices: readonly Voice[];
  /** Log-odds of the voices for YES and for NO, both at least 0. */
  readonly forYes: number;
  readonly forNo: number;
  readonly contradicted: boolean;
}

/** Adds up the voices of each side. Each further voice of a side adds less. */
export function balanceOf(plan: Plan, sources: readonly Source[], statements: readonly Statement[]): Balance {
  const voices = voicesOf(plan, sources, statements);
  const forYes = sumOf(voices.filter((one) => one.sign > 0));
  const forNo = sumOf(voices.filter((one) => one.sign < 0));
  const weaker = Math.min(forYes, forNo);
  return { voices, forYes, forNo, contradicted: weaker > 0.5 && weaker / Math.max(forYes, forNo) >= CONTRADICTION };
}

function sumOf(voices: readonly Voice[]): number {
  const sorted = voices.toSorted((a, b) => b.strength - a.strength);
  return sorted.reduce((sum, voice, index) => {
    const full = voice.isResolutionSource ? RESOLUTION_SOURCE : VOICE;
    return sum + full * voice.strength * (NEXT_VOICES[index] ?? 0.1);
  }, 0);
}
