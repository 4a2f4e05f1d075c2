import { strictObject, string } from "./recorded-schema.ts";
import { count, milliseconds, secret } from "./kinds.ts";

export const healthCheck = strictObject({
  path: string()
    .regex(/^\/[!-~]*$/, "expected a path that starts with /")
    .default("/health")
    .meta(secret("url"))
    .describe("Path of the health check request."),
  interval_ms: milliseconds(5000).describe("Time between the starts of two probes, plus or minus 10 %."),
  timeout_ms: milliseconds(2000).describe("Time for one probe, including connection and body."),
  expected_status: count(200, 200, 599).describe("Status that counts as healthy."),
  expected_body: string().exactOptional().describe("Text that the first 64 KiB of the body must contain."),
  healthy_threshold: count(2, 1, 1000).describe("Consecutive successes of a healthy server."),
  unhealthy_threshold: count(3, 1, 1000).describe("Consecutive failures of an unhealthy server."),
}).describe("Active health checks.");
