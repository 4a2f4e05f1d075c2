import { expect, test } from "bun:test";
import { fieldLine } from "../../../../lib/http/fields.ts";
import { makeToken, tokenDigest } from "../../../../payments/credit/token.ts";
import { type Config } from "../../../config/config.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { provideCreditTokens } from "./provide-credit-token.ts";

const { token: TOKEN } = makeToken("0123456789abcdef0123");
const { token: OTHER } = makeToken("3210fedcba9876543210");
const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;
const digestLine = (token: string): string => fieldLine("Turnpike-Token", tokenDigest(token));

/** The exchange of a request with these fields, after the policy of a gateway that sells credit, or of one that does not. */
function after(fields: readonly (readonly [name: string, value: string])[], isSold = true) {
  const lines = fields.map(([name, value]) => fieldLine(name, value)).join("");
  const exchange = { head: { fields: lines, payment: "" } } as Exchange; // Nothing else of it is read.
  const config = { x402: { credit: isSold ? {} : undefined } } as Config; // As above.
  void provideCreditTokens({ config }).policy(undefined)?.request?.(exchange);
  return [exchange.creditToken, exchange.head.fields];
}

test.each([
  ["Authorization", `Bearer ${TOKEN}`],
  ["Authorization", `bearer \t${TOKEN}`],
  ["X-API-Key", TOKEN],
])("a token in %s: %j is taken out, and the upstream gets its digest", (name, value) => {
  const accept = fieldLine("Accept", "text/plain");
  expect(
    after([
      ["Accept", "text/plain"],
      [name, value],
    ]),
  ).toEqual([TOKEN, accept + digestLine(TOKEN)]);
});

test.each([
  ["Authorization", "Bearer another-token"],
  ["Authorization", basic("user:password")],
  ["Authorization", "Basic"],
  ["X-API-Key", "a-key"],
  ["Cookie", TOKEN],
])("a field without a token stays, %s: %j", (name, value) => {
  expect(after([[name, value]])).toEqual([undefined, fieldLine(name, value)]);
});

test.each([
  ["a token as a password", [["authorization", basic(`user:${TOKEN}`)]]],
  ["a token in another scheme", [["authorization", `Digest ${TOKEN}`]]],
  ["a token with text before it", [["x-api-key", `key ${TOKEN}`]]],
  [
    "two tokens in one field",
    [
      ["authorization", `Bearer ${TOKEN}`],
      ["authorization", `Bearer ${OTHER}`],
    ],
  ],
  [
    "a token beside another credential",
    [
      ["authorization", "Bearer another-token"],
      ["authorization", `Bearer ${TOKEN}`],
    ],
  ],
] as const)("%s is not valid, and no upstream gets it", (_what, fields) => {
  expect(after(fields)).toEqual(["", ""]);
});

test("the first field's token counts, and all that have one are taken out", () => {
  const fields = [
    ["X-API-Key", OTHER],
    ["Authorization", `Bearer ${TOKEN}`],
  ] as const;
  expect(after(fields)).toEqual([TOKEN, digestLine(TOKEN)]);
});

test("a gateway that sells no credit leaves tokens where they are", () => {
  const value = `Bearer ${TOKEN}`;
  expect(after([["Authorization", value]], false)).toEqual([undefined, fieldLine("Authorization", value)]);
});
