import { boolean, oneOf, strictObject } from "./recorded-schema.ts";
import { count, headerValue, ours, flag } from "./kinds.ts";

/** Seconds of `max-age`, ten years; a longer time is refused. */
const MAX_AGE_S = 315_360_000;
/** Seconds: hstspreload.org accepts no shorter `max-age`. */
const PRELOAD_AGE_S = 31_536_000;

const hsts = strictObject({
  enabled: flag(true).describe("Send `Strict-Transport-Security` over TLS."),
  max_age_s: count(31_536_000, 0, MAX_AGE_S).describe(
    "Seconds for which browsers use only TLS. 0: browsers forget the rule.",
  ),
  include_subdomains: flag().describe("Include all subdomains."),
  preload: flag().describe("Allow inclusion in the preload list of browsers."),
}).refine(
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
  enabled: boolean().exactOptional().describe("false turns these fields off. Default: true if the block is present."),
  hsts: hsts.exactOptional().describe("HSTS, only over TLS. Default: one year, unless the upstream sends the field."),
  csp: headerValue.exactOptional().describe("`Content-Security-Policy`. Default: not sent."),
  referrer_policy: oneOf(REFERRER_POLICIES)
    .exactOptional()
    .describe("`Referrer-Policy`. Default: `strict-origin-when-cross-origin`, unless the upstream sends the field."),
  frame_options: oneOf(["none", "DENY", "SAMEORIGIN"])
    .exactOptional()
    .describe("`X-Frame-Options`. Default: `SAMEORIGIN`, unless the upstream sends the field."),
  content_type_options: boolean().exactOptional().describe("Send `X-Content-Type-Options: nosniff`. Default: true."),
};

export const securityHeaders = strictObject(keys)
  .exactOptional()
  .meta(ours("Response fields that make browsers protect their users; never with gRPC."));

export const routeSecurityHeaders = strictObject(keys).meta(ours("Overrides of `security_headers` for this route."));
