import { fieldLine } from "../../../../lib/http/fields.ts";
import { containsToken, isTokenLike, TOKEN_FIELD, tokenDigest } from "../../../../payments/credit/token.ts";
import { type Config } from "../../../config/config.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { appendFields, headValues, removeFields } from "../../../exchange/head-fields.ts";
import { type PolicyFeature } from "../../policy.ts";

/** The fields that can have a token, the first one first. */
const FIELDS = ["authorization", "x-api-key"] as const;
const BEARER = /^bearer[ \t]+/i;
const BASIC = /^basic[ \t]+/i;

/**
 * Provides `x402.credit`: takes the token of prepaid credit out of every request before other policies see it. So
 * authentication does not refuse it, and no log and no upstream gets it.
 */
export function provideCreditTokens({ config }: { readonly config: Config }): PolicyFeature {
  const policy = { name: "credit token", guards: true, request };
  return { policy: () => (config.x402.credit === undefined ? undefined : policy) };
}

function request(exchange: Exchange): "continue" {
  for (const name of FIELDS) {
    const tokens = headValues(exchange.head, name).map(tokenIn);
    if (tokens.every((token) => token === undefined)) continue;
    removeFields(exchange.head, [name]);
    // Two tokens are not valid.
    exchange.creditToken ??= tokens.length === 1 ? tokens[0] : "";
  }
  const { creditToken = "" } = exchange;
  // An upstream can keep something for the holder of a token without the token.
  if (creditToken !== "") appendFields(exchange.head, fieldLine(TOKEN_FIELD, tokenDigest(creditToken)));
  return "continue";
}

/** The token in a value; empty if the value has one in another form than it may; undefined without one. */
function tokenIn(value: string): string | undefined {
  const token = value.replace(BEARER, "");
  if (isTokenLike(token)) return token;
  const text = BASIC.test(value) ? Buffer.from(value.replace(BASIC, ""), "base64").toString("latin1") : value;
  return containsToken(text) ? "" : undefined;
}
