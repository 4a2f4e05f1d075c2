import { expect, test } from "bun:test";
import { decodePaymentSignatureHeader, encodePaymentRequiredHeader } from "@x402/core/http";
import * as fc from "fast-check";
import { decodeHeader, encodeHeader, MAX_HEADER_LENGTH } from "./header.ts";
import { paymentPayloadSchema, paymentRequiredSchema } from "./messages.ts";
import { REQUIREMENTS, signedPayment } from "../testing/payment.ts";

const PAYMENT = signedPayment(1_800_000_000);

test("any encoded JSON value decodes to itself", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
      fc.pre(encodeHeader(value).length <= MAX_HEADER_LENGTH);
      expect(decodeHeader(encodeHeader(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("the reference implementation reads our headers, and we read its headers", () => {
  expect(decodePaymentSignatureHeader(encodeHeader(PAYMENT))).toEqual(JSON.parse(JSON.stringify(PAYMENT)));
  const required = {
    x402Version: 2,
    resource: { url: "http://localhost/read", description: "é" },
    accepts: [{ ...REQUIREMENTS, network: "eip155:84532" as const }],
  };
  expect(paymentRequiredSchema.parse(decodeHeader(encodePaymentRequiredHeader(required)))).toEqual({
    ...required,
    x402Version: 2,
  });
});

const UNREADABLE: readonly (readonly [name: string, header: string])[] = [
  ["empty", ""],
  ["no base64", "e30!"],
  ["the URL alphabet", Buffer.from('{"a":"\u00ff\u00fe??>>"}').toString("base64url").replaceAll("A", "-")],
  ["no JSON", Buffer.from("{").toString("base64")],
  ["no UTF-8", Buffer.from([0x22, 0xff, 0x22]).toString("base64")],
  ["longer than a header may be", Buffer.from(JSON.stringify("x".repeat(7000))).toString("base64")],
];

for (const [name, header] of UNREADABLE) {
  test(`a header that is ${name} decodes to undefined`, () => {
    expect(decodeHeader(header)).toBeUndefined();
  });
}

const { authorization } = PAYMENT.payload;

const MALFORMED: readonly (readonly [name: string, value: unknown])[] = [
  ["null", null],
  ["a list", []],
  ["version 1", { ...PAYMENT, x402Version: 1 }],
  ["no payload", { ...PAYMENT, payload: undefined }],
  ["a null payload", { ...PAYMENT, payload: null }],
  ["no authorization", { ...PAYMENT, payload: { signature: PAYMENT.payload.signature } }],
  [
    "a numeric value",
    { ...PAYMENT, payload: { ...PAYMENT.payload, authorization: { ...authorization, value: 10000 } } },
  ],
  [
    "a value in words",
    { ...PAYMENT, payload: { ...PAYMENT.payload, authorization: { ...authorization, value: "ten" } } },
  ],
  [
    "a negative value",
    { ...PAYMENT, payload: { ...PAYMENT.payload, authorization: { ...authorization, value: "-1" } } },
  ],
  [
    "a short nonce",
    { ...PAYMENT, payload: { ...PAYMENT.payload, authorization: { ...authorization, nonce: "0x01" } } },
  ],
  ["no address", { ...PAYMENT, payload: { ...PAYMENT.payload, authorization: { ...authorization, from: "me" } } }],
  ["a short signature", { ...PAYMENT, payload: { ...PAYMENT.payload, signature: "0x00" } }],
  ["nothing accepted", { ...PAYMENT, accepted: undefined }],
  [
    "a time of 2^256",
    { ...PAYMENT, payload: { ...PAYMENT.payload, authorization: { ...authorization, validBefore: `${2n ** 256n}` } } },
  ],
];

for (const [name, value] of MALFORMED) {
  test(`a payment with ${name} is malformed`, () => {
    expect(paymentPayloadSchema.safeParse(value).success).toBe(false);
  });
}
