/** The policies that the benches measure. */

export const KEY = "bench-key-0123456789";
/** A limit that rejects no request of the bench. */
const PLENTY = 10_000_000;

/** The destinations of the log and of the spans. */
export interface Place {
  readonly logPath: string;
  readonly collectorPort: number;
}

/** The keys that one policy adds to the route, and to the whole configuration. */
export interface Part {
  readonly name: string;
  readonly route?: object;
  readonly whole?: (place: Place) => object;
}

export const PARTS: readonly Part[] = [
  { name: "api_key", route: { auth: { type: "api_key", keys: [{ key: KEY, name: "bench" }] } } },
  { name: "rate_limit", route: { rate_limit: { requests_per_second: PLENTY, burst_size: PLENTY, key: "ip" } } },
  { name: "security_headers", whole: () => ({ security_headers: { enabled: true } }) },
  {
    name: "access_log",
    whole: ({ logPath }) => ({ access_log: { enabled: true, format: "json", path: logPath } }),
  },
  {
    name: "tracing",
    whole: ({ collectorPort }) => ({
      otel: {
        enabled: true,
        sample_rate: 1,
        collector_url: `http://127.0.0.1:${collectorPort}`,
        service_name: "bench",
      },
    }),
  },
];
