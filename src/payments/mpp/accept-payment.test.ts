import { expect, test } from "bun:test";
import { acceptsPayment } from "./accept-payment.ts";

const ranges = (count: number, last: string): string =>
  [...Array.from({ length: count - 1 }, () => "x/y"), last].join(",");

test.each<[value: string | undefined, accepts: boolean]>([
  [undefined, true],
  ["", true],
  ["evm", true],
  ["evm/charge;q=2", true],
  ["evm/charge;q=0.0001", true],
  ["evm/charge", true],
  ["evm/charge;q=0", false],
  ["evm/charge; q=0.000", false],
  ["evm/charge ;q=0.001", true],
  ["evm/charge;q=1.000", true],
  ["tempo/charge", false],
  ["evm/session", false],
  ["*/*", true],
  ["*/*;q=0", false],
  ["*/charge", true],
  ["evm/*", true],
  ["*/session", false],
  ["tempo/*", false],
  ["*/*;q=0, evm/charge", true],
  ["evm/charge, */*;q=0", true],
  ["*/charge, evm/*;q=0", false],
  ["evm/*, */charge;q=0", true],
  ["*/charge;q=0, */*", false],
  ["evm/*;q=0, evm/charge", true],
  ["evm/charge, evm/*;q=0", true],
  ["evm/charge, evm/charge;q=0", true],
  ["tempo/charge, other", true],
  [ranges(32, "z/z"), false],
  [ranges(33, "z/z"), true],
])("the value %j of Accept-Payment", (value, accepts) => {
  expect(acceptsPayment(value, "evm", "charge")).toBe(accepts);
});
