import { expect, test } from "bun:test";
import { encodeJson } from "./canonical-json.ts";
import { writeChallenge } from "./challenge.ts";
import { authorizationOf, receiptIn, requiredData } from "./mcp.ts";

const REQUEST = { amount: "5", currency: "usd" };
const CHALLENGE = { id: "1", realm: "shop", method: "evm", intent: "charge" };

test("a credential of MCP is one of Authorization, the same for any order of its members", () => {
  const value = authorizationOf({ payload: { b: 1, a: [true, null] }, challenge: { ...CHALLENGE, request: REQUEST } });
  const [scheme, encoded = ""] = value?.split(" ") ?? [];
  expect([scheme, JSON.parse(Buffer.from(encoded, "base64url").toString())]).toEqual([
    "Payment",
    { challenge: { ...CHALLENGE, request: encodeJson(REQUEST) }, payload: { a: [true, null], b: 1 } },
  ]);
  const other = {
    challenge: { request: { currency: "usd", amount: "5" }, ...CHALLENGE },
    payload: { a: [true, null], b: 1 },
  };
  expect(authorizationOf(other)).toBe(value as string);
});

test.each([undefined, "text", {}, { challenge: "text" }, { challenge: {} }, { challenge: { request: "text" } }])(
  "%j is no credential",
  (credential) => {
    expect(authorizationOf(credential)).toBeUndefined();
  },
);

test("the challenges of a response have requests of JSON, and its problem beside them", () => {
  const challenge = { ...CHALLENGE, request: encodeJson(REQUEST) };
  const field = ["Basic realm=a", writeChallenge(challenge), writeChallenge({ ...challenge, id: "2" })].join(", ");
  const response = new Response("", { status: 402, headers: { "www-authenticate": field } });
  const challenges = ["1", "2"].map((id) => expect.objectContaining({ ...CHALLENGE, id, request: REQUEST }));
  expect(requiredData(response, { title: "Pay" })).toEqual({ httpStatus: 402, challenges, problem: { title: "Pay" } });
  expect(requiredData(response, "text")).toEqual({ httpStatus: 402, challenges });
  expect(requiredData(new Response("", { status: 402 }), {})).toBeUndefined();
});

test.each([
  [encodeJson({ reference: "r" }), { reference: "r" }],
  [encodeJson("text"), undefined],
  ["", undefined],
])("the receipt in %j", (field, receipt) => {
  expect(receiptIn(new Response("", { headers: { "payment-receipt": field } }))).toEqual(receipt);
});
