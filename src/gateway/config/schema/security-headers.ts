import * as z from "zod";
import { count, headerValue, ours } from "./kinds.ts";

/** Ten years. */
const MAX_AGE_S = 315_360_000;
/** hstspreload.org takes no host that promises less. */
const PRELOAD_AGE_S = 31_536_000;

const hsts = z
  .strictObject({
    enabled: z.boolean().default(true).describe("Send `Strict-Transport-Security` over TLS."),
    max_age_s: count(31_536_000, 0, MAX_AGE_S).describe(
      "Seconds for which browsers come by TLS alone; 0 has them forget.",
    ),
    include_subdomains: z.boolean().default(false).describe("Hold all hosts below to it."),
    preload: z.boolean().default(false).describe("Agree to be in the list that browsers bring with them."),
  })
  .refine(
    ({ preload, include_subdomains: below, max_age_s: age }) => !preload || (below && age >= PRELOAD_AGE_S),
    "preload takes include_subdomains and a max_age_s of 31536000 at least",
  );

const REFERRER_POLICIES = [
  "none",
  "no-referrer",
  "no-referrer-when-downgrade",
  "origin",
  "origin-when-cross-origin",
  "same-origin",
  "strict-origin",
  "strict-origin-when-cross-origin",
  "unsafe-url",
] as const;

const keys = {
  enabled: z.boolean().exactOptional().describe("false sends none of these; on where the block is there."),
  hsts: hsts
    .exactOptional()
    .describe("HSTS, over TLS alone; a year where neither this nor the upstream says anything."),
  csp: headerValue.exactOptional().describe("`Content-Security-Policy`; none is sent unless it is configured."),
  referrer_policy: z
    .enum(REFERRER_POLICIES)
    .exactOptional()
    .describe(
      "`Referrer-Policy`; `strict-origin-when-cross-origin` where neither this nor the upstream says anything.",
    ),
  frame_options: z
    .enum(["none", "DENY", "SAMEORIGIN"])
    .exactOptional()
    .describe("`X-Frame-Options`; `SAMEORIGIN` where neither this nor the upstream says anything."),
  content_type_options: z
    .boolean()
    .exactOptional()
    .describe("`X-Content-Type-Options: nosniff`; sent unless this is false."),
};

/** `security_headers`: what browsers are told, on all routes. */
export const securityHeaders = z
  .strictObject(keys)
  .exactOptional()
  .meta(ours("Fields by which browsers protect users; none are sent without this block. gRPC answers have none."));

/** `routes[].security_headers`: what differs on one route. */
export const routeSecurityHeaders = z
  .strictObject(keys)
  .meta(ours("Keys of `security_headers` that differ on this route."));
