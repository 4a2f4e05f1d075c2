import { type Fields } from "../../../lib/http/fields.ts";
import { type TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { type RespondWithError } from "../../exchange/local-response.ts";
import { type RequestHead } from "../../exchange/exchange.ts";
import { type BodyMemory } from "../../policy/gathered-body.ts";
import { type DefinedMetrics } from "../../telemetry/defined-metrics.ts";
import { type FilterMetrics } from "../../telemetry/filter-metrics.ts";
import { type UpstreamCalls } from "../calls/call-group.ts";
import { type ControlLink } from "./filter.ts";
import { type WorkerShared } from "./worker-shared.ts";
import { type FilterQuota } from "./quota.ts";

/** The settings of an entry of `wasm_filters` on its route. */
export interface FilterSettings {
  /** The name in logs, metrics and traces. */
  readonly name: string;
  /** The path prefix of the route; empty for a filter without requests. */
  readonly route: string;
  /** The name of the route's upstream; empty without one. */
  readonly upstream: string;
  readonly instances: number;
  /** Units of fuel for each invocation. */
  readonly fuel: number;
  readonly responseFailClosed: boolean;
  /** For proxy-wasm filters. */
  readonly config: string;
  readonly vmConfig: string;
  readonly rootId: string;
  /** Filters with the same id share data and queues in a worker. */
  readonly vmId: string;
  /** Maximum bytes to gather of a request's body of unknown length: the route's `max_body_bytes`. */
  readonly maxBodyBytes: number;
  readonly visibleFields: (head: RequestHead) => Fields;
  /** The query that the filter can see: empty, or with its `?`. */
  readonly visibleQuery: (head: RequestHead) => string;
}

export type FilterCounts = Pick<FilterMetrics, "invoked" | "notInvoked">;

/**
 * Instances of all filters in one worker; a request that needs one more gets 503. The runtime has 4,096 fast memories, and
 * would copy a further one each time it grows.
 */
export const MAX_INSTANCES = 4000;

export interface FilterGauges {
  /** An instance was bound to a request (1) or freed (-1). */
  pinnedChanged(change: 1 | -1): void;
}

/** The objects that the filters of a worker share. It is one object, which survives reloads. */
export interface FilterRuntime {
  readonly wheel: TimerWheel;
  /** Monotonic milliseconds, with fractions. */
  readonly clock: () => number;
  readonly bodies: BodyMemory;
  /** Requests that wait for a host call. */
  readonly parks: FilterQuota;
  readonly instances: FilterQuota;
  /** The connection to the sandbox; undefined if none is configured. */
  readonly control: () => ControlLink | undefined;
  readonly hostCallDeadlineMs: () => number;
  /** Writes a line with the filter's name before it. Drops lines of a filter that logs too much. */
  readonly log: (filter: string, line: string) => void;
  readonly onError: (error: unknown) => void;
  readonly respondWithError: RespondWithError;
  /** The counts of the filter with that name on its route; `route` is the route's path prefix. */
  readonly metrics: (filter: string, route: string) => FilterCounts;
  readonly gauges: FilterGauges;
  readonly defined: Pick<DefinedMetrics, "cell">;
  /** Requests of proxy-wasm filters to upstreams. `calls.filter()` returns those of one filter. */
  readonly calls: UpstreamCalls;
  /** Shared data and queues of proxy-wasm filters, and properties that filters set for each other. */
  readonly shared: WorkerShared;
}
