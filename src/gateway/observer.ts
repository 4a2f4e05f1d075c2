import { eventDate, eventTime } from "../lib/event-clock.ts";
import { type LineWriter } from "../lib/line-writer.ts";
import { type AnsweredRequest, type Exchange } from "./exchange.ts";
import { type LogLine } from "./policy/access-log/access-log.ts";
import { type HiddenParameters } from "./telemetry/hidden-parameters.ts";
import { type HttpMetrics } from "./telemetry/http-metrics.ts";
import { RequestTrace } from "./telemetry/tracing/request-trace.ts";
import { type Tracer } from "./telemetry/tracing/tracer.ts";
import { UpstreamRecord } from "./telemetry/tracing/upstream-record.ts";
import { type TrafficOfRoute } from "./telemetry/route-traffic.ts";
import { type RouteUsage } from "./telemetry/usage.ts";

/** Hears which exchanges will be written down: a log that no configuration names any more stays open for them. */
export interface LogUsers {
  began(): void;
  ended(): void;
}

/** Where finished exchanges are written down, and how. */
export interface AccessLog {
  readonly line: LogLine;
  /** What of queries its lines do not tell. */
  readonly hidden: HiddenParameters;
  readonly writer: Pick<LineWriter, "begin" | "end">;
  readonly users: LogUsers;
  /** Share of the requests that are logged, 0 to 1. */
  readonly share: number;
  /** Lines tell of upstreams. */
  readonly tellsUpstream: boolean;
}

/** How the requests of a route are traced. */
export interface Tracing {
  readonly tracer: Tracer;
  /** Its path prefix; empty where no route takes them. */
  readonly route: string;
  /** What of queries its spans do not tell. */
  readonly hidden: HiddenParameters;
}

/** What is counted of one route. */
export interface RouteCounters {
  readonly traffic: TrafficOfRoute;
  readonly usage: RouteUsage;
}

/**
 * Sees every request begin and end: counts it, and has it written down. Times are those of the events in which it began and
 * ended, so that requests that one event brings share one look at the clock.
 */
export class Observer {
  readonly #metrics: HttpMetrics | undefined;
  readonly #log: AccessLog | undefined;
  readonly #route: RouteCounters | undefined;
  readonly #tracing: Tracing | undefined;
  readonly #finish = (exchange: Exchange): void => this.#end(exchange);

  /** `route` counts what there is of the route, where the requests have one. */
  constructor(metrics: HttpMetrics | undefined, log: AccessLog | undefined, route?: RouteCounters, tracing?: Tracing) {
    this.#metrics = metrics;
    this.#log = log;
    this.#route = route;
    this.#tracing = tracing;
  }

  begin(exchange: Exchange): void {
    exchange.beganAt = eventTime();
    this.#metrics?.begin(exchange);
    this.#log?.users.began();
    exchange.onFinish = this.#finish;
    exchange.trace = this.#tracing?.tracer.begin(exchange);
    if (exchange.trace === undefined && this.#log?.tellsUpstream === true) exchange.trace = new UpstreamRecord("");
  }

  /** A codec has answered a request by itself. */
  refused(request: AnsweredRequest): void {
    this.#metrics?.refused(request);
    this.#writeDown(request, 0);
  }

  /** A call of gRPC has ended with this status. */
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

  #writeDown(request: AnsweredRequest, elapsedMs: number): void {
    const log = this.#log;
    if (log === undefined || (log.share < 1 && Math.random() >= log.share)) return;
    const line = log.writer.begin();
    if (line === undefined) return;
    log.line(line, request, { at: eventDate(), elapsedMs, hidden: log.hidden });
    log.writer.end();
  }
}
