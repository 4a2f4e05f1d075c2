import { SIGNS, type Signs } from "./signs.ts";

/** Figures of a logistic regression: the intercept, and a weight for each sign. */
export interface LeanModel {
  readonly intercept: number;
  readonly weights: Readonly<Record<keyof Signs, number>>;
}

/** Fitted by `npm run bench -- resolve --fit`; docs/resolve.md says how. */
const MODEL: LeanModel = {
  intercept: -1.26,
  weights: {
    yes_answers: 0.79,
    no_answers: -2.52,
    negations: -1.91,
    negation_mismatch: -0.45,
    refutations: -0.7,
    confirmations: 0.57,
    hearsay: 0.09,
    coverage: -0.28,
    coverage_of_all: 0.97,
    numbers_shared: 0.56,
    numbers_missing: 0.16,
    hedges: 0.83,
  },
};

/** The probability that a statement is true by its signs alone, before any sentence that states the outcome. */
export function leanOf(signs: Signs, { intercept, weights }: LeanModel = MODEL): number {
  const sum = SIGNS.reduce((total, name) => total + weights[name] * signs[name], intercept);
  return 1 / (1 + Math.exp(-sum));
}
