import { expect, test } from "bun:test";
import { REQUIREMENTS } from "../../testing/payment.ts";
import { depositOf } from "./channel-plan.ts";

const UINT256 = (2n ** 256n - 1n).toString();

/** The price is 10,000. */
test.each<[minDeposit: unknown, needed: bigint, available: bigint, deposit: bigint | undefined]>([
  [undefined, 10_000n, 1_000_000n, 100_000n],
  [undefined, 10_000n, 50_000n, 50_000n],
  [undefined, 10_000n, 10_000n, 10_000n],
  [undefined, 10_001n, 10_000n, undefined],
  [undefined, 200_000n, 1_000_000n, 200_000n],
  ["30000", 10_000n, 1_000_000n, 30_000n],
  ["10000", 10_000n, 1_000_000n, 10_000n],
  ["9999", 10_000n, 1_000_000n, 100_000n],
  ["30000", 40_000n, 1_000_000n, 40_000n],
  [UINT256, 10_000n, 1_000_000n, 1_000_000n],
  ["many", 10_000n, 1_000_000n, 100_000n],
  [30_000, 10_000n, 1_000_000n, 100_000n],
])(
  "of a server that asks for %p, with %p needed and %p available, the deposit is %p",
  (minDeposit, needed, available, deposit) => {
    const extra = minDeposit === undefined ? {} : { minDeposit };
    expect(depositOf({ ...REQUIREMENTS, extra }, needed, available)).toBe(deposit);
  },
);
