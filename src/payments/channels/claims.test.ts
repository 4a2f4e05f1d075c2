import { expect, test } from "bun:test";
import { NO_AUTHORIZER } from "../../store/channels.ts";
import { freshAccount } from "../evm/testing/shop.ts";
import { type Address } from "../x402/address.ts";
import { isRefused } from "./claims.ts";
import { AUTHORIZER, claimedChannel, KEYS, recordedClaims } from "./testing/claimed-channel.ts";

const SETTLED = { kind: "settled", transaction: "0x1", amount: "0" } as const;
const REVERTED = { kind: "refused", reason: "invalid_batch_settlement_evm_claim_simulation_failed" } as const;
const LOST = { kind: "unknown", cause: "lost", transaction: "" } as const;
const SETTINGS = { keys: KEYS, authorizer: AUTHORIZER };
const NOW = 2_000_000;

test("a refusal counts only if it is the chain's, and the seller's key is that of the channel", () => {
  const channel = claimedChannel();
  expect(isRefused(channel, REVERTED.reason, AUTHORIZER)).toBe(true);
  expect(isRefused(channel, "invalid_batch_settlement_evm_insufficient_balance", AUTHORIZER)).toBe(false);
  expect(isRefused(channel, REVERTED.reason, freshAccount())).toBe(false);
});

test("a claim is recorded with what was charged, and one without a result is left open", async () => {
  const [one, two] = [claimedChannel(), claimedChannel({ claimed: "1000", syncedAt: 5 })];
  const made = recordedClaims([SETTLED]);
  expect(await made.claims.claim([one, two], made.facilitator, SETTINGS)).toEqual({ claimed: 2, open: [] });
  expect(made.told).toEqual([
    ["done", one.id, expect.objectContaining({ claimed: "3000" }), 0],
    ["claimed", one.id, 3000n],
    ["done", two.id, expect.objectContaining({ claimed: "3000" }), 5],
    ["claimed", two.id, 2000n],
  ]);
  const lost = recordedClaims([LOST]);
  expect(await lost.claims.claim([one, two], lost.facilitator, SETTINGS)).toEqual({ claimed: 0, open: [one, two] });
  expect(lost.told).toEqual([
    ["unclaimed", one.id],
    ["unclaimed", two.id],
  ]);
});

test("the rows that a refusal names are left out, and the others are claimed together", async () => {
  const channels = [claimedChannel(), claimedChannel(), claimedChannel()] as const;
  const [one, bad, three] = channels;
  const upper = `0x${bad.id.slice(2).toUpperCase()}` as const;
  const made = recordedClaims([{ ...REVERTED, reverting: [upper] }, SETTLED]);
  expect(await made.claims.claim(channels, made.facilitator, SETTINGS)).toEqual({ claimed: 2, open: [] });
  expect(made.orders).toEqual(["claim 3", "claim 2"]);
  expect(made.told.slice(0, 2)).toEqual([
    ["refuse", bad.id],
    ["reverting", bad.id],
  ]);
  expect(made.told.slice(2).map((call) => (call as unknown[])[1])).toEqual([one.id, one.id, three.id, three.id]);
});

test("a facilitator that names rows of none of its claims gets halves, and each channel alone at last, once", async () => {
  const channels = [claimedChannel(), claimedChannel()] as const;
  const foreign = { ...REVERTED, reverting: [claimedChannel().id as `0x${string}`] };
  const made = recordedClaims([foreign, foreign, foreign]);
  expect(await made.claims.claim(channels, made.facilitator, SETTINGS)).toEqual({ claimed: 0, open: [] });
  expect(made.orders).toEqual(["claim 2", "claim 1", "claim 1"]);
  expect(made.told).toEqual(
    channels.flatMap(({ id }) => [
      ["refuse", id],
      ["reverting", id],
    ]),
  );
});

test("if a refusal names no rows, halves are claimed, and what has no result stays open", async () => {
  const channels = [claimedChannel(), claimedChannel(), claimedChannel()] as const;
  const made = recordedClaims([REVERTED, SETTLED, LOST]);
  const { claimed, open } = await made.claims.claim(channels, made.facilitator, SETTINGS);
  expect([claimed, open, made.orders]).toEqual([2, [channels[2]], ["claim 3", "claim 2", "claim 1"]]);
});

test.each([
  ["is refused for the first time", {}, true, "reverting"],
  ["was refused less than a minute ago", { refusedAt: NOW - 59_999 }, true, "reverting"],
  ["was refused a minute ago, and its payer can have taken the money", { refusedAt: NOW - 60_000 }, true, "lost"],
  [
    "was refused, and a node that lags behind can be the reason",
    { refusedAt: 1, syncedAt: NOW - 899_999 },
    true,
    "reverting",
  ],
  ["was refused, and a withdrawal has not had its delay", { refusedAt: 1, withdrawAt: 1_101 }, true, "reverting"],
  ["was refused, and a withdrawal has had its delay", { refusedAt: 1, withdrawAt: 1_100 }, true, "lost"],
  ["was refused by a facilitator, and not by the chain", { refusedAt: 1 }, false, "reverting"],
] as const)("a channel that %s keeps its charges as risk, or loses them", async (_what, change, isByChain, outcome) => {
  const { claims, told } = recordedClaims([]);
  const channel = claimedChannel(change);
  await claims.refuse(channel, isByChain);
  const record = outcome === "lost" ? ["write off", channel.id] : ["refuse", channel.id];
  expect(told).toEqual([...(isByChain ? [record] : []), [outcome, channel.id]]);
});

test("the charges of a payer that denies its voucher are written off at the second refusal, whatever the delay", async () => {
  const { claims, told } = recordedClaims([]);
  const channel = claimedChannel({ refusedAt: NOW - 60_000, syncedAt: NOW }, NO_AUTHORIZER as Address);
  await claims.refuse(channel, true);
  expect(told).toEqual([
    ["write off", channel.id],
    ["denied", channel.id],
  ]);
});
