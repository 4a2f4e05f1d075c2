import { afterAll, beforeAll, expect, test } from "bun:test";
import { openStore } from "../../store/open/open-store.ts";
import { type Store } from "../../store/store.ts";
import { createSimulatedFacilitator } from "../facilitator/simulated-facilitator.ts";
import { type Facilitator } from "./facilitator.ts";
import { HttpFacilitator } from "../facilitator/http-facilitator.ts";
import { paymentPayloadSchema } from "./messages.ts";
import { type FacilitatorServer, serveFacilitator } from "../facilitator/serve-facilitator.ts";
import { freshNonce, PAYEE, PAYER, REQUIREMENTS, signedPayment, USDC } from "../testing/payment.ts";
import { type Authorization } from "../signatures/typed-data.ts";

const NOW_S = 1_800_000_000;
const clock = { now: NOW_S * 1000 };
let store: Store;
let server: FacilitatorServer;

beforeAll(async () => {
  store = openStore(":memory:", () => clock.now);
  const behind = createSimulatedFacilitator(store.simulatedTransfers, () => clock.now);
  server = await serveFacilitator(behind, { hostname: "127.0.0.1", port: 0 }, { log: () => {} });
});

afterAll(async () => {
  await server.close(1000);
  await store.close();
});

const IMPLEMENTATIONS: readonly (readonly [name: string, create: () => Facilitator])[] = [
  ["simulated", () => createSimulatedFacilitator(store.simulatedTransfers, () => clock.now)],
  ["http", () => new HttpFacilitator({ url: server.url, timeoutMs: 5000 })],
];

const SIGNED_BUT_WRONG: readonly (readonly [name: string, change: Partial<Authorization>, reason: string])[] = [
  ["too little", { value: "9999" }, "invalid_exact_evm_payload_authorization_value_mismatch"],
  ["too much", { value: "10001" }, "invalid_exact_evm_payload_authorization_value_mismatch"],
  ["paid to another", { to: PAYER }, "invalid_exact_evm_recipient_mismatch"],
  ["not valid yet", { validAfter: String(NOW_S + 1) }, "invalid_exact_evm_payload_authorization_valid_after"],
  ["over", { validBefore: String(NOW_S - 1) }, "invalid_exact_evm_payload_authorization_valid_before"],
  [
    "over within five seconds",
    { validBefore: String(NOW_S + 5) },
    "invalid_exact_evm_payload_authorization_valid_before",
  ],
  [
    "valid for ten years",
    { validBefore: String(NOW_S + 315_360_000) },
    "invalid_exact_evm_payload_authorization_valid_before",
  ],
  ["in another's name", { from: PAYEE }, "invalid_exact_evm_signature"],
];

for (const [name, create] of IMPLEMENTATIONS) {
  test(`${name}: lists its kinds`, async () => {
    expect(await create().supported()).toContainEqual({ scheme: "exact", network: "eip155:*" });
  });

  test(`${name}: a good payment is valid, and repeated calls settle it only once`, async () => {
    const facilitator = create();
    const payment = signedPayment(NOW_S);
    expect(await facilitator.verify(payment, REQUIREMENTS)).toEqual({ kind: "valid", payer: PAYER });
    const first = await facilitator.settle(payment, REQUIREMENTS);
    expect(first).toMatchObject({
      kind: "settled",
      payer: PAYER,
      transaction: expect.stringMatching(/^0x7e577e57[0-9a-f]{56}$/),
    });
    expect(await facilitator.settle(payment, REQUIREMENTS)).toEqual(first);
    expect(await facilitator.verify(payment, REQUIREMENTS)).toEqual({
      kind: "refused",
      reason: "invalid_exact_evm_nonce_already_used",
    });
    await facilitator.close();
  });

  for (const [wrong, change, reason] of SIGNED_BUT_WRONG) {
    test(`${name}: a payment that is ${wrong} is refused, also at settlement`, async () => {
      const facilitator = create();
      const payment = signedPayment(NOW_S, change);
      expect(await facilitator.verify(payment, REQUIREMENTS)).toMatchObject({ kind: "refused", reason });
      expect(await facilitator.settle(payment, REQUIREMENTS)).toMatchObject({ kind: "refused", reason });
    });
  }

  test(`${name}: the outcome of a payment is known before and after its settlement`, async () => {
    const facilitator = create();
    const payment = signedPayment(NOW_S);
    expect(await facilitator.find(payment, REQUIREMENTS)).toEqual({ kind: "unspent" });
    const settlement = await facilitator.settle(payment, REQUIREMENTS);
    expect<object>(await facilitator.find(payment, REQUIREMENTS)).toEqual(settlement);
    const over = signedPayment(NOW_S, { validBefore: String(NOW_S - 1) });
    expect(await facilitator.find(over, REQUIREMENTS)).toEqual({ kind: "void" });
    await facilitator.close();
  });

  test(`${name}: a signature over another token's domain is refused`, async () => {
    const payment = signedPayment(NOW_S);
    const requirements = { ...REQUIREMENTS, extra: { name: "USD Coin", version: "2" } };
    expect(await create().verify(payment, requirements)).toEqual({
      kind: "refused",
      reason: "invalid_exact_evm_signature",
    });
  });

  test(`${name}: a spent nonce does not pay under other terms`, async () => {
    const facilitator = create();
    const nonce = freshNonce();
    expect(await facilitator.settle(signedPayment(NOW_S, { nonce }), REQUIREMENTS)).toMatchObject({ kind: "settled" });
    const other = signedPayment(NOW_S, { nonce, validBefore: String(NOW_S + 61) });
    expect(await facilitator.settle(other, REQUIREMENTS)).toMatchObject({ kind: "refused" });
    await facilitator.close();
  });
}

type Handler = (request: Request) => Response | Promise<Response>;

async function against(handler: Handler, timeoutMs = 5000) {
  const stub = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: handler });
  const facilitator = new HttpFacilitator({ url: `${stub.url.origin}/secret-path`, timeoutMs });
  const payment = signedPayment(NOW_S);
  const verification = await facilitator.verify(payment, REQUIREMENTS);
  const settlement = await facilitator.settle(payment, REQUIREMENTS);
  await stub.stop(true);
  const leaks = /secret|127\.0\.0\.1|rpc/i.test(JSON.stringify([verification, settlement]));
  return { verification, settlement, leaks };
}

const ERRORS: readonly (readonly [name: string, handler: Handler, verification: string])[] = [
  ["5xx", () => Response.json({ error: "https://rpc.example/secret" }, { status: 500 }), "unavailable"],
  ["junk", () => new Response("<html>secret"), "failed"],
  ["JSON of another shape", () => Response.json({ ok: true }), "failed"],
  ["an endless body", () => new Response("x".repeat(300_000)), "failed"],
  ["a redirect", () => Response.redirect("http://127.0.0.1:1/secret", 307), "failed"],
  ["no response in time", () => new Promise<Response>(() => {}), "unavailable"],
];

for (const [name, handler, kind] of ERRORS) {
  test(`a facilitator with ${name}: verification ${kind}, settlement unknown, no secret leaks`, async () => {
    const { verification, settlement, leaks } = await against(handler, name === "no response in time" ? 200 : 5000);
    expect<string>(verification.kind).toBe(kind);
    expect(settlement.kind).toBe("unknown");
    expect(leaks).toBe(false);
  });
}

test("with an unreachable facilitator all outcomes stay open", async () => {
  const gone = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { href } = gone.url;
  await gone.stop(true);
  const facilitator = new HttpFacilitator({ url: href, timeoutMs: 5000 });
  expect(await facilitator.verify(signedPayment(NOW_S), REQUIREMENTS)).toMatchObject({ kind: "unavailable" });
  expect(await facilitator.settle(signedPayment(NOW_S), REQUIREMENTS)).toMatchObject({ kind: "unknown" });
  const supported = facilitator.supported().then(() => "answered", String);
  expect(await supported).toContain("Cannot query what the facilitator supports: no connection");
});

const HASH = `0x${"ab".repeat(32)}`;

const SETTLEMENTS: readonly (readonly [name: string, answer: object, kind: string])[] = [
  ["success", { success: true, transaction: HASH, network: "eip155:84532", payer: PAYER }, "settled"],
  ["success on another network", { success: true, transaction: HASH, network: "eip155:1" }, "unknown"],
  ["success without a transaction", { success: true, transaction: "", network: "eip155:84532" }, "unknown"],
  ["a pending transaction", { success: false, errorReason: "settlement_pending", transaction: HASH }, "unknown"],
  ["its own failure after broadcast", { success: false, errorReason: "unexpected_settle_error" }, "unknown"],
  ["a spent nonce", { success: false, errorReason: "invalid_exact_evm_nonce_already_used" }, "unknown"],
  ["too low a balance", { success: false, errorReason: "invalid_exact_evm_insufficient_balance" }, "refused"],
  [
    "a reverted transaction",
    { success: false, errorReason: "invalid_exact_evm_transaction_failed", transaction: HASH },
    "refused",
  ],
  // The SDK reports this for any error during broadcast: the node may have taken the transaction before its response
  // was lost.
  ["a broadcast that failed", { success: false, errorReason: "invalid_exact_evm_transaction_failed" }, "unknown"],
];

for (const [name, response, kind] of SETTLEMENTS) {
  test(`a settlement response with ${name} is ${kind}`, async () => {
    const { settlement } = await against(() => Response.json({ isValid: true, ...response }));
    expect<string>(settlement.kind).toBe(kind);
  });
}

test("a facilitator's own reasons become listed reasons", async () => {
  const words = {
    isValid: false,
    invalidReason: "https://rpc/secret failed",
    success: false,
    errorReason: "constructor",
  };
  const { verification, leaks } = await against(() => Response.json({ ...words, invalidMessage: "secret" }));
  expect(verification).toEqual({ kind: "refused", reason: "payment_refused" });
  expect(leaks).toBe(false);
});

test("the request has the protocol's form", async () => {
  const seen: unknown[] = [];
  await against(async (request) => {
    seen.push(new URL(request.url).pathname, await request.json());
    return Response.json({ isValid: true, success: true, transaction: HASH, network: "eip155:84532" });
  });
  const body = {
    x402Version: 2,
    paymentPayload: { x402Version: 2, accepted: { asset: USDC }, payload: { authorization: { from: PAYER } } },
    paymentRequirements: REQUIREMENTS,
  };
  expect(seen).toMatchObject(["/secret-path/verify", body, "/secret-path/settle", body]);
});

test("a facilitator receives only the authorization that is the ledger's key", async () => {
  const { payload, ...payment } = signedPayment(NOW_S);
  const other = { ...payload.authorization, permitted: { token: USDC, amount: "10000" } };
  // The SDK's facilitator settles by Permit2 if this key is present, whatever other keys are there.
  const both = { ...payment, payload: { ...payload, permit2Authorization: other } };
  expect(paymentPayloadSchema.safeParse(both).success).toBe(false);
  const authorization = { ...payload.authorization, nonces: ["0x"] };
  expect(paymentPayloadSchema.parse({ ...payment, payload: { ...payload, authorization } }).payload).toEqual(payload);
});
