import { SpareAccount } from "../../lib/memory/spare-account.ts";
import { type RouteConfig } from "../config/config.ts";
import { type FeatureParts } from "../features/feature-parts.ts";
import { rewriteOf } from "../routing/rewrite.ts";
import { type Upstreams } from "../upstream/upstreams.ts";
import { extraFields } from "./extra-fields.ts";
import { type OwnCall, ownCall } from "./own-call.ts";
import { type RetrySettings } from "./retry/retries.ts";
import { mirrorsOf, routeMirror } from "./mirrors.ts";
import { isServed, routeSplit, routeVariants } from "./route-split.ts";
import { type Spool } from "./spool.ts";
import { type ForwardTarget } from "./target.ts";

/**
 * The part of the memory for gathered bodies that `request_buffering` leaves to other features, so that slow uploads do
 * not displace paid requests. It gets no memory while less than this part is free. @bound
 */
const LEFT_TO_FEATURES = 1 / 2;

/**
 * The part of the buffers that buffered responses leave to requests. Responses to slow clients get no more buffers
 * while less than this part is free. @bound
 */
const LEFT_TO_REQUESTS = 1 / 2;

interface TargetDeps extends FeatureParts {
  readonly upstreams: Upstreams;
  /** For responses to slow clients. */
  readonly spool: Spool;
}

export interface RouteTargets {
  /** `tenant` chooses the target in place of splits and mirrors. */
  of(route: RouteConfig, tenant: { target(plain: ForwardTarget): ForwardTarget } | undefined): ForwardTarget;
  /** False if every upstream that the route's requests can go to is without servers. */
  isServed(route: RouteConfig): boolean;
  /** Calls of the gateway itself to the upstream of a route, without its traffic split. */
  callOf(route: RouteConfig): OwnCall;
}

/** Provides the targets of routes, with `traffic_split`, `mirrors`, `retry`, rewrites, buffering and limits. */
export function provideTargets(deps: TargetDeps): RouteTargets {
  const { config, upstreams } = deps;
  const shared = sharedParts(deps);
  const plainOf = (route: RouteConfig): ForwardTarget => ({
    ...shared,
    ...extraFields(route.upstream_headers, route.rewrite?.host),
    upstream: upstreams.of(route),
    split: routeSplit(route, upstreams),
    variants: undefined,
    mirror: undefined,
    rewrite: rewriteOf(route),
    maxBodyBytes: route.max_body_bytes ?? config.limits.max_body_bytes,
    maxResponseBytes: route.max_response_bytes,
    gather: route.request_buffering ? shared.gather : undefined,
    responses: route.response_buffering ? shared.responses : undefined,
    connectTimeoutMs: route.connect_timeout_ms,
    sendTimeoutMs: route.send_timeout_ms,
    readTimeoutMs: route.read_timeout_ms,
    totalTimeoutMs: route.total_timeout_ms,
    retry: retrySettings(route.retry),
    tellsClient: route.forward_client_address,
  });
  return {
    of(route, tenant) {
      const plain = plainOf(route);
      if (tenant !== undefined) return tenant.target(plain);
      const mirror = routeMirror(mirrorsOf(route), plain, upstreams, deps);
      return { ...plain, mirror, variants: routeVariants(route, plain, upstreams, deps) };
    },
    isServed: (route) => isServed(route, upstreams),
    callOf(route) {
      let call: OwnCall | undefined;
      const plain = (): ForwardTarget => ({ ...plainOf(route), split: undefined });
      return (path, value) => (call ??= ownCall(plain()))(path, value);
    },
  };
}

function sharedParts({ config, wheel, buffers, bodies, spool, respondWithError }: TargetDeps) {
  const { body_buffer_size: maxGathered, response_buffer_bytes: maxBuffered } = config.buffer_pool;
  return {
    wheel,
    respondWithError,
    serviceName: config.otel.service_name,
    gather: {
      maxBytes: maxGathered,
      account: new SpareAccount(bodies, LEFT_TO_FEATURES, "bytes"),
      overflow: buffers,
    },
    responses: {
      wheel,
      memory: buffers,
      spare: new SpareAccount(buffers, LEFT_TO_REQUESTS, "buffers"),
      spool,
      maxBytes: maxBuffered,
    },
  };
}

/**
 * By the part of the configuration that the settings are made of. A change of another route keeps that part (bench
 * admin).
 */
const madeRetries = new WeakMap<RouteConfig["retry"], RetrySettings>();

function retrySettings(retry: RouteConfig["retry"]): RetrySettings {
  const made = madeRetries.get(retry) ?? makeRetrySettings(retry);
  madeRetries.set(retry, made);
  return made;
}

function makeRetrySettings(retry: RouteConfig["retry"]): RetrySettings {
  return {
    maxRetries: retry.max_retries,
    connectAnyMethod: retry.connect_any_method,
    anyMethod: retry.any_method,
    statuses: new Set(retry.statuses),
    tryTimeoutMs: retry.try_timeout_ms === 0 ? Number.POSITIVE_INFINITY : retry.try_timeout_ms,
    backoffMs: retry.backoff_ms,
    maxBackoffMs: retry.max_backoff_ms,
    random: Math.random,
  };
}
