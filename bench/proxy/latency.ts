/** The time that a proxy adds to a request. */
import { aligned, type CaseResult, failureLine, median, type Sample } from "../support/report.ts";

/** The contestant without a proxy: the client sends its requests to the origin. */
export const DIRECT = "direct";

/** Microseconds; `added` are the medians of the differences to the direct path in each round. */
export interface LatencyRow {
  readonly program: string;
  readonly p50: number;
  readonly p99: number;
  readonly addedP50: number;
  readonly addedP99: number;
}

const MICROSECONDS = 1000;

export function latencyRows(samples: readonly Sample[]): LatencyRow[] {
  const direct = new Map(samples.filter(({ program }) => program === DIRECT).map((sample) => [sample.round, sample]));
  return [...new Set(samples.map(({ program }) => program))].map((program) => {
    const own = samples.filter((sample) => sample.program === program);
    const middle = (of: (sample: Sample) => number): number => MICROSECONDS * median(own.map(of));
    const added = (key: "p50" | "p99"): number =>
      middle((sample) => sample[key] - (direct.get(sample.round)?.[key] ?? Number.NaN));
    return {
      program,
      p50: middle(({ p50 }) => p50),
      p99: middle(({ p99 }) => p99),
      addedP50: added("p50"),
      addedP99: added("p99"),
    };
  });
}

function cell(microseconds: number): string {
  return Number.isNaN(microseconds) ? "-" : microseconds.toFixed(0);
}

export function latencyTable({ name, about, samples, failures }: CaseResult): string {
  const lines = [
    ["program", "p50 us", "p99 us", "p50 added", "p99 added"],
    ...latencyRows(samples).map(({ program, p50, p99, addedP50, addedP99 }) => {
      const isDirect = program === DIRECT;
      return [program, cell(p50), cell(p99), isDirect ? "" : cell(addedP50), isDirect ? "" : cell(addedP99)];
    }),
  ];
  const failed = Object.entries(failures).map(([program, reason]) => failureLine(program, reason));
  return [`${name}: ${about}`, ...aligned(lines), ...failed].join("\n");
}
