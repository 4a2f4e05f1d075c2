import { expect, test } from "bun:test";
import { PAYER, REQUIREMENTS, signedPayment } from "../testing/payment.ts";
import { type ChannelFacilitator } from "../x402/channel-facilitator.ts";
import { type ChannelOrder, type ChannelPayment, type ChannelRequirements } from "../x402/channel-messages.ts";
import { type Facilitator, type Kind, type Outcome, type Settlement, type Verification } from "../x402/facilitator.ts";
import { FailoverFacilitator, type Member } from "./failover-facilitator.ts";

const PAYMENT = signedPayment(Date.now() / 1000);
const EXACT: Kind = { scheme: "exact", network: "eip155:84532" };
const SETTLED: Settlement = { kind: "settled", transaction: `0x${"ab".repeat(32)}`, payer: PAYER };
const UNSENT: Settlement = { kind: "unknown", cause: "no connection", transaction: "", isUnsent: true };
const LOST: Settlement = { kind: "unknown", cause: "no response", transaction: "" };
const REFUSED: Settlement = { kind: "refused", reason: "insufficient_funds" };
const VALID: Verification = { kind: "valid", payer: PAYER };

interface Parts {
  readonly kinds?: readonly Kind[] | undefined;
  readonly verification?: Verification;
  readonly settlement?: Settlement;
  readonly outcome?: Outcome;
  isAway?: boolean;
}

function member(name: string, parts: Parts, calls: string[] = []): Member {
  const facilitator: Facilitator = {
    supported: async () => [],
    async verify() {
      calls.push(`verify ${name}`);
      return parts.verification ?? VALID;
    },
    async settle() {
      calls.push(`settle ${name}`);
      return parts.settlement ?? SETTLED;
    },
    async find() {
      calls.push(`find ${name}`);
      return parts.outcome ?? { kind: "unknown", cause: "silent" };
    },
    async close() {},
  };
  const kinds = { current: "kinds" in parts ? parts.kinds : [EXACT], failure: undefined, renew: async () => {} };
  return { name, alias: `url-${name}`, facilitator, kinds, isAway: () => parts.isAway === true };
}

function order(first: Parts, second: Parts, chain?: Outcome) {
  const calls: string[] = [];
  const logged: string[] = [];
  const facilitator = new FailoverFacilitator([member("a", first, calls), member("b", second, calls)], {
    chain: chain === undefined ? undefined : { find: async () => chain },
    log: (message) => logged.push(message),
  });
  return { facilitator, calls, logged };
}

const VERIFICATIONS: readonly (readonly [string, Verification, Verification, Verification, number])[] = [
  ["the first one's word counts", VALID, { kind: "refused", reason: "invalid_scheme" }, { ...VALID, by: "a" }, 1],
  ["a definite refusal ends it", { kind: "refused", reason: "insufficient_funds" }, VALID, REFUSED, 1],
  ["an unsuited one is passed over", { kind: "refused", reason: "invalid_network" }, VALID, { ...VALID, by: "b" }, 2],
  ["an absent one is passed over", { kind: "unavailable", cause: "x" }, VALID, { ...VALID, by: "b" }, 2],
  ["an unintelligible one is passed over", { kind: "failed", cause: "x" }, VALID, { ...VALID, by: "b" }, 2],
  [
    "an absent one may accept later what the second one does not support",
    { kind: "unavailable", cause: "x" },
    { kind: "refused", reason: "invalid_network" },
    { kind: "unavailable", cause: "x" },
    2,
  ],
  [
    "the second one may accept later what the first one does not support",
    { kind: "refused", reason: "invalid_network" },
    { kind: "unavailable", cause: "y" },
    { kind: "unavailable", cause: "y" },
    2,
  ],
] as const;

for (const [name, first, second, expected, asked] of VERIFICATIONS) {
  test(`verification: ${name}`, async () => {
    const { facilitator, calls } = order({ verification: first }, { verification: second });
    expect<object>(await facilitator.verify(PAYMENT, REQUIREMENTS)).toEqual(expected);
    expect(calls).toHaveLength(asked);
  });
}

test("a kind that only the second one supports goes to the second one", async () => {
  const { facilitator, calls } = order({}, { kinds: [upto(PAYER), { scheme: "exact", network: "eip155:1" }] });
  const elsewhere = { ...REQUIREMENTS, network: "eip155:1" };
  expect(facilitator.current?.map(({ scheme, network }) => `${scheme} ${network}`)).toEqual([
    "exact eip155:84532",
    "upto eip155:84532",
    "exact eip155:1",
  ]);
  expect(facilitator.assign(PAYMENT, REQUIREMENTS, "")).toBe("a");
  expect(facilitator.assign(PAYMENT, elsewhere, "a")).toBe("b");
  await facilitator.verify(PAYMENT, elsewhere);
  await facilitator.settle(PAYMENT, elsewhere, { name: "b", reassign: async () => true });
  expect(calls).toEqual(["verify b", "settle b"]);
});

function upto(facilitatorAddress: string): Kind {
  return { scheme: "upto", network: "eip155:84532", extra: { facilitatorAddress } };
}

test("under upto only the facilitator that the payer named is asked", async () => {
  const other = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
  const { facilitator, calls } = order({ kinds: [upto(PAYER)], settlement: UNSENT }, { kinds: [upto(other)] });
  const requirements = { ...REQUIREMENTS, scheme: "upto", extra: { facilitatorAddress: other } };
  expect(facilitator.assign(PAYMENT, requirements, "a")).toBe("b");
  await facilitator.verify(PAYMENT, requirements);
  expect(calls).toEqual(["verify b"]);
  const own = { ...requirements, extra: { facilitatorAddress: PAYER } };
  expect(await facilitator.settle(PAYMENT, own, { name: "a", reassign: async () => true })).toEqual(UNSENT);
});

test("the challenge names a facilitator that responds, and is the same object until that changes", () => {
  const first: Parts = { kinds: [{ ...EXACT, extra: { of: "a" } }] };
  const { facilitator } = order(first, { kinds: [{ ...EXACT, extra: { of: "b" } }] });
  const before = facilitator.current;
  expect(before?.[0]?.extra).toEqual({ of: "a" });
  expect(facilitator.current).toBe(before);
  first.isAway = true;
  expect(facilitator.current?.[0]?.extra).toEqual({ of: "b" });
  expect(facilitator.assign(PAYMENT, REQUIREMENTS, "a")).toBe("b");
  expect(order({ kinds: undefined }, { kinds: undefined }).facilitator.current).toBeUndefined();
  const deps = { chain: undefined, log: () => {} };
  expect(new FailoverFacilitator([member("a", first)], deps).current).toBe(first.kinds);
});

const SETTLEMENTS: readonly (readonly [string, Settlement, readonly string[]])[] = [
  ["nothing was sent", UNSENT, ["settle a", "settle b"]],
  ["the response was lost", LOST, ["settle a"]],
  ["it was refused", REFUSED, ["settle a"]],
  ["it succeeded", SETTLED, ["settle a"]],
];

for (const [name, settlement, expected] of SETTLEMENTS) {
  test(`settlement: if ${name}, these are asked: ${expected.join(", ")}`, async () => {
    const { facilitator, calls } = order({ settlement }, {});
    const named: string[] = [];
    const reassign = async (next: string): Promise<boolean> => {
      named.push(`${next} after ${calls.join()}`);
      return true;
    };
    await facilitator.settle(PAYMENT, REQUIREMENTS, { name: "a", reassign });
    expect(calls).toEqual([...expected]);
    // The ledger names it first.
    expect(named).toEqual(expected.length === 1 ? [] : ["b after settle a"]);
  });
}

test("no other facilitator is asked without the ledger, for a payment that may have been sent, or for one of a former facilitator", async () => {
  const { facilitator, calls } = order({ settlement: UNSENT }, {});
  expect(await facilitator.settle(PAYMENT, REQUIREMENTS, { name: "a", reassign: async () => false })).toEqual(UNSENT);
  expect(await facilitator.settle(PAYMENT, REQUIREMENTS, { name: "a" })).toEqual(UNSENT);
  expect(await facilitator.settle(PAYMENT, REQUIREMENTS, { name: "gone" })).toMatchObject({
    kind: "unknown",
    cause: "its facilitator, gone, is no longer configured",
  });
  expect(calls).toEqual(["settle a", "settle a"]);
  await facilitator.settle(PAYMENT, REQUIREMENTS, { name: "url-b" });
  expect(calls.at(-1)).toBe("settle b");
  expect([facilitator.has("url-b"), facilitator.has("gone")]).toEqual([true, false]);
});

test.each([SETTLED, LOST])(
  "the result of a facilitator that may have settled is that of the payment: %j",
  async (settlement) => {
    const { facilitator, calls } = order({ settlement }, {});
    const to = { name: "a", reassign: async () => true };
    expect(await facilitator.settle(PAYMENT, REQUIREMENTS, to)).toEqual(settlement);
    expect(calls).toEqual(["settle a"]);
  },
);

test("a refusal does not count if the chain shows that the money has moved", async () => {
  const to = { name: "a" };
  const lie = order({ settlement: REFUSED }, {}, { kind: "settled", transaction: SETTLED.transaction, payer: PAYER });
  expect(await lie.facilitator.settle(PAYMENT, REQUIREMENTS, to)).toEqual(SETTLED);
  const truth = order({ settlement: REFUSED }, {}, { kind: "unspent" });
  expect(await truth.facilitator.settle(PAYMENT, REQUIREMENTS, to)).toEqual(REFUSED);
});

test("the outcome is the chain's, then that of the facilitator which was asked, and of no other", async () => {
  const spent: Outcome = { kind: "settled", transaction: SETTLED.transaction, payer: PAYER };
  const onChain = order({ outcome: { kind: "void" } }, {}, spent);
  expect(await onChain.facilitator.find(PAYMENT, REQUIREMENTS, "a")).toEqual(spent);
  const offChain = order({ outcome: { kind: "unspent" } }, { outcome: spent }, { kind: "unknown", cause: "away" });
  expect(await offChain.facilitator.find(PAYMENT, REQUIREMENTS, "a")).toEqual({ kind: "unspent" });
  expect(await offChain.facilitator.find(PAYMENT, REQUIREMENTS, "b")).toEqual(spent);
  expect(offChain.calls).toEqual(["find a", "find b"]);
  const silent = order({}, { outcome: spent });
  expect((await silent.facilitator.find(PAYMENT, REQUIREMENTS, "a")).kind).toBe("unknown");
  expect(await silent.facilitator.find(PAYMENT, REQUIREMENTS, "")).toEqual(spent);
});

test("the facilitator that verified a payment settles it, unless it is away", () => {
  const second: Parts = {};
  const { facilitator } = order({}, second);
  const assigned = (by: string): string => facilitator.assign(PAYMENT, REQUIREMENTS, by);
  expect([assigned("b"), assigned("a"), assigned(""), assigned("gone")]).toEqual(["b", "a", "a", "a"]);
  second.isAway = true;
  expect([assigned("b"), assigned("a")]).toEqual(["a", "a"]);
});

const failing = (name: string, failure: string | undefined): Member => ({
  ...member(name, {}),
  kinds: { current: undefined, failure, renew: async () => {} },
});

const failureOf = (...members: Member[]) => new FailoverFacilitator(members, { log() {} }).failure;

test("the failures of several facilitators are named, and that of the only one is not", () => {
  expect(failureOf(failing("a", "down"))).toBe("down");
  expect(failureOf(failing("a", "down"), failing("b", undefined), failing("c", "slow"))).toBe("a: down; c: slow");
  expect(failureOf(failing("a", undefined), failing("b", undefined))).toBeUndefined();
});

test("facilitators have both of their names, list their kinds, and close together", async () => {
  const closed: string[] = [];
  const closing = (name: string, kinds: readonly Kind[] | undefined): Member => {
    const made = member(name, { kinds });
    return { ...made, facilitator: { ...made.facilitator, close: async () => void closed.push(name) } };
  };
  const known = new FailoverFacilitator([closing("a", undefined), closing("b", [EXACT])], { log() {} });
  expect(["a", "url-b", "c"].map((name) => known.has(name))).toEqual([true, true, false]);
  expect(await known.supported()).toEqual([EXACT]);
  expect(await new FailoverFacilitator([closing("c", undefined)], { log() {} }).supported()).toEqual([]);
  await known.close();
  expect(closed).toEqual(["a", "b"]);
});

test("requirements that no list has go to the facilitators whose lists are unknown, else to all", () => {
  const elsewhere = { ...REQUIREMENTS, network: "eip155:1" };
  expect(order({}, { kinds: undefined }).facilitator.assign(PAYMENT, elsewhere, "")).toBe("b");
  expect(order({}, {}).facilitator.assign(PAYMENT, elsewhere, "")).toBe("a");
});

const channelsOf = (name: string): ChannelFacilitator => ({
  verify: async () => ({ kind: "failed", cause: name }),
  settle: async () => ({ kind: "unknown", cause: name, transaction: "" }),
});

const knowing = (name: string, isAway: boolean): Member => {
  const made = member(name, { isAway });
  return { ...made, facilitator: { ...made.facilitator, channels: channelsOf(name) } };
};

const causes = async (...members: Member[]) => {
  const { channels } = new FailoverFacilitator(members, { log() {} });
  const requirements = REQUIREMENTS as ChannelRequirements; // Only the scheme and the network are read.
  return [
    await channels.verify({} as ChannelPayment, requirements),
    await channels.settle({} as ChannelOrder, requirements),
  ];
};

const unknown = (cause: string) => [
  { kind: "failed", cause },
  { kind: "unknown", cause, transaction: "" },
];

test("channels are those of the first facilitator that responds and knows them", async () => {
  expect<object>(await causes(member("a", {}), knowing("b", false), knowing("c", false))).toEqual(unknown("b"));
  expect<object>(await causes(knowing("a", true), knowing("b", false))).toEqual(unknown("b"));
  const cause = "no facilitator knows channels";
  expect<object>(await causes(member("a", {}))).toEqual([
    { kind: "unavailable", cause },
    { kind: "unknown", cause, transaction: "", isUnsent: true },
  ]);
});
