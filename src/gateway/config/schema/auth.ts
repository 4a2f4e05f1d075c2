import * as z from "zod";
import { JWT_ALGORITHMS } from "../../../lib/jwt-key.ts";
import { headerName, httpUrl, milliseconds, ours, secret, text } from "./kinds.ts";

/** How many chains may stand inside one another. */
export const MAX_CHAIN_DEPTH = 3;

/** Characters of a name: it stands in a header, in logs and in limits. */
const MAX_NAME = 256;

/** Whom a request is from: no control characters, no spaces at its ends. */
const consumerName = text
  .max(MAX_NAME, `expected at most ${MAX_NAME} bytes`)
  .refine(
    (name) => !/[\u0000-\u001f\u007f]|^ | $/.test(name) && Buffer.byteLength(name) <= MAX_NAME,
    "expected a name without control characters and outer spaces",
  );

const consumers = z
  .array(consumerName)
  .default([])
  .meta(ours("Names that may pass; others are known and answered 403. Empty: all."));

const namedKey = z
  .strictObject({
    key: text
      .max(8192, "expected at most 8192 characters")
      .exactOptional()
      .meta(secret())
      .describe("The key; a secret. Either this or `key_hash`."),
    key_hash: z
      .string()
      .regex(/^[0-9A-Fa-f]{64}$/, "expected a SHA-256 hash: 64 hexadecimal digits")
      .exactOptional()
      .meta(secret())
      .describe("SHA-256 of the key in hexadecimal digits, in place of the key itself."),
    name: consumerName.describe("Name of who holds the key; several keys may have one holder."),
  })
  .describe("One key and its holder.");

const apiKey = z
  .strictObject({
    type: z.literal("api_key").describe("A key from a header or the query."),
    keys: z.array(namedKey).min(1, "expected at least one key").describe("Keys that are let in."),
    header_name: headerName.default("X-API-Key").describe("Header that carries the key."),
    query_param: z
      .string()
      .default("api_key")
      .describe("Query parameter that carries the key where no header does; empty: none."),
    consumers,
  })
  .describe("Keys that clients send.");

const jwt = z
  .strictObject({
    type: z.literal("jwt").describe("A signed token in `Authorization: Bearer`."),
    secret: text
      .exactOptional()
      .meta(secret())
      .describe(
        "Shared secret of HS256, HS384 and HS512, PEM public key of the others; a secret. Required without `jwks_url`.",
      ),
    jwks_url: httpUrl
      .exactOptional()
      .meta(ours("Where the issuer publishes its keys, in place of `secret`: https, or http on a loopback address.")),
    algorithm: z
      .enum(JWT_ALGORITHMS)
      .default("HS256")
      .describe("The one signature algorithm that is accepted, whatever the token says."),
    issuer: text.exactOptional().describe("Required `iss`."),
    audience: text.exactOptional().describe("Required `aud`."),
    claims_to_headers: z
      .array(
        z.strictObject({
          claim: text.describe("Claim that is sent on."),
          header: headerName.describe("Header it is sent in."),
        }),
      )
      .default([])
      .describe("Claims that the upstream gets as headers."),
    consumers,
  })
  .describe("JSON Web Tokens.");

const forwardAuth = z
  .strictObject({
    type: z.literal("forward_auth").describe("Another service decides."),
    url: httpUrl.describe("Service that is asked."),
    headers_forward: z.array(headerName).default([]).describe("Request headers that the service gets."),
    headers_upstream: z.array(headerName).default([]).describe("Headers of its answer that the upstream gets."),
    consumer_header: headerName
      .default("X-Consumer-Name")
      .meta(ours("Header of its answer that names who was let in.")),
    timeout_ms: milliseconds(5000).describe("Time for its answer."),
    consumers,
  })
  .describe("An external service that decides.");

const anonymous = z
  .strictObject({
    type: z.literal("anonymous").describe("Everybody, under one name."),
    subject: consumerName.default("anonymous").describe("The name."),
  })
  .describe("Everybody is let in, under one name.");

const none = z.strictObject({ type: z.literal("none").describe("No authentication.") }).describe("No authentication.");

export type Auth =
  | z.output<typeof apiKey>
  | z.output<typeof jwt>
  | z.output<typeof forwardAuth>
  | z.output<typeof anonymous>
  | z.output<typeof none>
  | { type: "chain"; methods: Auth[] };

const leaves = [apiKey, jwt, forwardAuth, anonymous, none] as const;

/** The methods at one depth: a chain may stand there only while chains are left to nest. */
function methodsWith(chains: number): z.ZodType<Auth> {
  if (chains === 0) return z.discriminatedUnion("type", leaves);
  const chain = z
    .strictObject({
      type: z.literal("chain").describe("Methods in order; the first success wins."),
      methods: z
        .array(methodsWith(chains - 1))
        .min(1, "expected at least one method")
        .describe(`Authentication methods; chains nest at most ${MAX_CHAIN_DEPTH} deep.`),
    })
    .describe("Several methods, the first success wins.");
  return z.discriminatedUnion("type", [...leaves, chain]);
}

/** `routes[].auth`. */
export const auth = methodsWith(MAX_CHAIN_DEPTH);
