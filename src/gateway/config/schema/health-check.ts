import * as z from "zod";
import { count, milliseconds } from "./kinds.ts";

export const healthCheck = z
  .strictObject({
    path: z
      .string()
      .regex(/^\/[!-~]*$/, "expected a path that starts with /")
      .default("/health")
      .describe("Path that is asked for."),
    interval_ms: milliseconds(5000).describe("Time between probes."),
    timeout_ms: milliseconds(2000).describe("Time for one probe."),
    expected_status: count(200, 100, 599).describe("Status that counts as healthy."),
    expected_body: z.string().exactOptional().describe("Text that the body must contain."),
    healthy_threshold: count(2, 1, 1000).describe("Successes in a row that make a server healthy."),
    unhealthy_threshold: count(3, 1, 1000).describe("Failures in a row that make a server unhealthy."),
  })
  .describe("Active health checks.");
