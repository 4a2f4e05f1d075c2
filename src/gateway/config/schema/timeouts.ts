import { milliseconds, section } from "./kinds.ts";

export const timeouts = section({
  idle_ms: milliseconds(60_000).describe(
    "Maximum idle time of a connection between requests, at least `header_ms` and `write_ms`.",
  ),
  header_ms: milliseconds(10_000).describe("Time to receive the complete request header section."),
  body_ms: milliseconds(30_000).describe("Time to receive the request body."),
  write_ms: milliseconds(30_000).describe("Time to flush a response."),
}).describe("Timeouts for clients, in milliseconds.");
