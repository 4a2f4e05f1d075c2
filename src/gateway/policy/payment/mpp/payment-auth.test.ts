import { afterEach, expect, test } from "bun:test";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { answerTo, challengesOf, type CredentialChanges } from "../../../../payments/testing/mpp.ts";
import { decodeJson } from "../../../../payments/mpp/canonical-json.ts";
import { type PaymentChallenge, writeChallenge } from "../../../../payments/mpp/challenge.ts";
import { readCredential } from "../../../../payments/mpp/credential.ts";
import { isChargeable, readAuthorization } from "../../../../payments/mpp/evm-charge.ts";
import { encodeHeader } from "../../../../payments/x402/header.ts";
import { PAYEE, PAYER, REQUIREMENTS, TERMS, USDC } from "../../../../payments/testing/payment.ts";
import { closeShops, decoded, openShop, type Shop, type ShopOptions } from "../testing/shop.ts";
import { respondWith, TestExchange } from "../testing/test-gateway.ts";
import { plainHead } from "../../../exchange/exchange-state.ts";
import { fieldValues } from "../../../../lib/http/fields.ts";
import { readPresented, Unreadable } from "../offer/presented.ts";
import { PaymentAuth } from "./payment-auth.ts";

afterEach(closeShops);

const PROBLEMS = "https://paymentauth.org/problems/";

function open(options: ShopOptions = {}): Shop {
  return openShop({ mpp: true, ...options });
}

function ask(shop: Shop, init: RequestInit = {}, path = "/goods"): Promise<Response> {
  return fetch(shop.gateway.url + path, init);
}

async function challengeOf(shop: Shop, init: RequestInit = {}): Promise<PaymentChallenge> {
  const [challenge] = challengesOf(await ask(shop, init));
  if (challenge === undefined) throw new Error("the response has no challenge");
  return challenge;
}

function pay(shop: Shop, authorization: string, init: RequestInit = {}): Promise<Response> {
  return ask(shop, { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), authorization } });
}

async function typeOf(response: Response): Promise<unknown> {
  const problem: unknown = await response.json();
  return typeof problem === "object" && problem !== null ? Reflect.get(problem, "type") : undefined;
}

async function buy(shop: Shop, changes: CredentialChanges = {}): Promise<Response> {
  return pay(shop, answerTo(await challengeOf(shop), changes));
}

test("a 402 has a challenge of the Payment scheme beside that of x402", async () => {
  const shop = open();
  const response = await ask(shop);
  expect([response.status, response.headers.get("cache-control")]).toEqual([402, "no-store"]);
  expect(decoded(response, "payment-required")).toMatchObject({ x402Version: 2 });
  expect(response.headers.get("access-control-expose-headers")).toContain("WWW-Authenticate");
  const challenges = challengesOf(response);
  expect(challenges).toHaveLength(1);
  const [challenge] = challenges;
  expect(challenge).toMatchObject({ realm: "shop.example", method: "evm", intent: "charge", digest: undefined });
  expect(Date.parse(challenge?.expires ?? "")).toBe(shop.clock.now + REQUIREMENTS.maxTimeoutSeconds * 1000);
  expect(decodeJson(challenge?.request ?? "")).toEqual({
    amount: "10000",
    currency: USDC,
    recipient: PAYEE,
    methodDetails: {
      chainId: 84532,
      credentialTypes: ["authorization"],
      decimals: 6,
      permit2Address: "0x000000000022D473030F116dDEE9F6B43aC78BA3",
    },
  });
  expect(await response.json()).toMatchObject({ type: "urn:turnpike:error:payment-required" });
});

test("each challenge is different, and only what EIP-3009 pays for is offered", async () => {
  const permit2 = { ...TERMS, asset_transfer_method: "permit2" } as const;
  const shop = open({ terms: { accepts: [permit2, { ...TERMS, network: "base" }] } });
  const responses = [await ask(shop), await ask(shop)];
  const challenges = responses.flatMap(challengesOf);
  expect(challenges.map(({ request }) => decodeJson(request))).toMatchObject([
    { methodDetails: { chainId: 84532 } },
    { methodDetails: { chainId: 8453 } },
    { methodDetails: { chainId: 84532 } },
    { methodDetails: { chainId: 8453 } },
  ]);
  expect(new Set(challenges.map(({ id }) => id)).size).toBe(4);
  expect(isChargeable({ ...REQUIREMENTS, network: "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1" })).toBe(false);
});

test("a gateway without x402.mpp offers none, and passes the field on as before", async () => {
  const shop = openShop();
  expect((await ask(shop)).headers.get("www-authenticate")).toBeNull();
  const response = await fetch(`${shop.gateway.url}/goods`, {
    headers: { authorization: "Payment e30", "payment-signature": encodeHeader(shop.payment()) },
  });
  expect(response.status).toBe(200);
  expect(shop.lastUpstreamFields).toContain("authorization: Payment e30");
});

test("a credential buys the response once, with a receipt", async () => {
  const shop = open();
  const challenge = await challengeOf(shop);
  const credential = answerTo(challenge);
  const response = await pay(shop, credential);
  expect([response.status, await response.text()]).toEqual([200, "the goods"]);
  expect(response.headers.get("cache-control")).toContain("private");
  expect(response.headers.get("payment-response")).toBeNull();
  const receipt = decodeJson(response.headers.get("payment-receipt") ?? "");
  expect(receipt).toEqual({
    status: "success",
    method: "evm",
    timestamp: new Date(shop.clock.now).toISOString(),
    reference: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    challengeId: challenge.id,
    chainId: 84532,
  });
  expect([shop.runs, shop.settlements]).toEqual([1, 1]);
  expect(shop.lastUpstreamFields.toLowerCase()).not.toContain("authorization");
  expect(shop.lastUpstreamFields).toContain(`Turnpike-Payer: ${PAYER.toLowerCase()}`);
  expect(shop.logged.join()).not.toContain(credential.slice("Payment ".length));
});

test("the same credential gets the same response again, and no other request gets one", async () => {
  const shop = open();
  const credential = answerTo(await challengeOf(shop));
  const responses = await Promise.all(Array.from({ length: 3 }, () => pay(shop, credential)));
  const statuses = responses.map(({ status }) => status);
  expect(statuses).toContain(200);
  expect(statuses.every((status) => status === 200 || status === 409)).toBe(true);
  expect((await pay(shop, credential)).status).toBe(200);
  const other = await ask(shop, { headers: { authorization: credential } }, "/goods?other");
  expect(other.status).toBe(402);
  expect(await other.json()).toMatchObject({ type: `${PROBLEMS}invalid-challenge` });
  expect(challengesOf(other)).toHaveLength(1);
  expect(other.headers.get("payment-receipt")).toBeNull();
  expect([shop.runs, shop.settlements]).toEqual([1, 1]);
});

test("one authorization pays once by both protocols together", async () => {
  const shop = open();
  const credential = answerTo(await challengeOf(shop));
  const payload = readAuthorization(readCredential(credential.slice("Payment ".length))?.payload ?? {});
  const x402 = { x402Version: 2, accepted: REQUIREMENTS, payload };
  expect((await pay(shop, credential)).status).toBe(200);
  expect((await shop.send(x402)).status).toBe(409);
  const again = open({ store: shop.store });
  expect((await again.send(x402)).status).toBe(409);
  expect([shop.settlements, again.settlements]).toEqual([1, 0]);

  const second = answerTo(await challengeOf(shop));
  const spent = readAuthorization(readCredential(second.slice("Payment ".length))?.payload ?? {});
  expect((await shop.send({ ...x402, payload: spent })).status).toBe(200);
  expect((await pay(shop, second)).status).toBe(402);
  expect(shop.settlements).toBe(2);
});

test("a payment of each protocol in one request is refused", async () => {
  const shop = open();
  const credential = answerTo(await challengeOf(shop));
  const response = await shop.send(shop.payment(), { headers: { authorization: credential } });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ type: "urn:turnpike:error:invalid-payment" });
  expect([shop.runs, shop.settlements]).toEqual([0, 0]);
});

test("other credentials in the field reach the upstream", async () => {
  const shop = open();
  for (const other of ["Bearer abc", "Basic YTpi", "Paymentx e30"]) {
    const headers = new Headers([["payment-signature", encodeHeader(shop.payment())]]);
    headers.append("authorization", other);
    expect((await ask(shop, { headers })).status).toBe(200);
    expect(shop.lastUpstreamFields).toContain(`authorization: ${other}`);
  }
});

test("a credential that stands behind another one in the same line is refused, and reaches no upstream", async () => {
  const shop = open();
  const credential = answerTo(await challengeOf(shop));
  for (const line of [
    `Bearer abc, ${credential}`,
    `Basic YTpi,${credential} , Bearer abc`,
    `${credential}, ${credential}`,
  ]) {
    // A payment of its own, so that nothing else stops the request.
    const response = await shop.send(shop.payment(), { headers: { authorization: line } });
    expect([line, response.status]).toEqual([line, 400]);
    expect(await response.json()).toMatchObject({ type: "urn:turnpike:error:invalid-payment" });
  }
  expect([shop.runs, shop.settlements]).toEqual([0, 0]);
  const digest = 'Digest username="a", realm="Payment b", uri="/, Payment c"';
  expect((await shop.send(shop.payment(), { headers: { authorization: digest } })).status).toBe(200);
  expect(shop.lastUpstreamFields).toContain(`authorization: ${digest}`);
});

const hostile: readonly (readonly [string, string])[] = [
  ["is no base64url", "Payment {}"],
  ["has padding", "Payment e30="],
  ["is no JSON", "Payment e3s"],
  ["is no object", "Payment W10"],
  ["has no challenge", "Payment e30"],
  ["is too long", `Payment ${Buffer.from(JSON.stringify({ a: "a".repeat(8192) })).toString("base64url")}`],
  ["is deeply nested", `Payment ${Buffer.from(`${"[".repeat(5000)}${"]".repeat(5000)}`).toString("base64url")}`],
];

test("a credential that cannot be read gets a problem and a new challenge", async () => {
  const shop = open();
  for (const [what, authorization] of hostile) {
    const response = await pay(shop, authorization);
    expect([what, response.status]).toEqual([what, 402]);
    expect(await response.json()).toMatchObject({ type: `${PROBLEMS}malformed-credential`, status: 402 });
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(challengesOf(response)).toHaveLength(1);
    expect(decoded(response, "payment-required")).toMatchObject({ x402Version: 2 });
  }
  expect([shop.runs, shop.settlements]).toEqual([0, 0]);
});

const refused: readonly (readonly [string, CredentialChanges, string, number])[] = [
  ["another id", { challenge: { id: "x".repeat(43) } }, "invalid-challenge", 402],
  ["another realm", { challenge: { realm: "other.example" } }, "invalid-challenge", 402],
  ["a later end", { challenge: { expires: "2999-01-01T00:00:00.000Z" } }, "invalid-challenge", 402],
  ["a body", { challenge: { digest: "sha-256=:AAAA:" } }, "invalid-challenge", 402],
  ["no data", { challenge: { opaque: undefined } }, "invalid-challenge", 402],
  ["another method", { challenge: { method: "tempo" } }, "method-unsupported", 400],
  ["another intent", { challenge: { intent: "session" } }, "method-unsupported", 400],
  ["another type", { payload: { type: "hash" } }, "malformed-credential", 402],
  ["a free nonce", { authorization: { nonce: `0x${"ab".repeat(32)}` } }, "verification-failed", 402],
  ["another payer", { source: `did:pkh:eip155:84532:${PAYEE}` }, "verification-failed", 402],
  ["another chain", { source: `did:pkh:eip155:1:${PAYER}` }, "verification-failed", 402],
  ["too little", { authorization: { value: "9999" } }, "payment-insufficient", 402],
  ["too much", { authorization: { value: "10001" } }, "payment-insufficient", 402],
  ["another payee", { authorization: { to: PAYER } }, "verification-failed", 402],
  ["an early end", { authorization: { validBefore: "1" } }, "payment-expired", 402],
  ["another signature", { payload: { signature: `0x${"11".repeat(65)}` } }, "verification-failed", 402],
];

test("a credential that differs from its challenge is refused before any work", async () => {
  const shop = open();
  for (const [what, changes, problem, status] of refused) {
    const response = await buy(shop, changes);
    expect([what, response.status]).toEqual([what, status]);
    expect([what, await typeOf(response)]).toEqual([what, PROBLEMS + problem]);
    expect(challengesOf(response)).toHaveLength(1);
    expect(response.headers.get("payment-receipt")).toBeNull();
  }
  expect([shop.runs, shop.settlements]).toEqual([0, 0]);
});

test("a challenge is for its route, price, realm and time", async () => {
  const shop = open({ secrets: ["a".repeat(24)] });
  const shared = { store: shop.store, secrets: ["a".repeat(24)] };
  const others: readonly (readonly [ShopOptions, string])[] = [
    [{ route: "/other" }, "invalid-challenge"],
    [{ terms: { price: "$0.02" } }, "invalid-challenge"],
    [{ publicUrl: "http://other.example" }, "invalid-challenge"],
    [{ secrets: ["b".repeat(24)] }, "invalid-challenge"],
  ];
  for (const [options, problem] of others) {
    const other = open({ ...shared, ...options });
    const response = await pay(other, answerTo(await challengeOf(shop)));
    expect([options, response.status, await typeOf(response)]).toEqual([options, 402, PROBLEMS + problem]);
  }
  const late = answerTo(await challengeOf(shop), {
    authorization: { validBefore: String(Math.floor(shop.clock.now / 1000) + 100) },
  });
  shop.clock.now += REQUIREMENTS.maxTimeoutSeconds * 1000;
  const response = await pay(shop, late);
  expect([response.status, await typeOf(response)]).toEqual([402, `${PROBLEMS}payment-expired`]);
  expect(shop.settlements).toBe(0);
});

test("challenges of the secret before a rotation are accepted", async () => {
  const [old, young] = ["o".repeat(24), "y".repeat(24)];
  const before = open({ secrets: [old] });
  const after = open({ store: before.store, secrets: [young, old] });
  expect((await pay(after, answerTo(await challengeOf(before)))).status).toBe(200);
  expect((await pay(before, answerTo(await challengeOf(after)))).status).toBe(402);
});

test("gateways of one store have the same secret, and the next day's accepts challenges of the day before", async () => {
  const day = 86_400_000;
  const midnight = Math.ceil(Date.now() / day) * day;
  const shop = open();
  shop.clock.now = midnight - 10_000;
  const other = open({ store: shop.store });
  other.clock.now = midnight - 5000;
  expect((await pay(other, answerTo(await challengeOf(shop)))).status).toBe(200);
  const credential = answerTo(await challengeOf(shop));
  other.clock.now = midnight + 1;
  expect((await pay(other, credential)).status).toBe(200);
});

test("a sale that has begun is finished after its challenge has expired", async () => {
  let lost = true;
  const shop = open({
    facilitator: (real) => ({
      settle: async (...payment) =>
        lost ? { kind: "unknown", cause: "no response", transaction: "" } : real.settle(...payment),
    }),
  });
  const credential = answerTo(await challengeOf(shop));
  const pending = await pay(shop, credential);
  expect([pending.status, pending.headers.get("www-authenticate")]).toEqual([503, null]);
  lost = false;
  shop.clock.now += 30_000;
  expect((await pay(shop, credential)).status).toBe(200);
});

test("a settlement that is refused has no receipt, and a new challenge", async () => {
  const shop = open({
    facilitator: () => ({
      settle: async () => ({ kind: "refused", reason: "invalid_exact_evm_insufficient_balance" }),
    }),
  });
  const response = await buy(shop);
  expect([response.status, await typeOf(response)]).toEqual([402, `${PROBLEMS}verification-failed`]);
  expect([response.headers.get("payment-receipt"), response.headers.get("payment-response")]).toEqual([null, null]);
  expect(challengesOf(response)).toHaveLength(1);
});

test("a failure has no receipt, of either protocol, whether its payment is free or settled", async () => {
  const failures = [
    [500, (exchange: TestExchange) => respondWith(exchange, 500, "broken")],
    [502, ({ response }: TestExchange) => response.abort(new TurnpikeError("upstream-failed", "It went away"))],
  ] as const;
  for (const settle of ["after", "before"] as const) {
    for (const [status, upstream] of failures) {
      const shop = open({ terms: { settle }, upstream });
      const response = await buy(shop);
      expect([response.status, shop.settlements]).toEqual([status, settle === "before" ? 1 : 0]);
      for (const name of ["payment-receipt", "payment-response"]) expect(response.headers.get(name)).toBeNull();
    }
  }
});

test("an upstream cannot write a receipt", async () => {
  const shop = open({
    upstream: ({ response }) => {
      response.start({ status: 200, reason: "", fields: "Payment-Receipt: e30\r\n", bodyLength: 0 });
      response.end("");
    },
  });
  const response = await shop.send(shop.payment());
  expect([response.status, response.headers.get("payment-receipt")]).toEqual([200, null]);
});

test("an Idempotency-Key buys one thing", async () => {
  const shop = open();
  const headers = { "idempotency-key": "8e03978e-40d5-43e8-bc93-6894a57f9324" };
  const [first, second] = [answerTo(await challengeOf(shop)), answerTo(await challengeOf(shop))];
  expect((await pay(shop, first, { headers })).status).toBe(200);
  expect((await pay(shop, first, { headers })).status).toBe(200);
  expect((await pay(shop, second, { headers })).status).toBe(402);
  expect([shop.runs, shop.settlements]).toEqual([1, 1]);
});

test("Accept-Payment selects the challenges", async () => {
  const shop = open();
  const offers = async (accept: string): Promise<number> =>
    challengesOf(await ask(shop, { headers: { "accept-payment": accept } })).length;
  for (const accept of ["evm/charge", "tempo/charge, */*;q=0.1", "evm/*", "EVM charge", "evm/charge;q=2"]) {
    expect([accept, await offers(accept)]).toEqual([accept, 1]);
  }
  for (const accept of ["tempo/charge", "*/*, evm/charge;q=0", "evm/session", "*/session"]) {
    expect([accept, await offers(accept)]).toEqual([accept, 0]);
  }
});

const BODY_PRICE = {
  rules: [
    {
      match: { methods: [], headers: [], query: [] },
      consumers: [],
      payers: [],
      body: [],
      unit_price: { price: "10000", count: "/count" },
    },
  ],
};

function order(body: object): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

test("a price that depends on the body is bound to the body", async () => {
  const shop = open({ terms: BODY_PRICE });
  const challenge = await challengeOf(shop, order({ count: 2, text: "a" }));
  expect(challenge.digest).toMatch(/^sha-256=:[A-Za-z0-9+/]{43}=:$/);
  const credential = answerTo(challenge);
  const other = await pay(shop, credential, order({ count: 2, text: "b" }));
  expect([other.status, await typeOf(other)]).toEqual([402, `${PROBLEMS}invalid-challenge`]);
  expect((await pay(shop, credential, order({ count: 3, text: "a" }))).status).toBe(402);
  expect((await pay(shop, credential, order({ count: 2, text: "a" }))).status).toBe(200);
  expect(shop.settlements).toBe(1);
});

test("without the ledger's secret there is no challenge, and no credential is accepted", async () => {
  const shop = open();
  const credential = answerTo(await challengeOf(open()));
  shop.store.paymentIds.tie = () => Promise.reject(new Error("down"));
  const unpaid = await ask(shop);
  expect([unpaid.status, challengesOf(unpaid)]).toEqual([402, []]);
  const { status, headers } = await pay(shop, credential);
  expect([status, headers.get("retry-after"), headers.get("payment-required")]).toEqual([503, "5", null]);
  expect((await shop.send(shop.payment())).status).toBe(200);
});

function authAt(publicUrl: string): PaymentAuth {
  return new PaymentAuth({
    secrets: { all: [Buffer.alloc(32)], load: () => undefined },
    route: "/goods",
    publicUrl,
    baseUrl: "http://127.0.0.1",
    hasHost: false,
    clock: Date.now,
  });
}

function requestFrom(peerAddress: string, scheme: "http" | "https") {
  const { head, body } = new TestExchange(new Request("http://shop.example/goods"));
  return { head: { ...plainHead(head), scheme }, body, peerAddress, paymentCredential: "e30" };
}

test("challenges and credentials need a private connection", () => {
  const charge = [{ request: "e30", maxTimeoutSeconds: 60 }];
  const [readable, closed] = [requestFrom("203.0.113.1", "http"), requestFrom("203.0.113.1", "https")];
  expect([authAt("").isPrivate(readable), authAt("").challengesFor(readable, charge)]).toEqual([false, ""]);
  // Not by toMatchObject: with a matcher in it, Bun's changes the shared error.
  expect(readPresented(readable, authAt(""))).toBeInstanceOf(Unreadable);
  for (const [auth, exchange] of [
    [authAt(""), closed],
    [authAt(""), requestFrom("127.0.0.1", "http")],
    [authAt(""), requestFrom("::1", "http")],
    [authAt("https://shop.example"), readable],
  ] as const) {
    expect([
      auth.isPrivate(exchange),
      fieldValues(auth.challengesFor(exchange, charge), "www-authenticate").length,
    ]).toEqual([true, 1]);
  }
});

test("a quote in a challenge is escaped", () => {
  const challenge = { id: "a", realm: 'a"b\\c', method: "evm", intent: "charge", request: "e30" };
  expect(writeChallenge(challenge)).toContain('realm="a\\"b\\\\c"');
});
