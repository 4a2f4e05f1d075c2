import { expect, test } from "bun:test";
import { type ShownRefund } from "../../gateway/admin/shapes/payments.ts";
import { refundText } from "./refund.ts";

const REFUND: ShownRefund = {
  id: "rest",
  sequence: 1,
  payment: "0xnonce",
  state: "settled",
  amount: "10000",
  transaction: "0xback",
  reason: "",
  by: "operator",
  time_ms: 1,
  changed_ms: 2,
};

test("a refund is printed in the unit of its token, or in atomic units of an unknown one", () => {
  expect(refundText({ ...REFUND, decimals: 6, symbol: "USDC" })).toBe(
    'the refund "rest" of 0.01 USDC is settled by 0xback',
  );
  expect(refundText(REFUND)).toBe('the refund "rest" of 10000 units is settled by 0xback');
});
