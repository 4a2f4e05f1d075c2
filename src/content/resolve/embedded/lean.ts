import { SIGNS, type Signs } from "./signs.ts";

/** Parameters of a logistic regression: the intercept, and a weight for each sign. */
export interface LeanModel {
  readonly intercept: number;
  readonly weights: Readonly<Record<keyof Signs, number>>;
}

/** Fitted by `npm run bench -- resolve --fit`, which docs/resolve.md describes. */
const MODEL: LeanModel = {
  intercept: -1.41,
  weights: {
    yes_answers: 0.81,
    no_answers: -2.7,
    negations: -3.08,
    confirmations: 0.41,
    coverage_of_all: 1.13,
    numbers_shared: 0.63,
  },
};

/** The probability that a statement is true, by its signs alone: no sentence states the outcome. */
export function leanOf(signs: Signs, { intercept, weights }: LeanModel = MODEL): number {
  const sum = SIGNS.reduce((total, name) => total + weights[name] * signs[name], intercept);
  return 1 / (1 + Math.exp(-sum));
}
