/** Medians, ratios and the table of a run. */
import { type Load } from "./wrk.ts";

/** The name and the subject of a case. */
interface Title {
  readonly name: string;
  readonly about: string;
  /** The unit that is counted if it is not requests: `msg`. */
  readonly unit?: string;
}

/** One program in one round of one case. */
export interface Sample extends Load {
  readonly program: string;
  readonly round: number;
  readonly requestsPerCpuSecond: number;
  /** CPU seconds of the program, with all its processes and threads. */
  readonly userSeconds: number;
  readonly systemSeconds: number;
  readonly pageFaults: number;
}

export interface Row {
  readonly program: string;
  readonly requestsPerCpuSecond: number;
  /** (highest - lowest) / median of requests per CPU-second over the rounds. */
  readonly spread: number;
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly non2xx: number;
  readonly socketErrors: number;
  /** Turnpike's requests per CPU-second divided by this program's: the median of the ratios of all rounds. */
  readonly ratio: number;
}

export interface CaseResult extends Title {
  readonly rows: readonly Row[];
  readonly samples: readonly Sample[];
  /** Why a program has no row, by its name. */
  readonly failures: Readonly<Record<string, string>>;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Rows of one case. Programs in `failures` have no row. */
export function summarise(
  title: Title,
  { samples, failures = new Map() }: { samples: readonly Sample[]; failures?: ReadonlyMap<string, string> },
  subject: string,
): CaseResult {
  const { name, about, unit } = title;
  const names = [...new Set(samples.map((sample) => sample.program))];
  const perRound = new Map(
    samples.filter((sample) => sample.program === subject).map((sample) => [sample.round, sample.requestsPerCpuSecond]),
  );
  const rows = names.map((program): Row => {
    const own = samples.filter((sample) => sample.program === program);
    const rates = own.map((sample) => sample.requestsPerCpuSecond);
    const middle = median(rates);
    return {
      program,
      requestsPerCpuSecond: middle,
      spread: (Math.max(...rates) - Math.min(...rates)) / middle,
      requestsPerSecond: median(own.map((sample) => sample.requestsPerSecond)),
      p50: median(own.map((sample) => sample.p50)),
      p99: median(own.map((sample) => sample.p99)),
      non2xx: own.reduce((sum, sample) => sum + sample.non2xx, 0),
      socketErrors: own.reduce((sum, sample) => sum + sample.socketErrors, 0),
      ratio: median(own.map((sample) => (perRound.get(sample.round) ?? Number.NaN) / sample.requestsPerCpuSecond)),
    };
  });
  const counted = unit === undefined ? {} : { unit };
  return { name, about, ...counted, rows, samples, failures: Object.fromEntries(failures) };
}

type Column = readonly [title: string, cell: (row: Row) => string];

const columns = (subject: string, unit: string): readonly Column[] => [
  ["program", (row) => row.program],
  [`${unit}/CPU-s`, (row) => whole(row.requestsPerCpuSecond)],
  ["spread", (row) => `${(row.spread * 100).toFixed(0)} %`],
  [`${subject}/it`, (row) => (Number.isNaN(row.ratio) ? "-" : row.ratio.toFixed(2))],
  [`${unit}/s`, (row) => whole(row.requestsPerSecond)],
  ["p50 ms", (row) => milliseconds(row.p50)],
  ["p99 ms", (row) => milliseconds(row.p99)],
  ["non-2xx", (row) => String(row.non2xx)],
  ["socket errors", (row) => String(row.socketErrors)],
];

function milliseconds(value: number): string {
  return Number.isNaN(value) ? "-" : value.toFixed(2);
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

export function table(result: CaseResult, subject = "turnpike"): string {
  const shown = columns(subject, result.unit ?? "req");
  const lines = [shown.map(([title]) => title), ...result.rows.map((row) => shown.map(([, cell]) => cell(row)))];
  const failed = Object.entries(result.failures).map(([program, reason]) => failureLine(program, reason));
  return [`${result.name}: ${result.about}`, ...aligned(lines), ...failed].join("\n");
}

/** The line of a program without figures. */
export function failureLine(program: string, reason: string): string {
  return `  ${program}  FAILED: ${reason}`;
}

/** Formats lines of cells as indented text: the first column left-aligned, the others right-aligned. */
export function aligned(lines: readonly (readonly string[])[]): string[] {
  const widths = (lines[0] ?? []).map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  return lines.map((line) => {
    const cells = line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)));
    return `  ${cells.join("  ")}`;
  });
}

/** The reliability of the numbers: the spread over rounds, over all cases and programs. */
export function noise(results: readonly CaseResult[]): string {
  if (results.every((result) => result.rows.every((row) => !(row.spread > 0)))) {
    return "spread over rounds: unknown from a single round";
  }
  const spreads = results.flatMap((result) => result.rows.map((row) => row.spread));
  const worst = Math.max(...spreads);
  const verdict = worst < 0.1 ? "quiet" : worst < 0.25 ? "some noise" : "noisy: do not trust small differences";
  return `spread over rounds: median ${(median(spreads) * 100).toFixed(0)} %, worst ${(worst * 100).toFixed(0)} % (${verdict})`;
}
