import { SIGNS, type Signs } from "./signs.ts";

/** Figures of a logistic regression: the intercept, and a weight for each sign. */
export interface LeanModel {
  readonly intercept: number;
  readonly weights: Readonly<Record<keyof Signs, number>>;
}

/** Fitted by `npm run bench -- resolve --fit`; docs/resolve.md says how. */
const MODEL: LeanModel = {
  intercept: -1.3,
  weights: {
    yes_answers: 0.81,
    no_answers: -2.5,
    negations: -1.83,
    negation_mismatch: -0.41,
    refutations: -0.73,
    confirmations: 0.59,
    hearsay: 0.1,
    coverage: -0.28,
    coverage_of_all: 1.02,
    numbers_shared: 0.55,
    numbers_missing: 0.18,
    hedges: 0.87,
  },
};

/** The probability that a statement is true by its signs alone, before any sentence that states the outcome. */
export function leanOf(signs: Signs, { intercept, weights }: LeanModel = MODEL): number {
  const sum = SIGNS.reduce((total, name) => total + weights[name] * signs[name], intercept);
  return 1 / (1 + Math.exp(-sum));
}
