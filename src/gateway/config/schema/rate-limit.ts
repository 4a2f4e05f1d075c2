import * as z from "zod";
import { count, ours } from "./kinds.ts";

/** `routes[].rate_limit`: how many requests each client may make. */
export const rateLimit = z
  .strictObject({
    requests_per_second: z
      .number()
      .min(0.0001)
      .max(10_000_000)
      .default(100)
      .describe("Tokens that the bucket gains in a second; `0.01` is one in 100 seconds."),
    burst_size: count(200, 1, 10_000_000).describe("Tokens that the bucket holds; it must fill within three days."),
    key: z
      .string()
      .regex(/^(?:ip|consumer|header:[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,64})$/, 'expected "ip", "consumer" or "header:NAME"')
      .default("consumer")
      .describe(
        "What has a bucket: `ip`, the client address; `consumer`, the authenticated name; `header:NAME`, the value of a request header, as in `header:X-Api-Client`. Without a name or value it is the address.",
      ),
    ipv6_prefix: count(64, 16, 128).meta(
      ours("Bits of an IPv6 address that have one bucket together, since who has an address has a network of them."),
    ),
  })
  .describe("Token bucket; 429 when it is empty.");

/** `rate_limit_store`: where rate limits of several servers are kept. */
export const rateLimitStore = z
  .strictObject({
    redis_url_env: z
      .string()
      .regex(/^(?:[A-Za-z_][A-Za-z0-9_]{0,127})?$/, "expected the name of an environment variable")
      .default("")
      .meta(
        ours(
          "Name of the environment variable that holds the URL of a Redis server, such as `redis://user:password@host:6379/0`, `rediss://` for TLS, or `redis+unix:///path`. Empty: every server limits by itself.",
        ),
      ),
    timeout_ms: count(50, 1, 10_000).meta(
      ours("Time for one answer of the store; a request that gets none in time is limited by this server alone."),
    ),
  })
  .prefault({})
  .meta(ours("Rate limits shared by several servers."));
