import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { ClientExchange, Consumer } from "../../../../../test/flow/testing/flow.ts";
import { REQUIREMENTS } from "../../../../payments/testing/payment.ts";
import { type PaymentRequirements } from "../../../../payments/x402/messages.ts";
import { type Credit } from "../../../../store/credits.ts";
import { type PaidRoute } from "../route/paid-route.ts";
import { creditOffer } from "./credit-offer.ts";
import { type ChallengeError } from "../challenge/challenge.ts";
import { type Offer, type Refusal } from "./offer.ts";

const NOW = 1_800_000_000_500;
const OWNER = `0x${"a".repeat(40)}`;
const CREDIT: Credit = {
  id: "credit-1",
  hash: "",
  owner: OWNER,
  unit: "money",
  name: "",
  network: REQUIREMENTS.network,
  token: REQUIREMENTS.asset.toLowerCase(),
  routes: [],
  balance: REQUIREMENTS.amount,
  expiresAt: 0,
  revokedAt: 0,
  createdAt: 1,
};
const OTHER: PaymentRequirements = { ...REQUIREMENTS, network: "eip155:1", amount: "7" };
const KEY = "Idempotency-Key: one\r\n";

interface Options {
  readonly credit?: Partial<Credit>;
  readonly fields?: string;
  readonly accepts?: readonly PaymentRequirements[];
  readonly route?: Partial<PaidRoute>;
}

function offered({ credit = {}, fields = KEY, accepts = [REQUIREMENTS], route = {} }: Options = {}): Offer | undefined {
  const paidRoute = {
    accepts: { current: () => ({ required: { accepts } }) },
    clock: () => NOW,
    route: "/goods",
    isRefused: false,
    isServed: true,
    requiresId: false,
    ...route,
  } as unknown as PaidRoute; // Nothing else of it is read.
  return creditOffer(paidRoute, new ClientExchange(new Consumer(), { fields }), { ...CREDIT, ...credit });
}

const terms = (error: ChallengeError): Refusal => ({ kind: "terms", error });

test("a charge is for the price of the route, under a key of its credit and its Idempotency-Key", () => {
  const nonce = `0x${createHash("sha256").update("credit-1\none").digest("hex")}` as const;
  const offer = offered();
  expect(offer).toMatchObject({
    requirements: REQUIREMENTS,
    header: `credit-1 ${nonce}`,
    version: 2,
    prepaid: {
      network: `credit:${REQUIREMENTS.network.slice("eip155:".length)}`,
      asset: "credit:credit-1",
      from: OWNER,
      nonce,
      token: REQUIREMENTS.asset,
    },
    refusal: undefined,
  });
  expect(offer?.payload).toEqual({
    x402Version: 2,
    accepted: REQUIREMENTS,
    payload: {
      signature: "0x",
      authorization: {
        from: OWNER,
        to: REQUIREMENTS.payTo,
        value: REQUIREMENTS.amount,
        validAfter: "0",
        validBefore: String(1_800_000_001 + REQUIREMENTS.maxTimeoutSeconds),
        nonce,
      },
    },
  } as NonNullable<Offer>["payload"]);
});

const nonceOf = (options: Options): string | undefined => offered(options)?.prepaid?.nonce;

test("charges with one key are one charge, and charges without a key, or of another credit, are others", () => {
  expect(nonceOf({ fields: "X-Idempotency-Key: one\r\n" })).toBe(nonceOf({}));
  const others = [
    nonceOf({}),
    nonceOf({ fields: "Idempotency-Key: two\r\n" }),
    nonceOf({ credit: { id: "credit-2" } }),
    nonceOf({ fields: "" }),
    nonceOf({ fields: "" }),
  ];
  expect(new Set(others).size).toBe(5);
  for (const nonce of others) expect(nonce).toMatch(/^0x[0-9a-f]{64}$/);
});

test.each<[string, Partial<Credit>, ChallengeError | undefined]>([
  ["that covers the price", {}, undefined],
  ["with one unit too little", { balance: String(BigInt(REQUIREMENTS.amount) - 1n) }, "credit_insufficient"],
  ["with more digits than the price", { balance: `1${"0".repeat(29)}` }, undefined],
  ["that is revoked", { revokedAt: 1 }, "credit_revoked"],
  ["that ends now", { expiresAt: NOW }, "credit_expired"],
  ["that ends a millisecond later", { expiresAt: NOW + 1 }, undefined],
  ["for this route", { routes: ["/other", "/goods"] }, undefined],
  ["for another route", { routes: ["/other"] }, "credit_other_route"],
  ["in another token", { token: `0x${"1".repeat(40)}` }, "credit_other_currency"],
  ["on another chain", { network: "eip155:1" }, "credit_other_currency"],
])("a credit %s", (_what, credit, error) => {
  expect(offered({ credit })?.refusal).toEqual(error === undefined ? undefined : terms(error));
});

test("money pays the price in its own token, and passes pay a call or nothing", () => {
  const accepts = [OTHER, REQUIREMENTS];
  expect(offered({ accepts })?.requirements).toEqual(REQUIREMENTS);
  const calls = offered({ accepts, credit: { unit: "calls", balance: "1" } });
  expect(calls?.requirements).toEqual({ ...OTHER, scheme: "exact", amount: "1" });
  expect([calls?.prepaid, calls?.refusal]).toMatchObject([{ token: "calls", network: "credit:calls" }, undefined]);
  expect(offered({ credit: { unit: "calls", balance: "0" } })?.refusal).toEqual(terms("credit_insufficient"));
  const time = offered({ credit: { unit: "time", balance: "0" } });
  expect([time?.requirements.amount, time?.refusal]).toEqual(["0", undefined]);
  // Without its own token, the terms are only shown.
  const foreign = offered({ accepts: [OTHER] });
  expect(foreign?.requirements).toEqual(OTHER);
  expect(foreign?.refusal).toEqual(terms("credit_other_currency"));
});

const long = (length: number): string => `Idempotency-Key: ${"k".repeat(length)}\r\n`;

test.each([
  ["two keys", KEY + KEY, "one Idempotency-Key"],
  ["a key under each name", `${KEY}X-Idempotency-Key: one\r\n`, "one Idempotency-Key"],
  ["an empty key", "Idempotency-Key:\r\n", "one Idempotency-Key"],
  ["a key of 256 characters", long(256), "one Idempotency-Key"],
  ["a key of 255 characters", long(255), undefined],
])("a charge with %s", (_what, fields, error) => {
  const refusal = offered({ fields })?.refusal;
  expect(refusal?.kind).toBe(error === undefined ? undefined : "unusable");
  if (refusal?.kind === "unusable") expect(refusal.error.message).toContain(String(error));
});

test("what the route refuses comes before what is wrong with the charge", () => {
  const credit = { revokedAt: 1 };
  expect(offered({ fields: KEY + KEY, credit, route: { isRefused: true, isServed: false } })?.refusal).toEqual({
    kind: "refused",
  });
  expect(offered({ fields: KEY + KEY, credit, route: { isServed: false } })?.refusal).toEqual({ kind: "unserved" });
  expect(offered({ fields: KEY + KEY, credit })?.refusal?.kind).toBe("unusable");
  const required = { requiresId: true };
  expect(offered({ fields: "", credit, route: required })?.refusal?.kind).toBe("unusable");
  expect(offered({ fields: KEY, route: required })?.refusal).toBeUndefined();
});

test("a route without terms takes no credit", () => {
  expect(offered({ accepts: [] })).toBeUndefined();
  expect(
    offered({ route: { accepts: { current: () => undefined } as unknown as PaidRoute["accepts"] } }),
  ).toBeUndefined();
});
