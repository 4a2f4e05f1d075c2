import { type DefinedCell } from "../../../telemetry/defined-metrics.ts";
import { MAX_METRICS } from "../../module/proxy-wasm-bounds.ts";
import { type MetricType } from "./enums.ts";

export type MetricCells = (type: MetricType, name: string) => DefinedCell;

interface Metric {
  readonly type: MetricType;
  readonly cell: DefinedCell;
  value: number;
}

/** The metrics that one filter has defined in one worker. They outlive its instances. */
export class MetricTable {
  readonly #cells: MetricCells;
  readonly #metrics: Metric[] = [];
  readonly #ids = new Map<string, number>();

  constructor(cells: MetricCells) {
    this.#cells = cells;
  }

  /**
   * Returns the id of a metric, and creates the metric if needed. As in Envoy, metrics of different types can have the
   * same name. Returns -1 if there are too many.
   */
  define(type: MetricType, name: string): number {
    const key = `${type}:${name}`;
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    if (this.#metrics.length >= MAX_METRICS) return -1;
    const id = this.#metrics.push({ type, cell: this.#cells(type, name), value: 0 }) - 1;
    this.#ids.set(key, id);
    return id;
  }

  has(id: number): boolean {
    return this.#metrics[id] !== undefined;
  }

  /** Returns false if there is no such metric, or if its type does not allow the change. */
  add(id: number, amount: number): boolean {
    const metric = this.#metrics[id];
    if (metric === undefined || metric.type === "histogram" || (metric.type === "counter" && amount < 0)) return false;
    metric.value += amount;
    metric.cell.add(amount);
    return true;
  }

  /** Sets a gauge, raises a counter to a value, or observes a value. */
  record(id: number, value: number): boolean {
    const metric = this.#metrics[id];
    if (metric === undefined) return false;
    if (metric.type === "counter") return this.add(id, Math.max(value - metric.value, 0));
    metric.value = value;
    metric.cell.record(value);
    return true;
  }

  /** Undefined if there is no such metric, or if it has no single value. */
  get(id: number): number | undefined {
    const metric = this.#metrics[id];
    return metric === undefined || metric.type === "histogram" ? undefined : metric.value;
  }
}
