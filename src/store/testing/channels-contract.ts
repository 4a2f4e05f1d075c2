import { expect, test } from "bun:test";
import {
  type ChainState,
  type Channel,
  type ChannelIdentity,
  channelNonce,
  isLost,
  NO_AUTHORIZER,
  type WorkTerms,
} from "../channels.ts";
import { UNCOVERED } from "../credits.ts";
import { type Change, type Payment, type Reservation } from "../ledger.ts";
import { type Store } from "../store.ts";
import { type NewDatabase, openFresh, START } from "./contract-harness.ts";
import { RESERVATION } from "./reservation.ts";

const WORK_MS = 120_000;
const LEASE_MS = 15_000;

const ID = `0x${"c1".repeat(32)}`;
const IDENTITY: ChannelIdentity = {
  id: ID,
  network: "eip155:84532",
  payer: "0xpayer",
  payerAuthorizer: "0xauthorizer",
  receiver: "0xreceiver",
  receiverAuthorizer: "0xseller",
  token: "0xtoken",
  withdrawDelay: 900,
  salt: "0xsalt",
};
const STATE: ChainState = { balance: "10000", claimed: "0", withdrawAt: 0, refundNonce: "0" };
const NEVER: WorkTerms = { charges: 1000, owed: "1000000", deniable: "1000000", owedBefore: 0, syncedBefore: 0 };
const HUGE = "12345678901234567890123456789";

/** A payment of 1000 at a base of the channel, by a voucher for both together. */
function voucher(base: string, amount = "1000", of = ID): Reservation {
  const maxClaimableAmount = String(BigInt(base) + BigInt(amount));
  return {
    ...RESERVATION,
    scheme: "batch-settlement",
    asset: "0xcontract",
    nonce: channelNonce(of, base),
    amount,
    fingerprint: `print ${base}`,
    payload: JSON.stringify({ payload: { voucher: { maxClaimableAmount, signature: `0x${maxClaimableAmount}` } } }),
  };
}

async function channelOf({ channels }: Store, id = ID): Promise<Channel> {
  const channel = await channels.find(id);
  if (channel === undefined) throw new Error("no channel");
  return channel;
}

async function paid(store: Store, reservation: Reservation, change: Partial<Change> = {}): Promise<Payment> {
  const { leased, payment } = await store.ledger.reserve(reservation);
  expect(leased).toBe(true);
  expect(await store.ledger.move(payment, { state: "settled", lease: false, ...change })).toBe(true);
  return payment;
}

/** For tests only: behaviour that every `Channels` must have, and every ledger with their payments. */
export function testChannels(newDatabase: NewDatabase): void {
  testVouchers(newDatabase);
  testMoves(newDatabase);
  testChain(newDatabase);
  testWork(newDatabase);
}

function testVouchers(newDatabase: NewDatabase): void {
  test("opening a known channel records what the chain says now, and keeps its charges", async () => {
    await using opened = await openFresh(newDatabase);
    const { channels } = opened.store;
    await channels.open(IDENTITY, STATE, START);
    await paid(opened.store, voucher("0"));
    const again = await channels.open(IDENTITY, { ...STATE, balance: "20000" }, START + 1);
    expect(again).toMatchObject({ balance: "20000", charged: "1000", base: "1000", syncedAt: START + 1 });
  });

  test("a channel begins at what the chain has as claimed, and takes vouchers from there alone", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    expect(await store.channels.find(ID)).toBeUndefined();
    const channel = await store.channels.open(IDENTITY, { ...STATE, claimed: "700" }, START);
    const sums = { base: "700", charged: "700", claimed: "700", balance: "10000", signed: "0", charges: 0 };
    expect(channel).toMatchObject({ ...IDENTITY, ...sums, standing: "open", holder: "", syncedAt: START });
    for (const base of ["0", "699", "701", "1700"]) {
      expect(await store.ledger.reserve(voucher(base))).toMatchObject({
        leased: false,
        payment: { reason: UNCOVERED },
      });
      expect(await store.ledger.find(voucher(base))).toBeUndefined();
    }
    const { payment } = await store.ledger.reserve(voucher("700"));
    expect(await channelOf(store)).toMatchObject({ base: "1700", charged: "700", holder: payment.nonce, signed: "0" });
    await store.ledger.move(payment, { state: "settled", lease: true });
    const after = { base: "1700", charged: "1700", holder: "", signed: "1700", signature: "0x1700", charges: 1 };
    expect(await channelOf(store)).toMatchObject({ ...after, owedSince: START });
    expect((await store.channels.open(IDENTITY, STATE, START)).charged).toBe("1700");
  });

  test("a charge whose response was not delivered is owed, and no refund that is due", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    await store.channels.open(IDENTITY, STATE, START);
    const { payTo } = await paid(store, voucher("0"));
    expect((await store.view.standing()).owed).toBe(1);
    expect(await store.refunds.owed([payTo.toLowerCase()], START + 1, 10)).toEqual([]);
  });

  test("a payment of an unknown channel is refused", async () => {
    await using opened = await openFresh(newDatabase);
    expect(await opened.store.ledger.reserve(voucher("0"))).toMatchObject({ payment: { reason: UNCOVERED } });
  });

  test("one request at a time has a channel, over all processes", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    const other = await opened.another();
    await store.channels.open(IDENTITY, STATE, START);
    const claims = await Promise.all([
      store.ledger.reserve(voucher("0")),
      other.ledger.reserve({ ...voucher("0"), fingerprint: "other" }),
      other.ledger.reserve(voucher("1000")),
    ]);
    expect(claims.filter(({ leased }) => leased)).toHaveLength(1);
    expect((await channelOf(store)).base).toBe("1000");
  });

  test("the next voucher takes the channel over from a dead process, with its own amount", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    await store.channels.open(IDENTITY, STATE, START);
    const { payment: lost } = await store.ledger.reserve(voucher("0"));
    const other = await opened.another();
    clock.now += LEASE_MS + 1;
    const next = { ...voucher("0", "400"), fingerprint: "other" };
    const { leased, payment } = await other.ledger.reserve(next);
    expect([leased, (await channelOf(store)).base]).toEqual([true, "400"]);
    expect(await store.ledger.move(lost, { state: "released", lease: false })).toBe(false);
    expect(await channelOf(store)).toMatchObject({ base: "400", holder: payment.nonce });
    await other.ledger.move(payment, { state: "released", lease: false });
    expect(await channelOf(store)).toMatchObject({ base: "0", holder: "" });
  });
}

function testMoves(newDatabase: NewDatabase): void {
  test("a released payment frees the channel at its base, in every state before", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    await store.channels.open(IDENTITY, STATE, START);
    for (const before of ["reserved", "verified", "settling", "unknown", "settled"] as const) {
      const { payment } = await store.ledger.reserve(voucher("0"));
      if (before !== "reserved") await store.ledger.move(payment, { state: before, lease: true });
      const holder = before === "settled" ? "" : payment.nonce;
      expect(await channelOf(store)).toMatchObject({ base: "1000", holder });
      expect(await store.ledger.move(payment, { state: "released", lease: false })).toBe(true);
      expect(await channelOf(store)).toMatchObject({ base: "0", charged: "0", holder: "" });
    }
  });

  test("a charge below the voucher moves the base by the charge", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    await store.channels.open(IDENTITY, STATE, START);
    await paid(store, voucher("0"), { amount: "300" });
    expect(await channelOf(store)).toMatchObject({ base: "300", charged: "300", signed: "1000" });
    await paid(store, voucher("300"), { amount: "1" });
    expect(await channelOf(store)).toMatchObject({ base: "301", charged: "301", signed: "1300", charges: 2 });
    await paid(store, voucher("301", "500"));
    expect(await channelOf(store)).toMatchObject({ base: "801", signed: "1300", signature: "0x1300" });
  });

  test("a deposit that settles later counts when it is settled, or not at all", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    await store.channels.open(IDENTITY, STATE, START);
    const { payment } = await store.ledger.reserve(voucher("0"));
    await store.ledger.move(payment, { state: "settling", lease: true, amount: "800" });
    expect(await channelOf(store)).toMatchObject({ base: "800", charged: "0", holder: payment.nonce });
    await store.ledger.move(payment, { state: "failed", lease: false, reason: "payment_refused" });
    expect(await channelOf(store)).toMatchObject({ base: "0", charged: "0", holder: "" });
    await paid(store, voucher("0"), { amount: "800" });
    expect(await channelOf(store)).toMatchObject({ base: "800", charged: "800", holder: "" });
  });

  test("a charge that is made later does not hold the channel, and no base occurs twice", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    await store.channels.open(IDENTITY, STATE, START);
    const { payment: later } = await store.ledger.reserve(voucher("0"));
    await store.ledger.move(later, { state: "deferred", lease: false, deferral: "{}", dueInMs: 0 });
    expect(await channelOf(store)).toMatchObject({ base: "1000", charged: "0", holder: "", signed: "1000" });
    await paid(store, voucher("1000"));
    const [due] = await store.ledger.claimDue(10);
    if (due === undefined) throw new Error("nothing is due");
    await store.ledger.move(due, { state: "settled", lease: false, amount: "200", dueInMs: "never" });
    expect(await channelOf(store)).toMatchObject({ base: "2000", charged: "1200", signed: "2000" });
    expect((await store.ledger.reserve(voucher("1200"))).payment.reason).toBe(UNCOVERED);
    await paid(store, voucher("2000"));
    expect(await channelOf(store)).toMatchObject({ base: "3000", charged: "2200" });
  });

  test("if the newest payments are returned, the rest of the one before is returned too", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    const { ledger } = store;
    await store.channels.open(IDENTITY, STATE, START);
    await paid(store, voucher("0"));
    const later = async (base: string): Promise<Payment> => {
      const { payment } = await ledger.reserve(voucher(base));
      await ledger.move(payment, { state: "deferred", lease: true, deferral: "{}", dueInMs: 60_000 });
      return payment;
    };
    const [first, second] = [await later("1000"), await later("2000")];
    const { payment: reserved } = await ledger.reserve(voucher("3000"));
    await ledger.move(reserved, { state: "released", lease: false });
    expect(await channelOf(store)).toMatchObject({ base: "3000", tail: second.nonce });
    await ledger.move(second, { state: "released", lease: false });
    expect(await channelOf(store)).toMatchObject({ base: "2000", tail: first.nonce });
    await ledger.move(first, { state: "settled", lease: false, amount: "200", dueInMs: "never" });
    expect(await channelOf(store)).toMatchObject({ base: "1200", charged: "1200", tail: first.nonce });
    // The bases of the returned payments can come again, and pay again.
    await paid(store, voucher("1200", "800"));
    await paid(store, voucher("2000"));
    expect(await channelOf(store)).toMatchObject({ base: "3000", charged: "3000" });
  });

  test("a later charge of nothing leaves the base above it", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    await store.channels.open(IDENTITY, STATE, START);
    await paid(store, voucher("0"), { amount: "0" });
    expect(await channelOf(store)).toMatchObject({ base: "1000", charged: "0" });
  });

  test("payments that expire unsettled free their channel", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    await store.channels.open(IDENTITY, STATE, START);
    const { payment } = await store.ledger.reserve(voucher("0"));
    await store.ledger.move(payment, { state: "released", lease: false });
    expect(await store.ledger.find(payment)).toBeUndefined();
    clock.now += 1;
    await paid(store, voucher("0"));
    expect((await channelOf(store)).base).toBe("1000");
  });

  test("sums beyond the integers of SQLite and JavaScript are exact", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    await store.channels.open(IDENTITY, { ...STATE, balance: HUGE, claimed: HUGE }, START);
    await paid(store, voucher(HUGE, "9007199254740993"));
    const sum = String(BigInt(HUGE) + 9007199254740993n);
    expect(await channelOf(store)).toMatchObject({ base: sum, charged: sum, claimed: HUGE, signed: sum });
    expect(await store.channels.risks()).toMatchObject([{ owed: "9007199254740993", channels: 1 }]);
  });

  test("the sums of a channel have thirty digits at most", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    const [largest, before] = ["9".repeat(30), `${"9".repeat(29)}8`];
    await store.channels.open(IDENTITY, { ...STATE, balance: largest, claimed: before }, START);
    await paid(store, voucher(before, "1"));
    expect(await channelOf(store)).toMatchObject({ base: largest, charged: largest, claimed: before, signed: largest });
  });
}

function testChain(newDatabase: NewDatabase): void {
  test("a claim by any account lowers the risk, and the base never falls below it", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    await store.channels.open(IDENTITY, STATE, START);
    await paid(store, voucher("0"));
    expect(await store.channels.risks()).toEqual([
      {
        network: "eip155:84532",
        token: "0xtoken",
        channels: 1,
        withdrawing: 0,
        owed: "1000",
        deniable: "0",
        lost: "0",
        owedSince: START,
      },
    ]);
    await store.channels.sync(ID, { ...STATE, claimed: "400" }, START + 1);
    expect(await channelOf(store)).toMatchObject({ claimed: "400", charges: 0, charged: "1000" });
    await store.channels.sync(ID, { ...STATE, claimed: "300" }, START);
    expect((await channelOf(store)).claimed).toBe("400");
    clock.now += 5;
    await store.channels.sync(ID, { ...STATE, claimed: "1500" }, START + 2);
    expect(await channelOf(store)).toMatchObject({ base: "1500", charged: "1500", claimed: "1500", owedSince: 0 });
  });

  test("an older word of the chain counts for claims alone", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    const other = await opened.another();
    await store.channels.open(IDENTITY, STATE, START);
    await paid(store, voucher("0"));
    expect(await store.channels.work({ ...NEVER, charges: 1 }, 10)).toMatchObject([{ withdrawAt: 0 }]);
    const withdrawing = { ...STATE, balance: "9000", withdrawAt: Math.floor(START / 1000), claimed: "600" };
    await other.channels.sync(ID, withdrawing, START + 2);
    expect(await store.channels.done(ID, { ...STATE, claimed: "400" }, START + 1)).toBe(true);
    const seen = { ...withdrawing, standing: "withdrawing", syncedAt: START + 2 };
    expect(await channelOf(store)).toMatchObject({ ...seen, charged: "1000", owedSince: START });
    expect(await store.channels.work(NEVER, 10)).toHaveLength(1);
    await store.channels.done(ID, { ...STATE, claimed: "1000" }, START + 1);
    expect(await channelOf(store)).toMatchObject({ ...seen, claimed: "1000", charges: 0, owedSince: 0 });
  });

  test("a node that lags behind ends no withdrawal and no refund", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    await store.channels.open(IDENTITY, STATE, START);
    const withdrawing = { ...STATE, withdrawAt: Math.floor(START / 1000), refundNonce: "9" };
    await store.channels.sync(ID, withdrawing, START + 1);
    await store.channels.sync(ID, { ...STATE, refundNonce: "9" }, START + 2);
    await store.channels.open(IDENTITY, { ...STATE, refundNonce: "9" }, START + 3);
    await store.channels.sync(ID, { ...STATE, balance: "1" }, START + 4);
    expect(await channelOf(store)).toMatchObject({ standing: "withdrawing", ...withdrawing, balance: "10000" });
    await store.channels.sync(ID, { ...STATE, balance: "3000", refundNonce: "10" }, START);
    expect(await channelOf(store)).toMatchObject({
      standing: "open",
      withdrawAt: 0,
      balance: "3000",
      refundNonce: "10",
    });
    await store.channels.sync(ID, { ...withdrawing, refundNonce: "10" }, START + 5);
    const afterDelay = START + (IDENTITY.withdrawDelay + 1) * 1000;
    await store.channels.sync(ID, { ...STATE, balance: "0", refundNonce: "10" }, afterDelay);
    expect(await channelOf(store)).toMatchObject({ standing: "open", withdrawAt: 0, balance: "0" });
  });

  test("a withdrawal ends vouchers until the chain says that it is over", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    await store.channels.open(IDENTITY, STATE, START);
    await store.channels.sync(ID, { ...STATE, withdrawAt: 7 }, START + 1);
    expect(await channelOf(store)).toMatchObject({ standing: "withdrawing", withdrawAt: 7 });
    expect((await store.ledger.reserve(voucher("0"))).payment.reason).toBe(UNCOVERED);
    await store.channels.sync(ID, { ...STATE, balance: "0" }, START + 2);
    expect(await channelOf(store)).toMatchObject({ standing: "open", balance: "0", base: "0" });
  });

  test("a channel that never had money is removed, and no other", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    await store.channels.open(IDENTITY, { ...STATE, balance: "0" }, START);
    await store.channels.open({ ...IDENTITY, id: `0x${"c2".repeat(32)}` }, STATE, START);
    expect(await store.channels.forgetEmpty(clock.now, 10)).toBe(0);
    clock.now += 10;
    expect(await store.channels.forgetEmpty(clock.now, 10)).toBe(1);
    expect(await store.channels.list(undefined, 10)).toHaveLength(1);
  });
}

function testWork(newDatabase: NewDatabase): void {
  test("channels are due by their number, sum and age of charges, by old state, and by a withdrawal", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    await store.channels.open(IDENTITY, STATE, START);
    const due = async (terms: Partial<WorkTerms>): Promise<boolean> => {
      const leased = await store.channels.work({ ...NEVER, ...terms }, 10);
      for (const { id } of leased) await store.channels.done(id, undefined, 0);
      return leased.length > 0;
    };
    expect(await due({ charges: 0, owed: "0", owedBefore: START, syncedBefore: START + 1 })).toBe(false);
    await paid(store, voucher("0"));
    expect(await due({})).toBe(false);
    expect([await due({ charges: 1 }), await due({ charges: 2 })]).toEqual([true, false]);
    expect([await due({ owed: "1000" }), await due({ owed: "1001" })]).toEqual([true, false]);
    expect([await due({ owedBefore: START }), await due({ owedBefore: START - 1 })]).toEqual([true, false]);
    expect([await due({ syncedBefore: START + 1 }), await due({ syncedBefore: START })]).toEqual([true, false]);
    await store.channels.sync(ID, { ...STATE, withdrawAt: 1 }, clock.now);
    expect(await due({})).toBe(true);
  });

  test("after a clock was set back, the chain's words count, and channels are read again", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    clock.now += 86_400_000;
    await store.channels.open(IDENTITY, STATE, clock.now);
    await paid(store, voucher("0"));
    clock.now = START;
    expect(await store.channels.work(NEVER, 10)).toHaveLength(1);
    expect(await store.channels.done(ID, STATE, START)).toBe(true);
    expect(await channelOf(store)).toMatchObject({ syncedAt: START, owedSince: START });
    expect(await store.channels.work(NEVER, 10)).toEqual([]);
    const other = `0x${"c2".repeat(32)}`;
    await store.channels.open({ ...IDENTITY, id: other }, STATE, START + 86_400_000);
    await store.channels.sync(other, { ...STATE, withdrawAt: 7 }, START);
    expect(await channelOf(store, other)).toMatchObject({ standing: "withdrawing", syncedAt: START });
  });

  test("one process works on a channel, and another one after its lease", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    const other = await opened.another();
    await store.channels.open(IDENTITY, STATE, START);
    await paid(store, voucher("0"));
    const terms = { ...NEVER, charges: 1 };
    expect(await store.channels.work(terms, 10)).toMatchObject([{ id: ID, charged: "1000" }]);
    expect(await other.channels.work(terms, 10)).toEqual([]);
    expect(await other.channels.refund(ID)).toBeUndefined();
    clock.now += WORK_MS + 1;
    expect(await other.channels.work(terms, 10)).toHaveLength(1);
    const claimed = { ...STATE, claimed: "1000" };
    expect(await store.channels.done(ID, claimed, clock.now)).toBe(false);
    expect([await store.channels.done(ID, undefined, 0), await other.channels.done(ID, undefined, 0)]).toEqual([
      false,
      true,
    ]);
    expect(await other.channels.work(terms, 10)).toHaveLength(1);
    expect(await other.channels.done(ID, claimed, clock.now)).toBe(true);
    expect(await channelOf(store)).toMatchObject({ claimed: "1000", owedSince: 0, charges: 0 });
    expect(await store.channels.refund(ID)).toMatchObject({ id: ID });
  });

  test("a refund takes a free channel, and is continued after a crash", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    const other = await opened.another();
    await store.channels.open(IDENTITY, STATE, START);
    const { payment } = await store.ledger.reserve(voucher("0"));
    expect(await other.channels.refund(ID)).toBeUndefined();
    await store.ledger.move(payment, { state: "settled", lease: false });
    expect(await store.channels.refund(ID)).toMatchObject({ id: ID, charged: "1000" });
    expect(await other.channels.refund(ID)).toBeUndefined();
    expect((await store.ledger.reserve(voucher("1000"))).payment.reason).toBe(UNCOVERED);
    await store.channels.sync(ID, STATE, clock.now);
    expect((await channelOf(store)).standing).toBe("refunding");
    expect(await other.channels.work(NEVER, 10)).toEqual([]);
    clock.now += WORK_MS + 1;
    expect(await other.channels.work(NEVER, 10)).toMatchObject([{ id: ID, standing: "refunding" }]);
    await other.channels.done(ID, { ...STATE, balance: "1000", claimed: "1000", refundNonce: "1" }, clock.now);
    const ended = { standing: "open", balance: "1000", base: "1000", refundNonce: "1" };
    expect(await channelOf(store)).toMatchObject(ended);
  });

  test("a closing channel and charges that are demanded are due at once", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    await store.channels.open(IDENTITY, STATE, START);
    expect([await store.channels.demand(undefined), await store.channels.close("unknown")]).toEqual([0, false]);
    const { payment } = await store.ledger.reserve(voucher("0"));
    expect(await store.channels.close(ID)).toBe(false);
    await store.ledger.move(payment, { state: "settled", lease: false });
    expect([await store.channels.demand("unknown"), await store.channels.demand(ID)]).toEqual([0, 1]);
    expect(await store.channels.work({ ...NEVER, owedBefore: 1 }, 10)).toHaveLength(1);
    expect(await store.channels.close(ID)).toBe(false);
    await store.channels.done(ID, undefined, 0);
    expect(await store.channels.close(ID)).toBe(true);
    expect((await store.ledger.reserve(voucher("1000"))).payment.reason).toBe(UNCOVERED);
    await store.channels.sync(ID, STATE, clock.now);
    expect(await store.channels.work(NEVER, 10)).toMatchObject([{ id: ID, standing: "closing" }]);
    await store.channels.done(ID, { ...STATE, balance: "1000", claimed: "1000" }, clock.now);
    expect(await channelOf(store)).toMatchObject({ standing: "open", balance: "1000" });
  });

  test("charges that the chain refuses leave the risk, are shown, and come back when they are demanded or claimed", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    const identity = { ...IDENTITY, payerAuthorizer: NO_AUTHORIZER };
    await store.channels.open(identity, STATE, START);
    await paid(store, voucher("0"));
    expect(await store.channels.risks()).toMatchObject([{ channels: 1, owed: "1000", deniable: "1000", lost: "0" }]);
    expect(await store.channels.work({ ...NEVER, deniable: "1001" }, 10)).toEqual([]);
    expect(await store.channels.work({ ...NEVER, deniable: "1000" }, 10)).toHaveLength(1);
    expect(await store.channels.isBarred(IDENTITY.payer)).toBe(false);
    clock.now += 1;
    await store.channels.refuse(ID);
    clock.now += 1;
    await store.channels.refuse(ID);
    expect(await channelOf(store)).toMatchObject({ refusedAt: START + 1, owedSince: START });
    expect([await store.channels.isBarred(IDENTITY.payer), await store.channels.isBarred("0xother")]).toEqual([
      true,
      false,
    ]);
    expect(await store.channels.work(NEVER, 10)).toEqual([]);
    clock.now += WORK_MS + 1;
    expect(await store.channels.work(NEVER, 10)).toMatchObject([{ id: ID, refusedAt: START + 1 }]);
    expect(await store.channels.writeOff(ID)).toBe(true);
    expect(await store.channels.writeOff(ID)).toBe(false);
    expect(isLost(await channelOf(store))).toBe(true);
    const lost = { channels: 0, owed: "0", deniable: "0", lost: "1000", owedSince: 0 };
    expect(await store.channels.risks()).toMatchObject([lost]);
    await store.channels.sync(ID, STATE, clock.now);
    expect([await store.channels.demand(undefined), await store.channels.work(NEVER, 10)]).toEqual([0, []]);
    expect(await store.channels.demand(ID)).toBe(1);
    expect(await store.channels.risks()).toMatchObject([{ channels: 1, owed: "1000", lost: "0" }]);
    expect(await store.channels.work(NEVER, 10)).toHaveLength(1);
    await store.channels.writeOff(ID);
    await store.channels.sync(ID, { ...STATE, claimed: "1000" }, clock.now);
    expect(await channelOf(store)).toMatchObject({ refusedAt: 0, claimed: "1000" });
    expect([await store.channels.risks(), await store.channels.isBarred(IDENTITY.payer)]).toEqual([[], false]);
  });

  test("a voucher above a loss brings the whole sum back into the risk", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    await store.channels.open(IDENTITY, STATE, START);
    await paid(store, voucher("0"));
    await store.channels.work({ ...NEVER, charges: 1 }, 10);
    expect(await store.channels.writeOff(ID)).toBe(false);
    await store.channels.refuse(ID);
    expect(await store.channels.writeOff(ID)).toBe(true);
    expect(await store.channels.isBarred(IDENTITY.payer)).toBe(false);
    await paid(store, voucher("1000"));
    expect(await store.channels.risks()).toMatchObject([{ channels: 1, owed: "2000", lost: "0" }]);
  });

  test("channels are listed by their last use, in pages", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    const ids = ["01", "02", "03"].map((byte) => `0x${byte.repeat(32)}`);
    for (const id of ids) {
      clock.now += 1;
      // oxlint-disable-next-line no-await-in-loop -- their times are the order
      await store.channels.open({ ...IDENTITY, id }, STATE, START);
    }
    const page = await store.channels.list(undefined, 2);
    const rest = await store.channels.list(page[1], 2);
    expect([page, rest].map((rows) => rows.map(({ id }) => id))).toEqual([ids.slice(1).toReversed(), ids.slice(0, 1)]);
  });
}
