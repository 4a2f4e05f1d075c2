import { SIGNS, type Signs } from "./signs.ts";

/** Parameters of a logistic regression: the intercept, and a weight for each sign. */
export interface LeanModel {
  readonly intercept: number;
  readonly weights: Readonly<Record<keyof Signs, number>>;
}

/** Fitted by `npm run bench -- resolve --fit`, which docs/resolve.md describes. */
const MODEL: LeanModel = {
  intercept: -1.25,
  weights: {
    yes_answers: 0.84,
    no_answers: -2.49,
    negations: -2.02,
    negation_mismatch: -0.36,
    refutations: -0.66,
    confirmations: 0.57,
    hearsay: 0,
    coverage: -0.38,
    coverage_of_all: 0.98,
    numbers_shared: 0.57,
    numbers_missing: 0.21,
    hedges: 1.06,
  },
};

/** The probability that a statement is true from its signs alone, without any sentence that states the outcome. */
export function leanOf(signs: Signs, { intercept, weights }: LeanModel = MODEL): number {
  const sum = SIGNS.reduce((total, name) => total + weights[name] * signs[name], intercept);
  return 1 / (1 + Math.exp(-sum));
}
