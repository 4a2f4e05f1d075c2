export type Labels = Readonly<Record<string, string | number>>;

/** The counts of each process, and the totals. */
export interface Snapshot {
  readonly rows: readonly Float64Array[];
  readonly totals: Float64Array;
}

/** A page of metrics in Prometheus' text format 0.0.4. */
export class Page {
  static readonly contentType = "text/plain; version=0.0.4; charset=utf-8";
  #text = "";
  #name = "";

  /** Begins a metric; its samples follow. `help` is one line of plain text. */
  metric(name: string, type: "counter" | "gauge" | "histogram", help: string): this {
    this.#name = name;
    this.#text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
    return this;
  }

  /** `suffix` is appended to the metric's name, as in `_bucket`. */
  sample(value: number, labels: Labels = {}, suffix = ""): this {
    const list = Object.entries(labels).map(([name, text]) => `${name}="${escaped(String(text))}"`);
    this.#text += `${this.#name}${suffix}${list.length === 0 ? "" : `{${list.join(",")}}`} ${value}\n`;
    return this;
  }

  /** The samples of a histogram, whose `counts` are in the order of `bounds`. The last one is of values above all bounds. */
  histogram(labels: Labels, bounds: readonly number[], counts: Float64Array, sum: number): void {
    let count = 0;
    for (let bucket = 0; bucket <= bounds.length; bucket++) {
      count += at(counts, bucket);
      this.sample(count, { ...labels, le: bounds[bucket] ?? "+Inf" }, "_bucket");
    }
    this.sample(sum, labels, "_sum").sample(count, labels, "_count");
  }

  get text(): string {
    return this.#text;
  }
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

/** The index of the bucket of a value; the number of bounds for a value above all of them. */
export function bucketOf(bounds: readonly number[], value: number): number {
  let bucket = 0;
  while (bucket < bounds.length && !(value <= (bounds[bucket] ?? 0))) bucket++;
  return bucket;
}

/** The number at an index; 0 outside of the array. */
export function at(numbers: Float64Array, index: number): number {
  return numbers[index] ?? 0;
}
