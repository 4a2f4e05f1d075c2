import { eventDate, eventTime } from "../lib/event-clock.ts";
import { type LineWriter } from "../lib/line-writer.ts";
import { type LoggedRequest, type Exchange } from "./exchange.ts";
import { type LogLine } from "./policy/access-log/access-log.ts";
import { type HiddenParameters } from "./telemetry/hidden-parameters.ts";
import { type HttpMetrics } from "./telemetry/http-metrics.ts";
import { RequestTrace } from "./telemetry/tracing/request-trace.ts";
import { type Tracer } from "./telemetry/tracing/tracer.ts";
import { UpstreamRecord } from "./telemetry/tracing/upstream-record.ts";
import { type TrafficOfRoute } from "./telemetry/route-traffic.ts";
import { type RouteUsage } from "./telemetry/usage.ts";

/** Counts the exchanges that will be logged. A log that is no longer configured stays open for them. */
export interface LogUsers {
  began(): void;
  ended(): void;
}

/** The access log of a route, and its settings. */
export interface AccessLog {
  readonly line: LogLine;
  /** The query parameters whose values are left out of the log. */
  readonly hidden: HiddenParameters;
  readonly writer: Pick<LineWriter, "begin" | "end">;
  readonly users: LogUsers;
  /** Share of the requests that are logged, 0 to 1. */
  readonly share: number;
  /** Returns numbers from 0 to less than 1; a request is logged if its number is less than `share`. */
  readonly random: () => number;
  /** The log lines have fields about upstreams. */
  readonly tellsUpstream: boolean;
}

/** The trace settings of a route. */
export interface Tracing {
  readonly tracer: Tracer;
  /** The path prefix of the route; empty without a route. */
  readonly route: string;
  /** The query parameters whose values are left out of the spans. */
  readonly hidden: HiddenParameters;
}

/** The counters of one route. */
export interface RouteCounters {
  readonly traffic: TrafficOfRoute;
  readonly usage: RouteUsage;
}

/**
 * Observes the beginning and end of every request: counts it, logs it and traces it. It uses the time of the event, so
 * that all requests of one event need a single clock read.
 */
export class Observer {
  readonly #metrics: HttpMetrics | undefined;
  readonly #log: AccessLog | undefined;
  readonly #route: RouteCounters | undefined;
  readonly #tracing: Tracing | undefined;
  /** Used for each line. */
  readonly #finished: { at: number; elapsedMs: number; readonly hidden: HiddenParameters } | undefined;
  readonly #finish = (exchange: Exchange): void => this.#end(exchange);

  /** `route` has the counters of the route, if the requests have one. */
  constructor(metrics: HttpMetrics | undefined, log: AccessLog | undefined, route?: RouteCounters, tracing?: Tracing) {
    this.#metrics = metrics;
    this.#log = log;
    this.#finished = log === undefined ? undefined : { at: 0, elapsedMs: 0, hidden: log.hidden };
    this.#route = route;
    this.#tracing = tracing;
  }

  begin(exchange: Exchange): void {
    exchange.beganAt = eventTime();
    this.#metrics?.begin(exchange);
    this.#log?.users.began();
    exchange.onFinish = this.#finish;
    if (this.#tracing !== undefined) exchange.trace = this.#tracing.tracer.begin(exchange);
    else exchange.trace = this.#log?.tellsUpstream === true ? UpstreamRecord.of(exchange.trace, "") : undefined;
  }

  /** A codec has responded to a request itself. */
  refused(request: LoggedRequest): void {
    this.#metrics?.refused(request);
    this.#writeDown(request, 0);
  }

  /** A gRPC call has ended with this status. */
  grpcEnded(status: number): void {
    this.#metrics?.grpcEnded(status);
  }

  #end(exchange: Exchange): void {
    const elapsedMs = eventTime() - exchange.beganAt;
    this.#metrics?.end(exchange, elapsedMs);
    this.#route?.traffic.count(exchange, elapsedMs);
    this.#route?.usage.count(exchange);
    this.#writeDown(exchange, elapsedMs);
    this.#log?.users.ended();
    const { trace } = exchange;
    if (trace instanceof RequestTrace) this.#tracing?.tracer.end(exchange, trace, this.#tracing);
  }

  #writeDown(request: LoggedRequest, elapsedMs: number): void {
    const log = this.#log;
    const finished = this.#finished;
    if (log === undefined || finished === undefined || (log.share < 1 && log.random() >= log.share)) return;
    const line = log.writer.begin();
    if (line === undefined) return;
    finished.at = eventDate();
    finished.elapsedMs = elapsedMs;
    log.line(line, request, finished);
    log.writer.end();
  }
}
