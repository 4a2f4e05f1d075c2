import { expect, test } from "bun:test";
import { REQUIREMENTS, signedPayment } from "../testing/payment.ts";
import { signedPermit2 } from "../testing/permit2-payment.ts";
import {
  bytes32Schema,
  paymentPayloadSchema,
  paymentRequiredSchema,
  settleResponseSchema,
  signatureSchema,
} from "./messages.ts";

const BY_EIP3009 = signedPayment(0);
const BY_PERMIT2 = signedPermit2(REQUIREMENTS, 0);

const hex = (bytes: number): string => `0x${"aB".repeat(bytes)}`;
const extraOf = (extra: unknown): unknown => settleResponseSchema.parse({ success: false, extra }).extra;

test("a payment keeps the members of its kind, and loses others in its payload", () => {
  const more = { ...BY_EIP3009, note: 1, payload: { ...BY_EIP3009.payload, second: {} } };
  expect(paymentPayloadSchema.parse(more)).toEqual({ ...BY_EIP3009, note: 1 });
  expect(paymentPayloadSchema.parse(BY_PERMIT2)).toEqual(BY_PERMIT2);
  const foreign = { ...BY_EIP3009, accepted: { ...REQUIREMENTS, network: "stellar:pubnet" }, payload: { any: [1] } };
  expect(paymentPayloadSchema.parse(foreign)).toEqual(foreign);
});

test.each([
  ["two authorizations", { ...BY_EIP3009, payload: { ...BY_EIP3009.payload, ...BY_PERMIT2.payload } }],
  ["no payload", { ...BY_EIP3009, payload: undefined }],
  [
    "no transaction",
    { ...BY_EIP3009, accepted: { ...REQUIREMENTS, network: "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1" } },
  ],
  ["an unknown version", { ...BY_EIP3009, x402Version: 1 }],
  ["a long text", { ...BY_EIP3009, resource: { url: "u".repeat(2049) } }],
  ["no time", { ...BY_EIP3009, accepted: { ...REQUIREMENTS, maxTimeoutSeconds: 0 } }],
])("a payment with %s is refused", (_what, sent) => {
  expect(paymentPayloadSchema.safeParse(sent).success).toBe(false);
});

test("the longest text of a payment is 2,048 characters", () => {
  expect(paymentPayloadSchema.safeParse({ ...BY_EIP3009, resource: { url: "u".repeat(2048) } }).success).toBe(true);
});

test("bytes and signatures are hex that begins with 0x", () => {
  const of32 = [hex(31), hex(32), hex(33), hex(32).slice(2), 7].map((value) => bytes32Schema.safeParse(value).success);
  expect(of32).toEqual([false, true, false, false, false]);
  const signatures = [hex(64), hex(65), hex(4096), hex(4097), `${hex(65)}a`, 7];
  expect(signatures.map((value) => signatureSchema.safeParse(value).success)).toEqual([
    false,
    true,
    true,
    false,
    false,
    false,
  ]);
});

test("a challenge has 32 payment requirements at most, without extra by default", () => {
  const { extra: _, ...bare } = REQUIREMENTS;
  const challenge = (count: number) => ({ x402Version: 2, resource: { url: "u" }, accepts: Array(count).fill(bare) });
  expect(paymentRequiredSchema.parse(challenge(32)).accepts[0]).toEqual({ ...bare, extra: {} });
  expect(paymentRequiredSchema.safeParse(challenge(33)).success).toBe(false);
});

test("a settlement's extra members of another form are ignored", () => {
  expect(extraOf({ definite: true, unsent: "yes", more: 1 })).toEqual({ definite: true, unsent: undefined, more: 1 });
  expect([extraOf("text"), extraOf(null)]).toEqual([undefined, null]);
});
