import { eventDate, eventTime } from "../../lib/time/event-clock.ts";
import { type Config, type RouteConfig } from "../config/config.ts";
import { type LoggedRequest, type Exchange } from "../exchange/exchange.ts";
import { type FeatureParts } from "../features/feature-parts.ts";
import { type AccessLog, type LogFiles, type LogLease, openAccessLog } from "../policy/access-log/log-files.ts";
import type * as Methods from "../policy/auth/create-method.ts";
import { routeName } from "../routing/route-name.ts";
import { HiddenParameters } from "../exchange/hidden-parameters.ts";
import { type HttpMetrics } from "../telemetry/http-metrics.ts";
import { type RequestWatch } from "../telemetry/request-watch.ts";
import { RequestTrace } from "../telemetry/tracing/request-trace.ts";
import type * as Trace from "../telemetry/tracing/tracer.ts";
import { type Tracers } from "../telemetry/tracing/tracers.ts";
import { UpstreamRecord } from "../telemetry/tracing/upstream-record.ts";
import { type TrafficOfRoute } from "../telemetry/route-traffic.ts";
import { type RouteUsage } from "../telemetry/usage.ts";

/** Loaded with the first configuration that traces (bench start). */
const openTelemetry = (): typeof Trace => require("../telemetry/tracing/tracer.ts");

/** Loaded with the first route that authenticates its clients (bench start). */
const authMethods = (): typeof Methods => require("../policy/auth/create-method.ts");

export interface Tracing {
  readonly tracer: Trace.Tracer;
  /** The path prefix of the route; empty without a route. */
  readonly route: string;
  /** The query parameters whose values are left out of the spans. */
  readonly hidden: HiddenParameters;
}

export interface RouteCounters {
  readonly traffic: TrafficOfRoute;
  readonly usage: RouteUsage;
}

/** The requests of a route, for operators who watch them. */
interface Watching {
  readonly watch: RequestWatch;
  readonly hidden: HiddenParameters;
  /** The name of the route; empty without a route. */
  readonly route: string;
}

interface ObserverDeps {
  readonly metrics: HttpMetrics | undefined;
  readonly log?: AccessLog | undefined;
  readonly route?: RouteCounters | undefined;
  readonly tracing?: Tracing | undefined;
  readonly watching?: Watching | undefined;
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
  readonly #watching: Watching | undefined;
  readonly #finished: { at: number; elapsedMs: number; readonly hidden: HiddenParameters } | undefined;
  readonly #finish = (exchange: Exchange): void => this.#end(exchange);

  constructor({ metrics, log, route, tracing, watching }: ObserverDeps) {
    this.#metrics = metrics;
    this.#log = log;
    this.#finished = log === undefined ? undefined : { at: 0, elapsedMs: 0, hidden: log.hidden };
    this.#route = route;
    this.#tracing = tracing;
    this.#watching = watching;
  }

  begin(exchange: Exchange): void {
    exchange.beganAt = eventTime();
    this.#metrics?.begin(exchange);
    this.#log?.users.began();
    exchange.onFinish = this.#finish;
    if (this.#tracing !== undefined) exchange.trace = this.#tracing.tracer.begin(exchange);
    else if (this.#log?.tellsUpstream === true) exchange.trace = new UpstreamRecord("");
  }

  /** A codec has responded to a request itself. */
  refused(request: LoggedRequest): void {
    this.#metrics?.refused(request);
    this.#writeDown(request, 0);
  }

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
    const watching = this.#watching;
    if (watching?.watch.isOn === true) watching.watch.note(request, { at: eventDate(), elapsedMs, ...watching });
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

interface ObserverParts extends FeatureParts {
  readonly logFiles: LogFiles;
  /** Receives the tracer of a closed configuration if the next configuration has another one. */
  readonly tracers: Tracers;
}

/** Provides `access_log`, `otel` and the counters of routes. The tracer of `previous` stays if `otel` is the same. */
export function provideObservers(parts: ObserverParts, previous: Observers | undefined): Observers {
  const { config, telemetry, log } = parts;
  if (!config.otel.enabled) return new Observers(parts, undefined);
  // It may hold spans that are not sent yet.
  if (previous?.tracer?.serves(config.otel) === true) return new Observers(parts, previous.tracer);
  const deps = { counts: telemetry.counts, log, random: Math.random, clock: Date.now };
  return new Observers(parts, new (openTelemetry().Tracer)(config.otel, deps));
}

class Observers {
  /** Undefined if nothing is traced. */
  readonly tracer: Trace.Tracer | undefined;
  readonly #parts: ObserverParts;
  readonly #logs: LogLease;
  readonly #hidden: HiddenParameters;

  constructor(parts: ObserverParts, tracer: Trace.Tracer | undefined) {
    this.tracer = tracer;
    this.#parts = parts;
    this.#logs = parts.logFiles.lease();
    this.#hidden = new HiddenParameters(keyParameters(parts.config));
  }

  /** The observer of a route, or of the requests without a route. Rejects if its access log cannot be opened. */
  async of(route: RouteConfig | undefined): Promise<Observer> {
    const { config, telemetry } = this.#parts;
    const metrics = config.server.disable_middleware ? undefined : telemetry.http;
    const name = route && metrics && routeName(route);
    const counters =
      name === undefined ? undefined : { traffic: telemetry.traffic.route(name), usage: telemetry.usage.route(name) };
    const watching =
      metrics === undefined ? undefined : { watch: telemetry.requests, hidden: this.#hidden, route: name ?? "" };
    const tracing = this.tracer && { tracer: this.tracer, route: route?.path_prefix ?? "", hidden: this.#hidden };
    return new Observer({ metrics, log: await this.#accessLog(route), route: counters, tracing, watching });
  }

  async #accessLog(route: RouteConfig | undefined): Promise<AccessLog | undefined> {
    const { access_log: common, server } = this.#parts.config;
    const settings = { ...common, ...route?.access_log };
    if (!settings.enabled || server.disable_middleware) return undefined;
    return await openAccessLog(settings, this.#logs, this.#hidden);
  }

  /** A tracer that is replaced sends its spans and ends. */
  close(next: Observers | undefined): void {
    if (this.tracer !== undefined && this.tracer !== next?.tracer) this.#parts.tracers.replaced(this.tracer);
    this.#logs.close();
  }
}

/** Names of the query parameters that hold keys. */
function keyParameters({ routes }: Config): string[] {
  return routes.flatMap(({ auth }) => (auth.type === "none" ? [] : authMethods().keyParameters(auth)));
}
