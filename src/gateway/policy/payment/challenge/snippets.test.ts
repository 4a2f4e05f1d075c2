import { describe, expect, test } from "bun:test";
import { REQUIREMENTS } from "../../../../payments/testing/payment.ts";
import { type PaymentRequired, type PaymentRequirements } from "../../../../payments/x402/messages.ts";
import { type Call, callOf, commandSnippet, programSnippet } from "./snippets.ts";

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

describe("the command", () => {
  test.each([
    [GET, `npx turnpike pay ${URL}`],
    [{ ...GET, method: "PUT" }, `npx turnpike pay PUT ${URL}`],
    [{ ...GET, method: "POST" }, `npx turnpike pay POST ${URL}`],
    [{ ...GET, method: "POST", body: { a: "it's" } }, `npx turnpike pay ${URL} -d '{"a":"it'\\''s"}'`],
    [{ ...GET, method: "GET", body: 1 }, `npx turnpike pay GET ${URL} -d 1`],
    [{ ...GET, url: `${URL}?x=1&y` }, `npx turnpike pay '${URL}?x=1&y'`],
  ])("of %j is %s", (call, command) => {
    expect(commandSnippet(call, requiredOf())).toBe(command);
  });

  test.each([
    [["1000000"], ""],
    [["1000001"], " --max-price 1.000001"],
    [["3000000", "2000000", "4000000"], " --max-price 2.00"],
    [["3000000", "10"], ""],
  ])("for prices of %j ends in %j", (amounts, end) => {
    const accepts = amounts.map((amount) => costing(amount));
    expect(commandSnippet(GET, requiredOf({ accepts }))).toBe(`npx turnpike pay ${URL}${end}`);
  });

  test("is absent without a known token", () => {
    expect(commandSnippet(GET, requiredOf({ accepts: [UNKNOWN] }))).toBeUndefined();
    expect(commandSnippet(GET, requiredOf({ accepts: [UNKNOWN, costing("1")] }))).toBeDefined();
  });
});

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
