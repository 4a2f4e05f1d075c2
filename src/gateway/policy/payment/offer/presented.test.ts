import { describe, expect, test } from "bun:test";
import { PAYER, signedPayment } from "../../../../payments/testing/payment.ts";
import { encodeHeader } from "../../../../payments/x402/header.ts";
import { type PaymentAuth } from "../mpp/payment-auth.ts";
import { payerOf, readPresented, Unreadable } from "./presented.ts";

const payment = signedPayment(1_800_000_000);
const SENT = encodeHeader(payment);
const OLD = encodeHeader({ x402Version: 1, scheme: "exact", network: "base-sepolia", payload: payment.payload });

function read(lines: string, credential?: string, auth?: Partial<PaymentAuth>) {
  // No other members are read.
  const exchange = { head: { payment: lines }, paymentCredential: credential, peerAddress: "" } as never;
  return readPresented(exchange, auth as PaymentAuth | undefined);
}

function why(lines: string, credential?: string, auth?: Partial<PaymentAuth>): string {
  const result = read(lines, credential, auth);
  if (!(result instanceof Unreadable)) throw new Error("the payment was read");
  return JSON.stringify(result.why) + ("message" in result.why ? result.why.message : "");
}

describe("the payment in a request", () => {
  test("is read by its version, with its payer", () => {
    expect(read("")).toBeUndefined();
    const two = read(`PAYMENT-SIGNATURE: ${SENT}\r\n`);
    const one = read(`X-PAYMENT: ${OLD}\r\n`);
    if (two === undefined || two instanceof Unreadable || one === undefined || one instanceof Unreadable)
      throw new Error("a payment was not read");
    expect([two.version, payerOf(two), one.version, payerOf(one)]).toEqual([2, PAYER, 1, PAYER]);
    if ("header" in two && "header" in one) expect([two.header, one.header]).toEqual([SENT, OLD]);
  });

  test.each([
    ["there must be one", `PAYMENT-SIGNATURE: ${SENT}\r\nPAYMENT-SIGNATURE: ${SENT}\r\n`],
    ["there must be one", `PAYMENT-SIGNATURE: ${SENT}\r\nX-PAYMENT: ${OLD}\r\n`],
    ["there must be one", `X-PAYMENT: ${OLD}\r\nX-PAYMENT: ${OLD}\r\n`],
    ["the header exceeds 8192 characters", `PAYMENT-SIGNATURE: ${"A".repeat(8193)}\r\n`],
    ["an x402 version 2 payment", `PAYMENT-SIGNATURE: ${"A".repeat(8192)}\r\n`],
    ["an x402 version 2 payment", `PAYMENT-SIGNATURE: ${OLD}\r\n`],
    ["an x402 version 1 payment", `X-PAYMENT: ${SENT}\r\n`],
    [
      "a deposit, a voucher or a refund",
      `PAYMENT-SIGNATURE: ${encodeHeader({ accepted: { scheme: "batch-settlement" } })}\r\n`,
    ],
    ["an x402 version 2 payment", "PAYMENT-SIGNATURE: %\r\n"],
  ])("that cannot be read is refused: %s", (text, lines) => {
    expect(why(lines)).toContain(text);
  });

  test("in Authorization is read only by a route that takes it, privately, and without another one", () => {
    const auth = { isPrivate: () => true, isUnable: false };
    expect(read("", "x")).toBeUndefined();
    expect(why(`PAYMENT-SIGNATURE: ${SENT}\r\n`, "x", auth)).toContain(
      "there must be one, by x402 or in Authorization",
    );
    expect(why("PAYMENT-SIGNATURE: %\r\n", "x", auth)).toContain("there must be one, by x402 or in Authorization");
    expect(why("", "x", { ...auth, isPrivate: () => false })).toContain("must be sent over HTTPS");
    expect(why("", "x", { ...auth, isUnable: true })).toContain("could not be looked up");
    expect(read("", "x", auth)).toBeInstanceOf(Unreadable);
    expect(read(`PAYMENT-SIGNATURE: ${SENT}\r\n`, undefined, auth)).toMatchObject({ version: 2 });
  });
});
