/**
 * Fits the constants of src/content/resolve/embedded/lean.ts, and reports their quality on claims that were not used
 * for the fit.
 */
import { balanceOf } from "../../src/content/resolve/evidence/balance.ts";
import { leanOf, type LeanModel } from "../../src/content/resolve/embedded/lean.ts";
import { SIGNS, type Signs } from "../../src/content/resolve/embedded/signs.ts";
import { weigh } from "../../src/content/resolve/evidence/weigh.ts";
import { type Asked } from "./ask.ts";
import { type Outcome } from "./figures.ts";
import { type Example, fitted } from "./regression.ts";

/**
 * The strength of the penalty on weights, in units of each sign's spread. Chosen once, and not by the results of folds.
 */
const PENALTY = 20;
const FOLDS = 10;

interface Scaling {
  readonly mean: number;
  readonly spread: number;
}

/** Fits one model to all given claims that the evidence settles. */
export function fit(asked: readonly Asked[]): LeanModel {
  const settled = asked.filter(({ claim }) => claim.truth !== undefined);
  const scalings = SIGNS.map((name) => scalingOf(settled.map(({ signs }) => signs[name])));
  const weights = fitted(
    settled.map((one) => exampleOf(one, scalings)),
    PENALTY,
  );
  const scaled = SIGNS.map((_, at) => (weights[at + 1] ?? 0) / (scalings[at]?.spread ?? 1));
  const intercept = (weights[0] ?? 0) - scaled.reduce((sum, weight, at) => sum + weight * (scalings[at]?.mean ?? 0), 0);
  return { intercept, weights: Object.fromEntries(SIGNS.map((name, at) => [name, scaled[at] ?? 0])) as Signs }; // Each
  // sign
  // has
  // its
  // entry.
}

/** The log-odds of voices are fixed; the lean is fitted in addition. */
function exampleOf({ plan, sources, analysis, signs, claim }: Asked, scalings: readonly Scaling[]): Example {
  const { forYes, forNo } = balanceOf(plan, sources, analysis.statements);
  const inputs = SIGNS.map((name, at) => (signs[name] - (scalings[at]?.mean ?? 0)) / (scalings[at]?.spread ?? 1));
  return { inputs: [1, ...inputs], truth: claim.truth ?? 0, offset: forYes - forNo };
}

function scalingOf(values: readonly number[]): Scaling {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
  return { mean, spread: spread === 0 ? 1 : spread };
}

/**
 * The result for each claim if the model is fitted without its fold. `lists` are the same claims in several settings.
 */
export function crossValidated(lists: readonly (readonly Asked[])[]): Outcome[][] {
  const models = Array.from({ length: FOLDS }, (_, fold) =>
    fit(lists.flatMap((asked) => asked.filter(({ claim }) => foldOf(claim.text) !== fold))),
  );
  return lists.map((asked) =>
    asked.map((one) => {
      const model = models[foldOf(one.claim.text)];
      const probability = leanOf(one.signs, model);
      return { ...weigh(one.plan, one.sources, { ...one.analysis, probability }, one.now), truth: one.claim.truth };
    }),
  );
}

function foldOf(claim: string): number {
  return Bun.hash.crc32(claim) % FOLDS;
}
