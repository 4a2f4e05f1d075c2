import { SIGNS, type Signs } from "./signs.ts";

/** Fitted by bench/resolve/fit.ts; docs/resolve.md says how. */
const INTERCEPT = -0.6;
const WEIGHTS: Partial<Signs> = {};

/** The probability that a statement is true by its signs alone, before any sentence that states the outcome. */
export function leanOf(signs: Signs): number {
  const sum = SIGNS.reduce((total, name) => total + (WEIGHTS[name] ?? 0) * signs[name], INTERCEPT);
  return 1 / (1 + Math.exp(-sum));
}
