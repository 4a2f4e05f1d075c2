import { SIGNS, type Signs } from "./signs.ts";

/** Parameters of a logistic regression: the intercept, and a weight for each sign. */
export interface LeanModel {
  readonly intercept: number;
  readonly weights: Readonly<Record<keyof Signs, number>>;
}

/** Fitted by `npm run bench -- resolve --fit`, which docs/resolve.md describes. */
const MODEL: LeanModel = {
  intercept: -1.34,
  weights: {
    yes_answers: 0.94,
    no_answers: -2.49,
    negations: -1.99,
    negation_mismatch: -0.49,
    refutations: -0.59,
    confirmations: 0.47,
    hearsay: 0.09,
    coverage: -0.16,
    coverage_of_all: 0.96,
    numbers_shared: 0.78,
    numbers_missing: 0.05,
    hedges: 0.85,
  },
};

/** The probability that a statement is true from its signs alone, without any sentence that states the outcome. */
export function leanOf(signs: Signs, { intercept, weights }: LeanModel = MODEL): number {
  const sum = SIGNS.reduce((total, name) => total + weights[name] * signs[name], intercept);
  return 1 / (1 + Math.exp(-sum));
}
