import { describe, expect, test } from "bun:test";
import { REQUIREMENTS } from "../../../../payments/testing/payment.ts";
import { type PaymentRequired, type PaymentRequirements } from "../../../../payments/x402/messages.ts";
import { type Call } from "../../../../payments/x402/stock-client.ts";
import { callOf, programSnippet } from "./snippets.ts";

const URL = "https://shop.test/a";
const UNKNOWN = { ...REQUIREMENTS, network: "eip155:10", asset: "0x0000000000000000000000000000000000000009" } as const;
const SEPOLIA = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";

function requiredOf(changes: Partial<PaymentRequired> = {}): PaymentRequired {
  return {
    x402Version: 2,
    error: "Payment required",
    resource: { url: URL, description: "", mimeType: "" },
    accepts: [REQUIREMENTS],
    ...changes,
  };
}

function costing(amount: string, changes: Partial<PaymentRequirements> = {}): PaymentRequirements {
  return { ...REQUIREMENTS, asset: SEPOLIA, amount, ...changes };
}

function bazaar(input: unknown): Partial<PaymentRequired> {
  return { extensions: { bazaar: { info: { input } } } };
}

test.each<[string, Partial<PaymentRequired>, string, Call]>([
  ["the method that was asked by", {}, "PUT", { method: "PUT", url: URL, body: undefined }],
  ["GET for HEAD", {}, "HEAD", { method: "GET", url: URL, body: undefined }],
  ["the method that is named", bazaar({ method: "POST" }), "GET", { method: "POST", url: URL, body: undefined }],
  [
    "the body that is named",
    bazaar({ method: "POST", bodyType: "json", body: { a: 1 } }),
    "GET",
    { method: "POST", url: URL, body: { a: 1 } },
  ],
  [
    "no body of another type",
    bazaar({ method: "POST", bodyType: "text", body: "x" }),
    "GET",
    { method: "POST", url: URL, body: undefined },
  ],
  [
    "no body without a method",
    bazaar({ bodyType: "json", body: 1 }),
    "GET",
    { method: "GET", url: URL, body: undefined },
  ],
  ["nothing of a text", bazaar("method"), "GET", { method: "GET", url: URL, body: undefined }],
  ["nothing of null", { extensions: { bazaar: null } }, "GET", { method: "GET", url: URL, body: undefined }],
])("the shown call has %s", (_what, changes, method, call) => {
  expect(callOf(requiredOf(changes), method)).toEqual(call);
});

const GET = { method: "GET", url: URL, body: undefined };

function callIn(program: string): string {
  return /const response = await ([^]*?);\nconsole/.exec(program)?.[1] ?? "";
}

function controls(...accepts: PaymentRequirements[]): string | undefined {
  return /allowedAssets: (.*) \}\);/.exec(programSnippet(GET, requiredOf({ accepts })))?.[1];
}

function limit({ network, asset, amount }: PaymentRequirements): object {
  return { network, asset, maxAmountPerPayment: amount };
}

describe("the program", () => {
  test("pays by the offered scheme, and by exact if there are several", () => {
    const upto = costing("1", { scheme: "upto" });
    expect(programSnippet(GET, requiredOf({ accepts: [upto] }))).toContain('"@x402/evm/upto/client"');
    expect(programSnippet(GET, requiredOf({ accepts: [upto] }))).toContain("new UptoEvmScheme(account)");
    expect(programSnippet(GET, requiredOf({ accepts: [upto, costing("1")] }))).toContain("new ExactEvmScheme(account)");
    expect(programSnippet(GET, requiredOf({ accepts: [upto, costing("1")] }))).toContain('"@x402/evm/exact/client"');
  });

  test("makes the call", () => {
    expect(callIn(programSnippet(GET, requiredOf()))).toBe(`pay("${URL}")`);
    expect(callIn(programSnippet({ ...GET, method: "PUT" }, requiredOf()))).toBe(`pay("${URL}", { method: "PUT" })`);
    expect(callIn(programSnippet({ ...GET, method: "POST", body: { a: 1 } }, requiredOf()))).toBe(
      `pay("${URL}", {\n  method: "POST",\n  headers: { "Content-Type": "application/json" },\n  body: JSON.stringify({"a":1}),\n})`,
    );
  });

  test("sets limits only if the stock client would not pay without them", () => {
    expect(controls(costing("1000000"))).toBeUndefined();
    const dear = costing("1000001");
    const elsewhere = costing("1", { network: "eip155:43113", asset: "0x5425890298aed601595a70AB815c96711a31Bc65" });
    for (const requirements of [dear, elsewhere, UNKNOWN, costing("1", { asset: UNKNOWN.asset })]) {
      expect(JSON.parse(controls(costing("1"), requirements) ?? "")).toEqual([limit(requirements)]);
    }
  });
});

test("a program for a route on Solana pays with the stock scheme of Solana", () => {
  const requirements = { ...REQUIREMENTS, network: "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1", extra: {} };
  const required = requiredOf({ accepts: [requirements] });
  const program = programSnippet(callOf(required, "GET"), required);
  expect(program).toContain('register("solana:*", new ExactSvmScheme(signer))');
  expect(program).not.toContain("viem");
});
