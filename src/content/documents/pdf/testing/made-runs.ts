import { type Rule, type Run } from "../shapes.ts";

/** A run of letters that are 10 points high and 5 points wide. */
export function runAt(x: number, y: number, text: string, more: Partial<Run> = {}): Run {
  const look = { size: 10, isBold: false, isMono: false, isRtl: false, isSpaced: false };
  return { text, x, y, width: text.length * 5, ...look, href: "", font: "", mark: "", ...more };
}

/** A drawn level line. */
export function across(at: number, from: number, to: number): Rule {
  return { isAcross: true, at, from, to };
}

/** A drawn upright line. */
export function down(at: number, from: number, to: number): Rule {
  return { isAcross: false, at, from, to };
}
