import { add, COLUMN } from "./layout.ts";
import { columnsOf, type LabelsOf, type Metric, type MetricName, METRICS } from "./metrics.ts";
import { at, type Labels, type Page, type Snapshot } from "./page.ts";

/** Counts into the row of one process. */
export class Counts {
  readonly #row: Float64Array;

  constructor(row: Float64Array) {
    this.#row = row;
  }

  /** Adds to a metric, with a value for each of its labels. */
  add<M extends MetricName>(metric: M, amount: number, ...labels: LabelsOf<M> & readonly unknown[]): void {
    add(this.#row, columnOf(metric, labels), amount);
  }

  set<M extends MetricName>(metric: M, value: number, ...labels: LabelsOf<M> & readonly unknown[]): void {
    this.#row[columnOf(metric, labels)] = value;
  }
}

function columnOf(metric: MetricName, labels: readonly unknown[]): number {
  const known: Metric["labels"] = METRICS[metric].labels;
  let index = 0;
  for (let i = 0; i < known.length; i++) {
    const values: readonly unknown[] = known[i]?.[1] ?? [];
    index = index * values.length + values.indexOf(labels[i]);
  }
  return COLUMN[metric] + index;
}

/** Writes every metric of `METRICS`. */
export function writeCounts(page: Page, { rows, totals }: Snapshot): void {
  for (const [key, metric] of Object.entries<Metric>(METRICS)) {
    // Every key of `METRICS` is a key of `COLUMN`.
    const first = COLUMN[key as MetricName];
    page.metric(metric.name, metric.type, metric.help);
    for (let i = 0; i < columnsOf(metric); i++) {
      const value =
        metric.isShared === true ? Math.max(...rows.map((row) => at(row, first + i))) : at(totals, first + i);
      if (value !== 0 || metric.isSparse !== true) page.sample(value, labelsAt(metric, i));
    }
  }
}

function labelsAt({ labels }: Metric, index: number): Labels {
  let rest = index;
  const found = labels.toReversed().map(([name, values]) => {
    const value = values[rest % values.length] ?? "";
    rest = Math.floor(rest / values.length);
    return [name, value] as const;
  });
  return Object.fromEntries(found.toReversed());
}
