import { expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { watchTimers } from "../../lib/testing/timers.ts";
import { type Channel, type Channels, type Risk, type WorkTerms } from "../../store/channels.ts";
import {
  type ChannelFacilitator,
  type ChannelSettlement,
  type ChannelVerification,
} from "../x402/channel-facilitator.ts";
import { Claimer, type ClaimerOptions } from "./claimer.ts";
import { AUTHORIZER, claimedChannel, KEYS, recordedClaims } from "./testing/claimed-channel.ts";

setDefaultTimeout(patient(20_000));

const NOW = 2_000_000;
const STOP_MS = 10_000;
const SETTLED = { kind: "settled", transaction: "0x1", amount: "0" } as const;
const LOST = { kind: "unknown", cause: "lost", transaction: "" } as const;
const SILENT = { kind: "unavailable", cause: "no response" } as const;
const refused = (
  reason: "voucher_signature" | "channel_not_found" | "cumulative_exceeds_balance" | "cumulative_below_claimed",
) => ({ kind: "refused", reason: `invalid_batch_settlement_evm_${reason}` }) as const;
/** Its charges are few, young and below the limit. */
const idle = { owedSince: NOW };

interface Case {
  readonly risks?: readonly Risk[];
  /** The channels that each call for work leases. */
  readonly leases: readonly (readonly Channel[])[];
  readonly results?: readonly ChannelSettlement[];
  /** The chain's responses about channels; the others are as the store has them. */
  readonly seen?: ReadonlyMap<Channel, ChannelVerification>;
  readonly keys?: Partial<typeof KEYS.claim>;
  readonly change?: Partial<ClaimerOptions>;
}

/** A claimer whose store and listeners record each call. */
function recorded({ leases, results = [], seen = new Map(), keys = {}, change = {}, risks = [] }: Case) {
  const { told, orders, facilitator, options } = recordedClaims(results, NOW);
  const written = options.channels;
  const left = [...leases];
  const logged: string[] = [];
  const asked: WorkTerms[] = [];
  const all = leases.flat();
  const channels = {
    done: (...call) => written.done(...call),
    refuse: (id) => written.refuse(id),
    writeOff: (id) => written.writeOff(id),
    work: async (terms) => {
      asked.push(terms);
      return left.shift() ?? [];
    },
    risks: async () => risks,
    list: async () => [],
    demand: async () => {
      await new Promise(setImmediate);
      return told.push(["demand"]);
    },
    forgetEmpty: async (before, rows) => told.push(["forget", before, rows]),
  } satisfies Partial<Channels> as Partial<Channels> as Channels; // The other methods are not called.
  const verify: ChannelFacilitator["verify"] = async ({ payload }) => {
    const channel = all.find(({ salt }) => salt === payload.channelConfig.salt);
    if (channel === undefined) throw new Error("the channel is not leased");
    const { payer, balance, claimed, withdrawAt, refundNonce } = channel;
    const state = {
      balance: BigInt(balance),
      totalClaimed: BigInt(claimed),
      withdrawRequestedAt: withdrawAt,
      refundNonce: BigInt(refundNonce),
    };
    return seen.get(channel) ?? { kind: "valid", payer: `0x${payer.slice(2)}`, state };
  };
  const claimer = new Claimer({
    ...options,
    channels,
    settings: () => ({ keys: { ...KEYS, claim: { ...KEYS.claim, ...keys } }, authorizer: AUTHORIZER }),
    facilitator: () => ({ ...facilitator, verify }),
    onRisks: () => told.push(["risks"]),
    log: (message) => logged.push(message),
    ...change,
  });
  return { claimer, told, orders, logged, asked };
}

const forgotten = ["forget", NOW - 3_600_000, 1000];
const isDone = (call: unknown): boolean => Array.isArray(call) && call[0] === "done";

test("a round claims what is due with one order, and records the state of the others", async () => {
  const channels = [claimedChannel(), claimedChannel(idle), claimedChannel()] as const;
  const { claimer, told, orders, logged } = recorded({ leases: [channels], results: [SETTLED, SETTLED] });
  expect(await claimer.round()).toBe(2);
  expect(orders).toEqual(["claim 2", "settle"]);
  expect(told).toEqual([
    ["risks"],
    ["done", channels[1].id, expect.objectContaining({ claimed: "0" }), NOW],
    ...[channels[0], channels[2]].flatMap(({ id }) => [
      ["done", id, expect.objectContaining({ claimed: "3000" }), NOW],
      ["claimed", id, 3000n],
    ]),
    forgotten,
  ]);
  expect(logged).toEqual([]);
});

test("a round looks for channels by the limits of the tokens that are owed", async () => {
  const { network, token } = claimedChannel();
  const risk = { network, token, channels: 1, withdrawing: 0, owed: "1", deniable: "0", lost: "0", owedSince: 1 };
  const { claimer, asked } = recorded({ leases: [], risks: [risk] });
  await claimer.round();
  expect(asked).toMatchObject([{ charges: 100, owed: "5000", deniable: "2000" }]);
});

test("a round goes on while its batches are full, and counts the claims of all", async () => {
  const leases = [[claimedChannel(), claimedChannel()], [claimedChannel(), claimedChannel()], [claimedChannel()]];
  const { claimer, orders } = recorded({
    leases,
    results: Array.from({ length: 6 }, () => SETTLED),
    keys: { batch: 2 },
  });
  expect(await claimer.round()).toBe(5);
  expect(orders).toEqual(["claim 2", "claim 2", "claim 1", "settle"]);
});

test("the leases of channels without a response or a result end after the round, and the log says why", async () => {
  const [mute, one] = [claimedChannel(), claimedChannel()];
  const seen = new Map([[mute, SILENT]]);
  const { claimer, told, orders, logged } = recorded({ leases: [[mute, one]], results: [LOST], seen });
  expect(await claimer.round()).toBe(0);
  expect(orders).toEqual(["claim 1"]);
  expect(told).toEqual([
    ["risks"],
    ["unclaimed", one.id],
    ["done", mute.id, undefined, 0],
    ["done", one.id, undefined, 0],
    forgotten,
  ]);
  expect(logged).toEqual([
    "channels: the state of 1 of 2 channels is not known: no response",
    "channels: a claim of 1 channels is open: lost",
  ]);
});

test.each([
  ["is gone", "channel_not_found", [["refuse"], ["reverting"]]],
  ["has not the money for its voucher", "cumulative_exceeds_balance", [["refuse"], ["reverting"]]],
  ["is claimed above its voucher", "cumulative_below_claimed", [["reverting"]]],
  ["has a signature that its payer cannot deny", "voucher_signature", [["reverting"]]],
] as const)("a channel that %s is not claimed", async (_what, reason, calls) => {
  const channel = claimedChannel();
  const seen = new Map([[channel, refused(reason)]]);
  const { claimer, told, orders } = recorded({ leases: [[channel]], seen });
  expect(await claimer.round()).toBe(0);
  expect([orders, told]).toEqual([[], [["risks"], ...calls.map(([name]) => [name, channel.id]), forgotten]]);
});

test("the payer's withdrawal is reported once, and its charges are claimed at once", async () => {
  const [fresh, known] = [claimedChannel(idle), claimedChannel({ ...idle, withdrawAt: 9 })];
  const state = { balance: 9000n, totalClaimed: 0n, withdrawRequestedAt: 9, refundNonce: 0n };
  const seen = new Map([[fresh, { kind: "valid", payer: AUTHORIZER.address, state } as const]]);
  const { claimer, told, orders } = recorded({ leases: [[fresh, known]], results: [SETTLED, SETTLED], seen });
  expect(await claimer.round()).toBe(2);
  expect([orders[0], told[1]]).toEqual(["claim 2", ["withdrawal", fresh.id]]);
  expect(told.filter((call) => (call as unknown[])[0] === "withdrawal")).toHaveLength(1);
});

test.each([
  ["closing", 0n, ["refund", "settle"]],
  ["refunding", 0n, ["refund", "settle"]],
  ["refunding", 1n, []],
  ["open", 0n, []],
] as const)(
  "the rest of a channel that is %s is paid back, unless the chain shows its refund",
  async (standing, nonce, orders) => {
    const channel = claimedChannel({ ...idle, standing });
    const state = { balance: 9000n, totalClaimed: 0n, withdrawRequestedAt: 0, refundNonce: nonce };
    const seen = new Map([[channel, { kind: "valid", payer: AUTHORIZER.address, state } as const]]);
    const made = recorded({ leases: [[channel]], results: [SETTLED, SETTLED], seen });
    expect(await made.claimer.round()).toBe(0);
    expect(made.orders).toEqual([...orders]);
    expect(made.told.filter(isDone)).toHaveLength(1);
  },
);

test("channels of a network without a facilitator keep their leases, and count as not claimed", async () => {
  for (const channels of [[claimedChannel()], [claimedChannel(), claimedChannel()]]) {
    const { claimer, told, logged } = recorded({ leases: [channels], change: { facilitator: () => undefined } });
    expect(await claimer.round()).toBe(0);
    expect(told).toEqual([["risks"], ...channels.map(({ id }) => ["unclaimed", id]), forgotten]);
    expect(logged).toEqual(["channels: no facilitator works on the channels of eip155:84532"]);
  }
});

test("without payments from channels, a round reads no ledger", async () => {
  const { claimer, told } = recorded({ leases: [[claimedChannel()]], change: { settings: () => undefined } });
  expect(await claimer.round()).toBe(0);
  await claimer.close();
  expect(told).toEqual([]);
});

test("a round whose ledger fails claims nothing more, and the log shows no text of the error", async () => {
  const { claimer, orders, logged } = recorded({
    leases: [[claimedChannel()]],
    change: {
      onRisks: () => {
        throw new TypeError("secret");
      },
    },
  });
  expect(await claimer.round()).toBe(0);
  expect([orders, logged]).toEqual([[], ["channels: the ledger failed: TypeError"]]);
});

test("all charges become due before a round for all", async () => {
  const { claimer, told } = recorded({ leases: [] });
  await claimer.round(true);
  expect(told).toEqual([["demand"], ["risks"], forgotten]);
});

test("a stop claims all charges, tries again what has no result, and sends the money at once", async () => {
  // On a busy machine, this takes longer than a stop may.
  using timers = watchTimers((ms) => (ms === STOP_MS ? 2 ** 31 - 1 : ms));
  const [one, again] = [claimedChannel(), claimedChannel()];
  const results = [SETTLED, SETTLED, LOST, SETTLED, SETTLED, SETTLED];
  const { claimer, told, orders } = recorded({ leases: [[one], [again], [again]], results });
  expect(await claimer.round()).toBe(1);
  await claimer.close();
  expect(timers.pending(STOP_MS)).toBe(0);
  expect(orders).toEqual(["claim 1", "settle", "claim 1", "settle", "claim 1", "settle"]);
  const names = told.map((call) => (call as unknown[])[0]);
  // First all charges become due, and then a round looks for them.
  expect(names.slice(names.indexOf(forgotten[0]) + 1).slice(0, 2)).toEqual(["demand", "risks"]);
  expect(names.filter((name) => name === "demand")).toHaveLength(1);
});

test("a stop that is not to claim leaves the charges to the next start", async () => {
  const { claimer, told } = recorded({ leases: [[claimedChannel()]], keys: { on_stop: false } });
  await claimer.close();
  expect(told).toEqual([]);
});

test("a stop waits for the round that runs, but not for a facilitator that does not respond", async () => {
  using timers = watchTimers((ms) => Math.min(ms, 1));
  const asked = Promise.withResolvers<void>();
  const { facilitator } = recordedClaims([]);
  const never: ChannelFacilitator = {
    ...facilitator,
    verify: () => {
      asked.resolve();
      return new Promise(() => {});
    },
  };
  const channel = claimedChannel();
  const { claimer, told } = recorded({
    leases: [[channel]],
    keys: { on_stop: false },
    change: { facilitator: () => never },
  });
  claimer.start();
  await asked.promise;
  await claimer.close(1);
  expect(timers.pending(2000)).toBe(0);
  expect(told).toEqual([["risks"], ["done", channel.id, undefined, 0], forgotten]);
});

test("a round works on 100 batches at most: the others wait for the next one", async () => {
  const leases = Array.from({ length: 101 }, () => [claimedChannel(idle)]);
  const { claimer, asked, told } = recorded({ leases, keys: { batch: 1 } });
  await claimer.round();
  expect([asked.length, told.filter(isDone).length]).toEqual([100, 100]);
});

test("a round ends after its transfer to the receiver, so that a stop waits for it", async () => {
  const transfer = Promise.withResolvers<ChannelSettlement>();
  const asked = Promise.withResolvers<void>();
  const channel = claimedChannel();
  const { facilitator } = recordedClaims([SETTLED]);
  const settle: ChannelFacilitator["settle"] = (order, requirements) => {
    if (order.payload.type !== "settle") return facilitator.settle(order, requirements);
    asked.resolve();
    return transfer.promise;
  };
  const { balance, claimed, withdrawAt, refundNonce } = channel;
  const state = {
    balance: BigInt(balance),
    totalClaimed: BigInt(claimed),
    withdrawRequestedAt: withdrawAt,
    refundNonce: BigInt(refundNonce),
  };
  const verify = async () => ({ kind: "valid", payer: AUTHORIZER.address, state }) as const;
  const { claimer } = recorded({ leases: [[channel]], change: { facilitator: () => ({ settle, verify }) } });
  let isOver = false;
  const round = claimer.round().then(() => (isOver = true));
  await asked.promise;
  await new Promise(setImmediate);
  expect(isOver).toBe(false);
  transfer.resolve(SETTLED);
  await round;
});

test("rounds follow each other: a start during one does not begin a second one, and a stop waits for the one that runs", async () => {
  using timers = watchTimers((ms) => (ms === 2000 ? 1 : ms));
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<undefined>();
  const facilitator = (): Promise<undefined> => {
    begun.resolve();
    return gate.promise;
  };
  const { claimer, told } = recorded({
    leases: [[claimedChannel()]],
    keys: { on_stop: false },
    change: { facilitator },
  });
  claimer.start();
  claimer.start();
  expect(timers.pending(2000)).toBe(1);
  await begun.promise;
  // A reload of the configuration starts it again.
  claimer.start();
  expect(timers.pending(2000)).toBe(0);
  let isClosed = false;
  const closing = claimer.close().then(() => (isClosed = true));
  await new Promise(setImmediate);
  expect(isClosed).toBe(false);
  gate.resolve(undefined);
  await closing;
  claimer.start();
  expect([timers.pending(2000), told.at(-1)]).toEqual([0, forgotten]);
});

test("a stop before the first round clears its timer", async () => {
  using timers = watchTimers();
  const { claimer } = recorded({ leases: [], keys: { on_stop: false } });
  claimer.start();
  await claimer.close();
  expect(timers.pending(2000)).toBe(0);
});

test.each([
  [0, 1000],
  [4000, 4000],
  [60_000, 10_000],
  [undefined, 10_000],
])("a stop with %p ms claims for %p ms, with pauses that double", async (graceMs, limit) => {
  const limits: number[] = [];
  const pauses: number[] = [];
  const end = Promise.withResolvers<void>();
  using timers = watchTimers((ms) => {
    if (ms >= 1000) limits.push(ms);
    return ms >= 1000 ? 2 ** 31 - 1 : ms;
  });
  const sleep = spyOn(Bun, "sleep").mockImplementation(async (ms) => {
    pauses.push(Number(ms));
    if (pauses.length === 3) end.resolve();
  });
  const channel = claimedChannel();
  const { claimer } = recorded({ leases: [[channel], [channel], [channel]], results: [LOST, LOST, LOST] });
  try {
    await claimer.close(...(graceMs === undefined ? [] : [graceMs]));
    await end.promise;
  } finally {
    sleep.mockRestore();
  }
  expect([limits, pauses, timers.pending(limit)]).toEqual([[limit], [250, 500, 1000], 0]);
});
