import { isPlainName } from "../../../lib/text/visible-text.ts";
import {
  array,
  discriminatedUnion,
  literal,
  oneOf,
  type output,
  strictObject,
  string,
  type ZodType,
} from "./recorded-schema.ts";
import { JWT_ALGORITHMS } from "../../../lib/http/jwt-key.ts";
import { headerName, httpUrl, milliseconds, ours, secret, text } from "./kinds.ts";

/** Levels of nested chains; the configuration is refused with more. */
const MAX_CHAIN_DEPTH = 3;

/** Bytes of a consumer's name; a longer one is refused. The name is used in header fields, logs and limits. */
const MAX_NAME = 256;

/** The name of a consumer. It has no invisible characters, so that no two names look the same. */
const consumerName = text
  .max(MAX_NAME, `expected at most ${MAX_NAME} bytes`)
  .refine(
    (name) => isPlainName(name) && Buffer.byteLength(name) <= MAX_NAME,
    "expected a name in Unicode NFC, without invisible characters, and with single spaces between words",
  );

const consumers = array(consumerName)
  .default([])
  .meta(ours("Names that are allowed; other valid names get 403. Empty: all are allowed."));

const namedKey = strictObject({
  key: text
    .max(8192, "expected at most 8192 characters")
    .exactOptional()
    .meta(secret())
    .describe("The key, a secret. Set either this or `key_hash`."),
  key_hash: string()
    .regex(/^[0-9A-Fa-f]{64}$/, "expected a SHA-256 hash: 64 hexadecimal digits")
    .exactOptional()
    .meta(secret())
    .describe("SHA-256 of the key in hexadecimal digits, in place of the key itself."),
  name: consumerName.describe("Name of the key's owner, the consumer. Several keys may have the same owner."),
}).describe("One key and its owner.");

const apiKey = strictObject({
  type: literal("api_key").describe("A key in a header field or in the query."),
  keys: array(namedKey).describe("Accepted keys. Without any, all requests are refused."),
  header_name: headerName.default("X-API-Key").describe("Header field that contains the key."),
  query_param: string()
    .default("api_key")
    .describe("Query parameter that contains the key if the header field is absent. Empty: no parameter."),
  consumers,
}).describe("Keys that clients send in a header field or in the query.");

const jwt = strictObject({
  type: literal("jwt").describe("A signed token in `Authorization: Bearer`."),
  secret: text
    .exactOptional()
    .meta(secret())
    .describe("Shared secret of HS256, HS384 and HS512, PEM public key of the others. Required without `jwks_url`."),
  jwks_url: httpUrl
    .exactOptional()
    .meta(ours("URL of the issuer's keys, in place of `secret`: https, or http on a loopback address.")),
  algorithm: oneOf(JWT_ALGORITHMS).default("HS256").describe("The only accepted signature algorithm."),
  issuer: text.exactOptional().describe("Required `iss`."),
  audience: text.exactOptional().describe("Required `aud`."),
  claims_to_headers: array(
    strictObject({
      claim: text.describe("Claim to forward."),
      header: headerName.describe("Header field for the claim."),
    }),
  )
    .default([])
    .describe("Claims that are forwarded to the upstream as header fields."),
  consumers,
}).describe("JSON Web Tokens in `Authorization: Bearer`.");

const forwardAuth = strictObject({
  type: literal("forward_auth").describe("An external service decides."),
  url: httpUrl.describe("URL of the service."),
  headers_forward: array(headerName).default([]).describe("Request header fields that are forwarded to the service."),
  headers_upstream: array(headerName)
    .default([])
    .describe("Header fields of the service's response that are forwarded to the upstream."),
  consumer_header: headerName
    .default("X-Consumer-Name")
    .meta(ours("Header field of the service's response that names the consumer.")),
  timeout_ms: milliseconds(5000).describe("Time for its response."),
  consumers,
}).describe("An external authorization service.");

const anonymous = strictObject({
  type: literal("anonymous").describe("Accepts all requests under one consumer name."),
  subject: consumerName.default("anonymous").describe("The consumer name."),
}).describe("Accepts all requests under one consumer name.");

const none = strictObject({ type: literal("none").describe("No authentication.") }).describe("No authentication.");

export type Auth =
  | output<typeof apiKey>
  | output<typeof jwt>
  | output<typeof forwardAuth>
  | output<typeof anonymous>
  | output<typeof none>
  | { type: "chain"; methods: Auth[] };

const leaves = [apiKey, jwt, forwardAuth, anonymous, none] as const;

/** The methods that are allowed at one level. A chain is one of them if `chains` more levels may be nested. */
function methodsWith(chains: number): ZodType<Auth> {
  if (chains === 0) return discriminatedUnion("type", leaves);
  const chain = strictObject({
    type: literal("chain").describe("Methods in order. The first success decides."),
    methods: array(methodsWith(chains - 1))
      .min(1, "expected at least one method")
      .describe(`Authentication methods; chains nest at most ${MAX_CHAIN_DEPTH} deep.`),
  }).describe("Several methods; the first success decides.");
  return discriminatedUnion("type", [...leaves, chain]);
}

export const auth = methodsWith(MAX_CHAIN_DEPTH);
