import { type Fields } from "../../lib/fields.ts";
import { type TimerWheel } from "../../lib/timer-wheel.ts";
import { type RespondWithError } from "../local-response.ts";
import { type RequestHead } from "../exchange.ts";
import { type BodyMemory } from "../policy/gathered-body.ts";
import { type DefinedMetrics } from "../telemetry/defined-metrics.ts";
import { type FilterMetrics, type WasmMetrics } from "../telemetry/filter-metrics.ts";
import { type UpstreamCalls } from "./calls/call-group.ts";
import { type ControlLink } from "./filter.ts";
import { type ParkTable } from "./park-table.ts";
import { type WorkerShared } from "./proxy-wasm/worker-shared.ts";

/** An entry of `wasm_filters` on its route. */
export interface FilterSettings {
  /** In logs, metrics and traces. */
  readonly name: string;
  /** The path prefix of the route. */
  readonly route: string;
  /** `instances`, of one worker. */
  readonly instances: number;
  /** Of each invocation. */
  readonly fuel: number;
  readonly responseFailClosed: boolean;
  /** For filters of proxy-wasm. */
  readonly config: string;
  readonly vmConfig: string;
  readonly rootId: string;
  /** Filters of the same one share data and queues in a worker. */
  readonly vmId: string;
  /** Bytes of a request's body of unknown length that is gathered for a filter; the route's `max_body_bytes`. */
  readonly maxBodyBytes: number;
  /** The fields of a request that the filter may see. */
  readonly visibleFields: (head: RequestHead) => Fields;
  /** The query that it may see: empty, or with its `?`. */
  readonly visibleQuery: (head: RequestHead) => string;
}

/** Counts the invocations of one filter. */
export type FilterCounts = Pick<FilterMetrics, "invoked" | "notInvoked">;

/** Gauges of a worker. */
export type FilterGauges = Pick<WasmMetrics, "instancesChanged" | "pinnedChanged">;

/** What the filters of a worker share; one object that lives over reloads. */
export interface FilterRuntime {
  readonly wheel: TimerWheel;
  /** Monotonic milliseconds, with fractions. */
  readonly clock: () => number;
  /** For bodies that are gathered. */
  readonly bodies: BodyMemory;
  readonly parks: ParkTable;
  /** The way to the sandbox; undefined: none is configured. */
  readonly control: () => ControlLink | undefined;
  /** `wasm_host_call_deadline_ms`. */
  readonly hostCallDeadlineMs: () => number;
  /** Writes a line about a filter, whose name it puts before it; drops lines of a filter that says too much. */
  readonly log: (filter: string, line: string) => void;
  readonly onFault: (error: unknown) => void;
  readonly respondWithError: RespondWithError;
  /** The figures of the filter of that name on its route, which is named by its path prefix. */
  readonly metrics: (filter: string, route: string) => FilterCounts;
  readonly gauges: FilterGauges;
  /** The metrics that filters define themselves. */
  readonly defined: Pick<DefinedMetrics, "cell">;
  /** Requests of filters of proxy-wasm to upstreams: `calls.filter()` is one filter's. */
  readonly calls: UpstreamCalls;
  /** Shared data and queues of filters of proxy-wasm, and what the filters of one request tell each other. */
  readonly shared: WorkerShared;
}
