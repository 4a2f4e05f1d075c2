import { expect, test } from "bun:test";
import { REQUIREMENTS } from "../testing/payment.ts";
import { priceText } from "./price-text.ts";

const exact = (amount: string) => ({ ...REQUIREMENTS, scheme: "exact", amount });
const upto = (amount: string) => ({ ...REQUIREMENTS, scheme: "upto", amount });

test("prices that differ are listed, each once", () => {
  expect(priceText([exact("20000"), exact("30000"), exact("20000")])).toBe("$0.02 or $0.03");
  expect(priceText([upto("500000"), exact("400000")])).toBe("up to $0.50 or $0.40");
});

test("an exact price is not repeated beside one up to the same amount, in either order", () => {
  expect(priceText([upto("500000"), exact("500000")])).toBe("up to $0.50");
  expect(priceText([exact("500000"), upto("500000")])).toBe("up to $0.50");
  const unknown = { asset: "0x01", amount: "7" };
  expect(
    priceText([
      { ...upto("7"), ...unknown },
      { ...exact("7"), ...unknown },
    ]),
  ).toBe("up to 7 units of 0x01");
});

test("an amount of dollars has two decimals or more", () => {
  expect([exact("1000000"), exact("5000")].map((one) => priceText([one]))).toEqual(["$1.00", "$0.005"]);
});
