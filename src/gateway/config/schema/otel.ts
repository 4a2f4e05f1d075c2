import { number, string } from "./recorded-schema.ts";
import { count, flag, httpUrl, seconds, secret, section } from "./kinds.ts";

export const otel = section({
  enabled: flag().describe("Export traces over OTLP/HTTP."),
  collector_url: httpUrl.default("http://localhost:4318").describe("OTLP/HTTP collector."),
  service_name: string()
    .regex(/^[!-+\--~]+$/, "expected visible ASCII without spaces and commas")
    .default("service")
    .describe("The `service.name` resource attribute, and the name in the `Via` header."),
  flush_interval_s: seconds(5).describe("Seconds between exports."),
  sample_rate: number().min(0).max(100).default(100).describe("Percentage of traces that are exported."),
  max_batch_size: count(256, 1, 65_536).describe("Maximum spans of one export."),
  headers: string()
    .regex(/^(?:[^=,\s]+=[\t\x20-+\--~]*(?:,\s*[^=,\s]+=[\t\x20-+\--~]*)*)?$/, 'expected "key1=value1,key2=value2"')
    .default("")
    .meta(secret())
    .describe("Further OTLP header fields, as `key1=value1,key2=value2`."),
}).describe("Tracing.");
