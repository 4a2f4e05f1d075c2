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
  const isMade = await new Closing({ ...options, log }, claims).close(channel, facilitator, SETTINGS);
  expect([orders, isMade]).toEqual([["refund"], result.kind === "settled"]);
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
  const isMade = await new Closing(options, claims).close(channel, facilitator, SETTINGS);
  expect([orders, isMade, told]).toEqual([[], false, [["done", channel.id, channel, 7]]]);
});
