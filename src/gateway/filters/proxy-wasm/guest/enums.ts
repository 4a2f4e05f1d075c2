/** Return values of host functions. SDKs trap on a code that they do not expect, so this list adds no codes. */
export const STATUS = {
  ok: 0,
  notFound: 1,
  badArgument: 2,
  empty: 7,
  casMismatch: 8,
  internalFailure: 10,
  unimplemented: 12,
} as const;

/** Kinds of field lists. */
export const MAP = {
  requestHeaders: 0,
  requestTrailers: 1,
  responseHeaders: 2,
  responseTrailers: 3,
  grpcInitialMetadata: 4,
  grpcTrailingMetadata: 5,
  callHeaders: 6,
  callTrailers: 7,
} as const;

export const BUFFER = {
  requestBody: 0,
  responseBody: 1,
  callBody: 4,
  grpcMessage: 5,
  vmConfiguration: 6,
  pluginConfiguration: 7,
} as const;

export const STREAM = { request: 0, response: 1 } as const;

/** The return value of callbacks for headers, bodies and trailers that continues. Every other value pauses. */
export const CONTINUE_ACTION = 0;

/** The log levels of Proxy-Wasm. The index of each is its number in the ABI. */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "critical"] as const;
/** The lowest log level that is written: info. */
export const LEAST_LOG_LEVEL = 2;

/** The metric types of Proxy-Wasm. The index of each is its number in the ABI. */
export const METRIC_TYPES = ["counter", "gauge", "histogram"] as const;
export type MetricType = (typeof METRIC_TYPES)[number];
