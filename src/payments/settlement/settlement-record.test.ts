import { expect, test } from "bun:test";
import { type Payment } from "../../store/ledger.ts";
import { RESERVATION } from "../../store/testing/reservation.ts";
import { refundNotice, settlementNotice } from "./settlement-record.ts";

const PAYMENT: Payment = {
  ...RESERVATION,
  state: "settling",
  attempt: 1,
  transaction: "",
  reason: "",
  payer: "0xFrom",
  delivered: false,
  cuts: 0,
  partials: 0,
  repeats: 0,
  bodyDigest: "",
  facilitator: "",
  refunded: "0",
  deferral: "",
  createdAt: 0,
  updatedAt: 0,
};
const TARGET = { settlement_url: "https://books.example/in", gateway_id: "shop-1", testMode: false };
const SETTLED = { transaction: "0xTX", payer: "0xFrom", amount: "7", at: Date.UTC(2026, 10, 21) };

test("a record contains payer, amount, route and transaction", () => {
  const notice = settlementNotice(TARGET, PAYMENT, SETTLED);
  expect(notice?.url).toBe("https://books.example/in");
  expect(JSON.parse(notice?.body ?? "")).toEqual({
    type: "payment.settled",
    timestamp: "2026-11-21T00:00:00.000Z",
    data: {
      gateway_id: "shop-1",
      route: "/read",
      network: "eip155:84532",
      scheme: "exact",
      asset: "0xasset",
      amount: "7",
      payer: "0xFrom",
      pay_to: "0xto",
      nonce: "0xnonce",
      transaction: "0xTX",
      test_mode: false,
    },
  });
});

test("one settlement always has the same id, a UUID", () => {
  const id = settlementNotice(TARGET, PAYMENT, SETTLED)?.id;
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(settlementNotice(TARGET, PAYMENT, { ...SETTLED, at: 5, transaction: "0xtx" })?.id).toBe(id ?? "");
  expect(settlementNotice(TARGET, { ...PAYMENT, nonce: "0xother" }, SETTLED)?.id).not.toBe(id);
  expect(settlementNotice(TARGET, PAYMENT, { ...SETTLED, transaction: "0xother" })?.id).not.toBe(id);
});

test("a route without an endpoint for reports has no record", () => {
  expect(settlementNotice({ ...TARGET, settlement_url: "" }, PAYMENT, SETTLED)).toBeUndefined();
});

test("a record has the id that it had in earlier versions: its receiver may have it from one of them", () => {
  expect(settlementNotice(TARGET, PAYMENT, SETTLED)?.id).toBe("53c25071-87c2-8abf-a267-92404d9502b0");
});

test("a refund has a record of its own: the payer gets the money back, and each refund of a payment has another id", () => {
  const refund = { transaction: "0xback", amount: "3", at: SETTLED.at, id: "r1", sequence: 1 };
  const made = refundNotice(TARGET, PAYMENT, refund);
  expect(JSON.parse(made?.body ?? "")).toMatchObject({
    type: "payment.refunded",
    data: { payer: "0xfrom", pay_to: "0xto", nonce: "0xnonce", amount: "3", transaction: "0xback", refund: "r1" },
  });
  expect(refundNotice(TARGET, PAYMENT, { ...refund, transaction: "0xother" })?.id).toBe(made?.id ?? "");
  expect(refundNotice(TARGET, PAYMENT, { ...refund, sequence: 2 })?.id).not.toBe(made?.id);
  expect(refundNotice({ ...TARGET, settlement_url: "" }, PAYMENT, refund)).toBeUndefined();
});
