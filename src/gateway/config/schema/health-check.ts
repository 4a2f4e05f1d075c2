import * as z from "zod";
import { count, milliseconds, secret } from "./kinds.ts";

export const healthCheck = z
  .strictObject({
    path: z
      .string()
      .regex(/^\/[!-~]*$/, "expected a path that starts with /")
      .default("/health")
      .meta(secret("url"))
      .describe("Path that is asked for."),
    interval_ms: milliseconds(5000).describe("Time between probes, from start to start, a tenth more or less."),
    timeout_ms: milliseconds(2000).describe("Time for one probe, connection and body included."),
    expected_status: count(200, 200, 599).describe("Status that counts as healthy."),
    expected_body: z.string().exactOptional().describe("Text that the first 64 KiB of the body must contain."),
    healthy_threshold: count(2, 1, 1000).describe("Successes in a row that make a server healthy."),
    unhealthy_threshold: count(3, 1, 1000).describe("Failures in a row that make a server unhealthy."),
  })
  .describe("Active health checks.");
