import { expect, test } from "bun:test";
import { toBase58 } from "../solana/base58.ts";
import { PAYER, REQUIREMENTS, signedPayment, USDC } from "../testing/payment.ts";
import { signedPermit2 } from "../testing/permit2-payment.ts";
import { isEip3009, isEvmPayment, isPermit2, isSolanaPayment, type PaymentPayload } from "./messages.ts";
import { paymentKey, payerIn, transactionOf, validUntil } from "./payment-key.ts";
import { PERMIT2 } from "./transfer.ts";

const NOW = 1_800_000_000.7;
const SOLANA = {
  ...REQUIREMENTS,
  network: "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
  asset: toBase58(new Uint8Array(32).fill(3)),
};
const FOREIGN = { ...REQUIREMENTS, network: "stellar:pubnet", asset: "USDC" };
const [FEE_PAYER, OWNER] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];

/** A payment with a transaction of two signers and no calls. */
function onSolana(): PaymentPayload & { payload: { transaction: string } } {
  const head = [2, ...new Uint8Array(128), 2, 0, 0, 2, ...FEE_PAYER, ...OWNER, ...new Uint8Array(32), 0];
  const payload = { transaction: Buffer.from(head).toString("base64") };
  return { x402Version: 2, accepted: SOLANA, payload };
}

function foreign(payload: Readonly<Record<string, unknown>>): PaymentPayload {
  return { x402Version: 2, accepted: FOREIGN, payload };
}

test("the kind of a payment is that of its network and its payload", () => {
  const payments = [signedPayment(0), signedPermit2(REQUIREMENTS, 0), onSolana(), foreign({ authorization: {} })];
  const kinds = payments.map((one) => [isEvmPayment(one), isEip3009(one), isPermit2(one), isSolanaPayment(one)]);
  expect(kinds).toEqual([
    [true, true, false, false],
    [true, false, true, false],
    [false, false, false, true],
    [false, false, false, false],
  ]);
  const alike = foreign({ permit2Authorization: {} });
  expect([isEip3009(alike), isPermit2(alike)]).toEqual([false, false]);
});

test("the key of a payment on an EVM chain is the nonce in its contract, in small letters", () => {
  const nonce = `0x${"AB".repeat(32)}` as const;
  const payment = signedPayment(0, { nonce });
  const key = { network: REQUIREMENTS.network, from: PAYER.toLowerCase() };
  expect(paymentKey(payment, REQUIREMENTS)).toEqual({ ...key, asset: USDC.toLowerCase(), nonce: nonce.toLowerCase() });
  const permit = signedPermit2(REQUIREMENTS, 0, { nonce: "255" });
  const padded = `0x${"ff".padStart(64, "0")}`;
  expect(paymentKey(permit, REQUIREMENTS)).toEqual({ ...key, asset: PERMIT2.toLowerCase(), nonce: padded });
  expect([payerIn(payment), payerIn(permit)]).toEqual([PAYER, PAYER]);
});

test("the key of a payment on Solana is its transaction, whose second signer pays", () => {
  const payment = onSolana();
  const nonce = expect.stringMatching(/^0x[0-9a-f]{64}$/);
  const from = toBase58(OWNER);
  expect(paymentKey(payment, SOLANA)).toEqual({ network: SOLANA.network, asset: SOLANA.asset, from, nonce });
  // It is read once.
  expect(transactionOf(payment)).toBe(transactionOf({ ...payment }));
  const unread = { ...payment, payload: { transaction: "AAAA" } };
  expect(() => transactionOf(unread)).toThrow("its transaction was not checked");
});

test("the key of a payment on an unknown network is its content, in any order of its members", () => {
  const keyOf = (payload: Readonly<Record<string, unknown>>) => paymentKey(foreign(payload), FOREIGN);
  const one = keyOf({ a: [1, { b: 2, c: null }], d: "x" });
  expect(one).toEqual({
    network: FOREIGN.network,
    asset: "USDC",
    from: "",
    nonce: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  });
  expect(keyOf({ d: "x", a: [1, { c: null, b: 2 }] })).toEqual(one);
  for (const other of [{ a: [1, { b: 2, c: null }], d: "y" }, { a: [{ b: 2, c: null }, 1], d: "x" }, {}]) {
    expect(keyOf(other).nonce).not.toBe(one.nonce);
  }
});

test("a payment can be used until its signed end, or for the timeout of its terms and five minutes at least", () => {
  const signed = ["1800000060", "9".repeat(70)].map((validBefore) =>
    validUntil(signedPayment(NOW, { validBefore }), REQUIREMENTS, NOW),
  );
  expect(signed).toEqual([1_800_000_060, Number.MAX_SAFE_INTEGER]);
  const others = [60, 301].map((maxTimeoutSeconds) => validUntil(foreign({}), { ...FOREIGN, maxTimeoutSeconds }, NOW));
  expect(others).toEqual([1_800_000_300, 1_800_000_301]);
});
