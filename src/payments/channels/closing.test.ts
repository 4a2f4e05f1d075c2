import { expect, test } from "bun:test";
import { Closing } from "./closing.ts";
import { AUTHORIZER, claimedChannel, KEYS, recordedClaims } from "./testing/claimed-channel.ts";

const SETTINGS = { keys: KEYS, authorizer: AUTHORIZER };
const SETTLED = { kind: "settled", transaction: "0x1", amount: "6000" } as const;
const REVERTED = { kind: "refused", reason: "invalid_batch_settlement_evm_refund_simulation_failed" } as const;
const OTHER = { kind: "refused", reason: "invalid_batch_settlement_evm_insufficient_balance" } as const;
const LOST = { kind: "unknown", cause: "lost", transaction: "" } as const;

test.each([
  ["is settled", SETTLED, [["done", undefined, 2_000_000]]],
  ["is refused by the chain", REVERTED, [["refuse"], ["reverting"]]],
  ["is refused by the facilitator", OTHER, [["reverting"]]],
  ["has no result", LOST, [["done", undefined, 0]]],
] as const)("a refund that %s is recorded as such", async (_what, result, calls) => {
  const channel = claimedChannel({ standing: "closing" });
  const { claims, options, facilitator, told, orders } = recordedClaims([result]);
  const logged: string[] = [];
  const log = (line: string): void => void logged.push(line);
  await new Closing({ ...options, log }, claims).close(channel, facilitator, SETTINGS);
  expect(orders).toEqual(["refund"]);
  const cause = "reason" in result ? result.reason : "cause" in result ? result.cause : undefined;
  expect(logged).toEqual(cause === undefined ? [] : [`channels: the refund of a channel is open: ${cause}`]);
  expect(told).toEqual(calls.map(([name, ...rest]) => [name, channel.id, ...rest]));
});

test.each([
  ["without a rest", { balance: "3000" }],
  ["from which its payer withdraws", { withdrawAt: 1 }],
] as const)("a channel %s is not refunded", async (_what, change) => {
  const channel = claimedChannel({ standing: "closing", syncedAt: 7, ...change });
  const { claims, options, facilitator, told, orders } = recordedClaims([SETTLED]);
  await new Closing(options, claims).close(channel, facilitator, SETTINGS);
  expect([orders, told]).toEqual([[], [["done", channel.id, channel, 7]]]);
});

test("claimed money is sent once in a time, at the end always, and again at once if the result was lost", async () => {
  const channel = claimedChannel();
  const { claims, options, facilitator, orders } = recordedClaims([LOST, SETTLED, SETTLED, SETTLED]);
  let now = 2_000_000;
  const logged: string[] = [];
  const log = (line: string): void => void logged.push(line);
  const closing = new Closing({ ...options, clock: () => now, log }, claims);
  const settle = (isLast = false) => closing.settle(channel, facilitator, { keys: KEYS, isLast });
  const counts: number[] = [];
  for (const [passed, isLast] of [
    [0, false],
    [0, false],
    [59_999, false],
    [1, false],
    [0, true],
  ] as const) {
    now += passed;
    await settle(isLast);
    counts.push(orders.length);
  }
  expect(counts).toEqual([1, 2, 2, 3, 4]);
  expect(logged).toEqual(["channels: a transfer of claimed money is open: lost"]);
  // A clock that was set back does not keep the money from its receiver.
  now -= 86_400_000;
  await settle();
  expect(orders).toHaveLength(5);
});
