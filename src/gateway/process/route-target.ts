import { type Fields } from "../../lib/fields.ts";
import { type RouteConfig } from "../config/config.ts";
import { type RetrySettings } from "../proxy/retry-pause.ts";
import { type ForwardTarget } from "../proxy/target.ts";
import { rewriteOf } from "./route-handler.ts";

/** The parts of a target that do not come from the route alone. */
export type SharedParts = Pick<
  ForwardTarget,
  "upstream" | "maxBodyBytes" | "split" | "wheel" | "serviceName" | "respondWithError" | "gather" | "responses"
>;

/** The target of a route's requests, without mirrors and without variants. */
export function createTarget(route: RouteConfig, shared: SharedParts): ForwardTarget {
  return {
    ...shared,
    variants: undefined,
    mirror: undefined,
    rewrite: rewriteOf(route),
    connectTimeoutMs: route.connect_timeout_ms,
    sendTimeoutMs: route.send_timeout_ms,
    readTimeoutMs: route.read_timeout_ms,
    totalTimeoutMs: route.total_timeout_ms,
    maxResponseBytes: route.max_response_bytes,
    retry: retrySettings(route.retry),
    tellsClient: route.forward_client_address,
    ...extraFields(route.upstream_headers, route.rewrite?.host),
  };
}

type ExtraFields = Pick<ForwardTarget, "host" | "extraFields" | "extraFieldsWithoutHost" | "extraNames">;

const NO_EXTRA_FIELDS: ExtraFields = { host: undefined, extraFields: "", extraFieldsWithoutHost: "", extraNames: [] };

/** The fields of `upstream_headers`, and `host` as the Host of upstream requests if it is set. */
export function extraFields(own: RouteConfig["upstream_headers"], host: string | undefined): ExtraFields {
  const headers = host === undefined ? own : [...own, { name: "Host", value: host }];
  if (headers.length === 0) return NO_EXTRA_FIELDS;
  return {
    host: headers.findLast(isHost)?.value,
    extraFields: fieldsOf(headers),
    extraFieldsWithoutHost: fieldsOf(headers.filter((header) => !isHost(header))),
    extraNames: headers.map(({ name }) => name.toLowerCase()),
  };
}

type HeaderConfig = RouteConfig["upstream_headers"][number];

function isHost({ name }: HeaderConfig): boolean {
  return name.toLowerCase() === "host";
}

function fieldsOf(headers: readonly HeaderConfig[]): Fields {
  return headers.map(({ name, value }) => `${name}: ${value}\r\n`).join("");
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
