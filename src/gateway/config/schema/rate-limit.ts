import { number, strictObject, string } from "./recorded-schema.ts";
import { count, optionalEnvironmentName, ours, section } from "./kinds.ts";

/** `routes[].rate_limit`: the request rate of each client. */
export const rateLimit = strictObject({
  requests_per_second: number()
    .min(0.0001)
    .max(10_000_000)
    .default(100)
    .describe("Tokens that the bucket gains per second."),
  burst_size: count(200, 1, 10_000_000).describe(
    "Size of the bucket in tokens. An empty bucket must refill within three days.",
  ),
  key: string()
    .regex(
      /^(?:ip|consumer|payer|header:[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,64})$/,
      'expected "ip", "consumer", "payer" or "header:NAME"',
    )
    .default("consumer")
    .describe(
      "Rate limit key: `ip`, `consumer`, `payer` (the address that pays), or `header:NAME`. Without a name or value, the address is used.",
    ),
  ipv6_prefix: count(64, 16, 128).meta(ours("Prefix length of IPv6 networks that share one bucket.")),
}).describe("Token bucket. If it is empty, requests get 429.");

/** `rate_limit_store`: the shared store of rate limits for several servers. */
export const rateLimitStore = section({
  redis_url_env: optionalEnvironmentName
    .default("")
    .meta(
      ours(
        "Environment variable with the URL of a Redis server, such as `redis://user:password@host:6379/0`, `rediss://` for TLS, or `redis+unix:///path`. Empty: each gateway limits by itself.",
      ),
    ),
  timeout_ms: count(50, 1, 10_000).meta(
    ours("Time for one reply. If it is late, this gateway alone limits the request."),
  ),
}).meta(ours("Rate limits shared by several gateways."));
