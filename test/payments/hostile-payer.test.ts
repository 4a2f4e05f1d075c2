/** A payer that spends a payment, and sends it again in every other spelling: nothing more is sold or settled. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { freshNonce, signedPayment } from "../../src/payments/testing/payment.ts";
import { type Eip3009Payment } from "../../src/payments/x402/messages.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { ask, type Shop, Shops } from "./shops.ts";

setDefaultTimeout(patient(30_000));

/** The order of the group of secp256k1. */
const ORDER = 0xff_ff_ff_ff_ff_ff_ff_ff_ff_ff_ff_ff_ff_ff_ff_fe_ba_ae_dc_e6_af_48_a0_3b_bf_d2_5e_8c_d0_36_41_41n;

const shops = new Shops();
let shop: Shop;

beforeAll(async () => {
  shop = await shops.open({});
});

afterAll(() => shops.close());

function textOf(payment: Eip3009Payment, change: (json: string) => string): string {
  return Buffer.from(change(JSON.stringify(payment))).toString("base64");
}

/** The other signature of the same message by the same key. */
function mirrored(payment: Eip3009Payment): Eip3009Payment {
  const { signature } = payment.payload;
  const s = (ORDER - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, "0");
  const parity = signature.endsWith("1b") ? "1c" : "1b";
  return { ...payment, payload: { ...payment.payload, signature: `0x${signature.slice(2, 66)}${s}${parity}` } };
}

/** Spellings of a payment. The statuses are those of a spent payment and of a new one. */
const SPELLINGS: readonly (readonly [string, (payment: Eip3009Payment) => string, spent: number, fresh: number])[] = [
  ["white space", (payment) => textOf(payment, (json) => json.replaceAll(",", " ,\n")), 409, 200],
  ["a byte order mark", (payment) => textOf(payment, (json) => `\uFEFF${json}`), 409, 200],
  ["a nonce in upper case", (payment) => textOf(payment, (json) => json.replace(/"nonce":"0x\w+/, upper)), 409, 200],
  ["a payer in upper case", (payment) => textOf(payment, (json) => json.replace(/"from":"0x\w+/, upper)), 409, 200],
  ["an asset in lower case", (payment) => textOf(payment, (json) => json.replace(/"asset":"\w+"/, lower)), 409, 200],
  ["the mirrored signature", (payment) => encodeHeader(mirrored(payment)), 409, 200],
  [
    "another nonce that is overridden",
    (payment) => textOf(payment, (json) => json.replace('"nonce":', `"nonce":"${freshNonce()}","nonce":`)),
    409,
    200,
  ],
  ["a hexadecimal chain id", network("eip155:0x14a34"), 402, 402],
  ["a chain id with a zero", network("eip155:084532"), 402, 402],
  ["a namespace in upper case", network("EIP155:84532"), 402, 402],
  ["the name of the chain", network("base-sepolia"), 402, 402],
  ["a value with a zero", value("010000"), 400, 400],
  ["a value with an exponent", value("1e4"), 400, 400],
  ["a hexadecimal value", value("0x2710"), 400, 400],
  ["the URL alphabet of Base64", (payment) => `${encodeHeader(payment).slice(0, -4)}-_==`, 400, 400],
  ["a list", (payment) => encodeHeader([payment]), 400, 400],
  ["two values", (payment) => `${encodeHeader(payment)}, ${encodeHeader(payment)}`, 400, 400],
];

function upper(text: string): string {
  const at = text.indexOf("0x") + 2;
  return text.slice(0, at) + text.slice(at).toUpperCase();
}

function lower(text: string): string {
  return text.toLowerCase();
}

function network(name: string): (payment: Eip3009Payment) => string {
  return (payment) => encodeHeader({ ...payment, accepted: { ...payment.accepted, network: name } });
}

function value(text: string): (payment: Eip3009Payment) => string {
  return (payment) => textOf(payment, (json) => json.replace(/"value":"\d+"/, `"value":"${text}"`));
}

test.each(SPELLINGS)("%s", async (name, spell, ofSpent, ofFresh) => {
  const path = `/after?${encodeURIComponent(name)}`;
  const payment = signedPayment(Date.now() / 1000);
  const { nonce } = payment.payload.authorization;
  const paid = await ask("HTTP/1.1", shop, { path, headers: { "payment-signature": encodeHeader(payment) } });
  expect(paid.status).toBe(200);
  const again = await ask("HTTP/1.1", shop, { path, headers: { "payment-signature": spell(payment) } });
  expect([again.status, shops.runs(path), shops.facilitator.settles.get(nonce)]).toEqual([ofSpent, 1, 1]);
  const fresh = signedPayment(Date.now() / 1000);
  const first = await ask("HTTP/1.1", shop, { path, headers: { "payment-signature": spell(fresh) } });
  expect(first.status).toBe(ofFresh);
  expect(shops.facilitator.transfers.has(fresh.payload.authorization.nonce)).toBe(ofFresh === 200);
  expect(shops.runs(path)).toBe(ofFresh === 200 ? 2 : 1);
});
