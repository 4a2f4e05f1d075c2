/** Reads metrics in Prometheus' text format 0.0.4, very strictly. */

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Metric {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly samples: readonly Sample[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(,|$)/;
const NUMBER = /^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]Inf|NaN)$/;

/** All metrics of a page, by name. Throws if the page breaks a rule of the format, or a convention for names. */
export function parseMetrics(text: string): Map<string, Metric> {
  if (!text.endsWith("\n")) throw new Error("Cannot read metrics: the last line does not end");
  const metrics = new Map<string, Metric & { samples: Sample[] }>();
  const lines = text.slice(0, -1).split("\n");
  let current: (Metric & { samples: Sample[] }) | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const help = /^# HELP (\S+) (.+)$/.exec(line);
    if (help !== null) {
      const [, name = "", about = ""] = help;
      const type = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(lines[++at] ?? "");
      if (type === null || type[1] !== name) throw new Error(`Cannot read metrics: ${name} has no type`);
      if (!NAME.test(name) || metrics.has(name)) throw new Error(`Cannot read metrics: "${name}" twice, or no name`);
      // The pattern allows only these types.
      current = { name, type: type[2] as Metric["type"], help: about, samples: [] };
      metrics.set(name, current);
      continue;
    }
    if (current === undefined) throw new Error(`Cannot read metrics: nothing says what this is: ${line}`);
    current.samples.push(sampleOf(line, current));
  }
  for (const metric of metrics.values()) check(metric);
  return metrics;
}

function sampleOf(line: string, metric: Metric): Sample {
  const match = SAMPLE.exec(line);
  if (match === null) throw new Error(`Cannot read a sample: ${line}`);
  const [, name = "", labels, value = ""] = match;
  const suffixes = metric.type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
  if (!suffixes.some((suffix) => name === metric.name + suffix)) {
    throw new Error(`Cannot read a sample: ${name} stands below ${metric.name}`);
  }
  if (!NUMBER.test(value)) throw new Error(`Cannot read a sample: "${value}" is not a number`);
  return {
    name,
    labels: labels === undefined ? {} : labelsOf(labels),
    value: Number(value.replace("Inf", "Infinity")),
  };
}

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (let rest = text; rest !== ""; ) {
    const match = LABEL.exec(rest);
    if (match === null) throw new Error(`Cannot read labels: ${rest}`);
    const [whole, name = "", value = ""] = match;
    if (name in labels) throw new Error(`Cannot read labels: ${name} twice`);
    labels[name] = value.replaceAll(/\\(.)/g, (_, char: string) => (char === "n" ? "\n" : char));
    rest = rest.slice(whole.length);
    if (whole.endsWith(",") && rest === "") throw new Error(`Cannot read labels: ${text} ends with a comma`);
  }
  return labels;
}

function check(metric: Metric): void {
  const { name, type, samples } = metric;
  if (!name.startsWith("turnpike_")) throw new Error(`${name} does not say whose it is`);
  if ((type === "counter") !== name.endsWith("_total")) throw new Error(`${name} is a ${type}`);
  if (/_(ms|milliseconds|kb|kib|mb)(_|$)/.test(name)) throw new Error(`${name} is not in a base unit`);
  const seen = new Set<string>();
  for (const sample of samples) {
    const key = seriesOf(sample);
    if (seen.has(key)) throw new Error(`${key} is there twice`);
    seen.add(key);
    if (type !== "gauge" && !(sample.value >= 0)) throw new Error(`${key} is ${sample.value}`);
  }
  if (type === "histogram") checkHistogram(metric);
}

function seriesOf({ name, labels }: Sample): string {
  const list = Object.entries(labels).map((label) => label.join("="));
  return JSON.stringify([name, list.toSorted((a, b) => a.localeCompare(b))]);
}

function checkHistogram({ name, samples }: Metric): void {
  const groups = new Map<string, Sample[]>();
  for (const sample of samples) {
    const { le: _, ...rest } = sample.labels;
    const key = JSON.stringify(rest);
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  for (const [key, group] of groups) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => Number((labels.le ?? "NaN").replace("+Inf", "Infinity")));
    const count = group.find((sample) => sample.name === `${name}_count`)?.value;
    const sum = group.find((sample) => sample.name === `${name}_sum`)?.value;
    const rises = buckets.every(
      ({ value }, i) => i === 0 || ((bounds[i] ?? 0) > (bounds[i - 1] ?? 0) && value >= (buckets[i - 1]?.value ?? 0)),
    );
    const isWhole = bounds.at(-1) === Number.POSITIVE_INFINITY && buckets.at(-1)?.value === count && sum !== undefined;
    if (!rises || !isWhole) throw new Error(`${name} of ${key} is not a histogram`);
  }
}

/** The sum of the samples with all of these labels; `name` is the name of a sample. */
export function valueOf(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number {
  let sum = 0;
  for (const metric of parseMetrics(text).values()) {
    for (const sample of metric.samples) {
      const fits = Object.entries(labels).every(([label, value]) => sample.labels[label] === value);
      if (sample.name === name && fits) sum += sample.value;
    }
  }
  return sum;
}
