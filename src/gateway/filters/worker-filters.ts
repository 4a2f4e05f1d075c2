import { type Config } from "../config/config.ts";
import { type FeatureParts } from "../features/feature-parts.ts";
import type * as Calls from "./calls/call-group.ts";
import { CallTargets } from "./calls/call-targets.ts";
import { type ControlLink } from "./runtime/filter.ts";
import { type FilterDeps, type LoadedFilters } from "./loaded-filters.ts";
import { ModuleCache } from "./module/module-cache.ts";
import { WorkerShared } from "./runtime/worker-shared.ts";
import { FilterQuota } from "./runtime/quota.ts";
import { MAX_INSTANCES } from "./runtime/runtime.ts";
import { type Counts } from "../telemetry/metrics/counts.ts";
import { type WorkerSlot } from "../telemetry/telemetry.ts";

/** Loaded with the first filter (bench start). */
const callGroups = (): typeof Calls => require("./calls/call-group.ts");

type Served = Pick<Config, "wasm_park_capacity" | "wasm_host_call_deadline_ms">;

interface WorkerFiltersOptions extends Pick<FeatureParts, "telemetry" | "bodies" | "wheel" | "log" | "onError"> {
  readonly config: Served;
  /** Undefined if this is the only worker. */
  readonly slot: WorkerSlot | undefined;
  readonly control: () => ControlLink | undefined;
}

/** The state that the filters of a worker share, across its configurations. */
export class WorkerFilters {
  readonly deps: FilterDeps;
  readonly #parks: FilterQuota;
  readonly #counts: Counts;
  readonly #targets: CallTargets;
  #deadlineMs: number;
  #closed: readonly string[] = [];

  constructor({ config, slot, telemetry, bodies, wheel, control, log, onError }: WorkerFiltersOptions) {
    const { counts } = telemetry;
    this.#counts = counts;
    this.#deadlineMs = config.wasm_host_call_deadline_ms;
    this.#parks = new FilterQuota(config.wasm_park_capacity, (change) => counts.add("parkActive", change));
    this.#targets = new CallTargets(wheel);
    let calls: Calls.UpstreamCalls | undefined;
    const createCalls = (): Calls.UpstreamCalls =>
      new (callGroups().UpstreamCalls)({ target: (name) => this.#targets.of(name), memory: bodies, onError });
    const runtime = {
      wheel,
      clock: () => performance.now(),
      bodies,
      parks: this.#parks,
      instances: new FilterQuota(MAX_INSTANCES, (change) => counts.add("poolInstances", change)),
      control,
      hostCallDeadlineMs: () => this.#deadlineMs,
      onError,
      metrics: (filter: string, route: string) => telemetry.filters.filter(filter, route),
      gauges: { pinnedChanged: (change: 1 | -1) => counts.add("poolPinned", change) },
      defined: telemetry.defined,
      get calls() {
        return (calls ??= createCalls());
      },
      shared: new WorkerShared(),
    };
    const isFirst = slot === undefined || slot.row === 1;
    this.deps = { modules: new ModuleCache(), runtime, log, isFirst, callTargets: this.#targets };
  }

  /** Path prefixes that get 503, because one of their filters cannot be loaded. */
  get closed(): readonly string[] {
    return this.#closed;
  }

  /** From now on, requests run through these filters. */
  use(config: Served, { closed }: LoadedFilters): void {
    this.#targets.use();
    this.#parks.capacity = config.wasm_park_capacity;
    this.#deadlineMs = config.wasm_host_call_deadline_ms;
    this.#closed = closed;
    this.#counts.set("parkCapacity", config.wasm_park_capacity);
    this.#counts.set("routesClosed", closed.length);
  }
}
