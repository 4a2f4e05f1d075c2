/** The quality of probabilities and verdicts. */
import { type Verdict } from "../../src/content/resolve/reading/analysis.ts";

export interface Outcome {
  readonly probability: number;
  readonly verdict: Verdict;
  /** Undefined if the evidence settles nothing. UNCERTAIN is then right. */
  readonly truth: 0 | 1 | undefined;
}

export interface Bin {
  readonly count: number;
  readonly predicted: number;
  readonly observed: number;
}

export interface Figures {
  readonly count: number;
  /** Accuracy of probabilities as above or below 0.5. */
  readonly accuracy: number;
  readonly brier: number;
  readonly auroc: number;
  /** Expected calibration error over ten bins of equal width. */
  readonly ece: number;
  /** Share of verdicts that are not UNCERTAIN, and the accuracy of those. */
  readonly coverage: number;
  readonly accuracyCovered: number;
  /** Share of verdicts that are YES or NO, and the accuracy of those. */
  readonly coverageFirm: number;
  readonly accuracyFirm: number;
  /**
   * The same over all claims. A claim that the evidence does not settle counts as wrong unless the verdict is
   * UNCERTAIN.
   */
  readonly coverageAll: number;
  readonly accuracyAll: number;
  readonly bins: readonly Bin[];
}

const BINS = 10;

export function figuresOf(outcomes: readonly Outcome[]): Figures {
  const settled = outcomes.filter((one): one is Outcome & { truth: 0 | 1 } => one.truth !== undefined);
  const covered = settled.filter(isCovered);
  const firm = settled.filter((one) => one.verdict === "YES" || one.verdict === "NO");
  const all = outcomes.filter(isCovered);
  const bins = binsOf(settled);
  return {
    count: settled.length,
    accuracy: share(settled, (one) => one.probability > 0.5 === (one.truth === 1)),
    brier: mean(settled.map((one) => (one.probability - one.truth) ** 2)),
    auroc: aurocOf(settled),
    ece: bins.reduce((sum, bin) => sum + bin.count * Math.abs(bin.predicted - bin.observed), 0) / settled.length,
    coverage: covered.length / settled.length,
    accuracyCovered: share(covered, isRight),
    coverageFirm: firm.length / settled.length,
    accuracyFirm: share(firm, isRight),
    coverageAll: all.length / outcomes.length,
    accuracyAll: share(all, isRight),
    bins,
  };
}

function isCovered({ verdict }: Outcome): boolean {
  return verdict !== "UNCERTAIN";
}

function isRight({ verdict, truth }: Outcome): boolean {
  return truth === (verdict === "YES" || verdict === "LIKELY_YES" ? 1 : 0);
}

function share<T>(list: readonly T[], holds: (one: T) => boolean): number {
  return list.filter(holds).length / list.length;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function aurocOf(settled: readonly { readonly probability: number; readonly truth: number }[]): number {
  const yes = settled.filter((one) => one.truth === 1);
  const no = settled.filter((one) => one.truth === 0);
  const won = yes.reduce(
    (sum, { probability }) =>
      sum +
      no.reduce(
        (part, other) => part + (probability > other.probability ? 1 : probability === other.probability ? 0.5 : 0),
        0,
      ),
    0,
  );
  return won / (yes.length * no.length);
}

function binsOf(settled: readonly { readonly probability: number; readonly truth: number }[]): Bin[] {
  return Array.from({ length: BINS }, (_, at) => {
    const inside = settled.filter(({ probability }) => Math.min(BINS - 1, Math.floor(probability * BINS)) === at);
    if (inside.length === 0) return { count: 0, predicted: 0, observed: 0 };
    return {
      count: inside.length,
      predicted: mean(inside.map((one) => one.probability)),
      observed: mean(inside.map((one) => one.truth)),
    };
  });
}

/** One line of figures. */
export function line(name: string, figures: Figures): string {
  return [
    name.padEnd(34),
    `AUROC ${shown(figures.auroc)}`,
    `Brier ${shown(figures.brier)}`,
    `ECE ${shown(figures.ece)}`,
    `accuracy ${shown(figures.accuracy)}`,
    `covered ${shown(figures.coverage)} right ${shown(figures.accuracyCovered)}`,
    `YES/NO ${shown(figures.coverageFirm)} right ${shown(figures.accuracyFirm)}`,
    `all claims: covered ${shown(figures.coverageAll)} right ${shown(figures.accuracyAll)}`,
  ].join("  ");
}

function shown(value: number): string {
  return (Number.isNaN(value) ? "–" : value.toFixed(3)).padStart(6);
}
