import { expect, test } from "bun:test";
import { type Channel, type Channels } from "../../store/channels.ts";
import { type ChannelSettlement } from "../x402/channel-facilitator.ts";
import { claimedChannel, KEYS, recordedClaims } from "./testing/claimed-channel.ts";
import { Transfers } from "./transfers.ts";

const SETTLED = { kind: "settled", transaction: "0x1", amount: "6000" } as const;
const EMPTY = { kind: "refused", reason: "invalid_batch_settlement_evm_nothing_to_settle" } as const;
const LOST = { kind: "unknown", cause: "lost", transaction: "" } as const;
const { settle_s: SETTLE_S } = KEYS;
const PERIOD_MS = SETTLE_S * 1000;

/** Transfers by a facilitator with these results, from a store with these channels. */
function recorded(results: readonly ChannelSettlement[], stored: readonly Channel[] = []) {
  const { claims, options, facilitator, orders } = recordedClaims(results);
  const clock = { now: 2_000_000 };
  const logged: string[] = [];
  let lists = 0;
  const channels = {
    list: async () => {
      lists += 1;
      return stored;
    },
  } satisfies Partial<Channels> as Partial<Channels> as Channels; // The other methods are not called.
  const transfers = new Transfers(
    { ...options, channels, facilitator: () => facilitator, clock: () => clock.now, log: (line) => logged.push(line) },
    claims,
  );
  /** Makes what is due after this time, and returns the orders so far and the lists that were read. */
  const after = async (passed: number, isLast = false): Promise<readonly [number, number]> => {
    clock.now += passed;
    await transfers.make(SETTLE_S, isLast);
    return [orders.length, lists];
  };
  return { transfers, after, logged };
}

test("claimed money is sent once in a time, at the end always, and again after a minute if the result was lost", async () => {
  const { transfers, after, logged } = recorded([LOST, SETTLED, SETTLED, SETTLED, SETTLED]);
  transfers.claimed(claimedChannel());
  expect([await after(0), await after(59_999), await after(1), await after(PERIOD_MS - 1)]).toEqual([
    [1, 1],
    [1, 1],
    [2, 2],
    [2, 2],
  ]);
  transfers.claimed(claimedChannel());
  expect([await after(0), await after(1), await after(0, true)]).toEqual([
    [2, 2],
    [3, 3],
    [4, 4],
  ]);
  expect(logged).toEqual(["channels: a transfer of claimed money is open: lost"]);
  // A clock that was set back does not keep the money from its receiver.
  expect(await after(-86_400_000)).toEqual([5, 5]);
});

test("money that a refund or another process has claimed is sent, although no claim follows", async () => {
  const { after } = recorded([EMPTY, SETTLED, EMPTY], [claimedChannel(), claimedChannel()]);
  expect([await after(0), await after(PERIOD_MS - 1), await after(1), await after(PERIOD_MS)]).toEqual([
    [1, 1],
    [1, 1],
    [2, 2],
    [3, 3],
  ]);
});

test("the first claim is sent at once, although nothing was to be sent before", async () => {
  const { transfers, after } = recorded([EMPTY, SETTLED], [claimedChannel()]);
  expect(await after(0)).toEqual([1, 1]);
  transfers.claimed(claimedChannel());
  expect([await after(1), await after(1)]).toEqual([
    [2, 1],
    [2, 1],
  ]);
});
