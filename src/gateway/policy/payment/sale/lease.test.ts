import { describe, expect, test } from "bun:test";
import { until } from "../../../../lib/testing/until.ts";
import { LateWrites } from "../../../../store/late-writes.ts";
import { type Change, type Payment } from "../../../../store/ledger.ts";
import { Lease } from "./lease.ts";
import { type PaidRoute } from "../route/paid-route.ts";

/** A payment as the ledger returns it, with the members that a lease reads. */
const PAYMENT = {
  state: "reserved",
  nonce: "0xnonce",
  network: "eip155:1",
  scheme: "exact",
  from: "0xfrom",
  fingerprint: "print",
} as Payment;
const SETTLED = { kind: "settled", transaction: "0xtx", payer: "0xpayer" } as const;

interface Books {
  readonly lease: Lease;
  readonly moves: Change[];
  readonly ids: string[];
  readonly logged: string[];
  readonly delivered: Payment[];
  /** The results of the ledger: false if the lease is lost, an error if the ledger fails. */
  readonly ledger: { responses: (boolean | Error)[] };
}

function openLease(payment: Partial<Payment> = {}, id?: string, url = ""): Books {
  const [moves, ids, logged]: [Change[], string[], string[]] = [[], [], []];
  const ledger: Books["ledger"] = { responses: [] };
  // Tests need failures at chosen moments, which a real store does not have.
  const delivered: Payment[] = [];
  const paidRoute = {
    lateWrites: new LateWrites(() => {}),
    ledger: {
      deliver: async (of: Payment) => delivered.push(of) > 0,
      async move(_payment: Payment, change: Change) {
        moves.push(change);
        const response = ledger.responses.shift() ?? true;
        if (response instanceof Error) throw response;
        return response;
      },
    },
    paymentIds: {
      tie: async (of: object, fingerprint: string, end: number) => {
        ids.push(JSON.stringify(["tie", of, fingerprint, end]));
        return id === "taken" ? "another" : fingerprint;
      },
      untie: async (of: object, fingerprint: string) => {
        ids.push(JSON.stringify(["untie", of, fingerprint]));
        if (id === "stuck") throw new Error("busy");
      },
    },
    target: { settlement_url: url, gateway_id: "g", testMode: true },
    clock: () => 1000,
    log: (text: string) => void logged.push(text),
    route: "/goods",
  } as unknown as PaidRoute;
  return { lease: new Lease(paidRoute, { ...PAYMENT, ...payment }, id), moves, ids, logged, ledger, delivered };
}

test("a lost lease is logged once, and a released one is not logged", async () => {
  const { lease, ledger, logged } = openLease();
  expect(await lease.move({ state: "verified", lease: true })).toBe(true);
  ledger.responses = [false, false];
  expect(await lease.move({ state: "settling", lease: true })).toBe(false);
  expect(logged).toEqual(["payment: a lease on /goods was lost while it was verified"]);
  expect(await lease.move({ state: "settling", lease: true })).toBe(false);
  expect(logged).toHaveLength(1);
  const given = openLease();
  await given.lease.move({ state: "released", lease: false });
  given.ledger.responses = [false];
  expect(await given.lease.move({ state: "settled", lease: true })).toBe(false);
  expect(given.logged).toEqual([]);
});

describe("a settled payment", () => {
  test("is recorded with its settlement record, and is in the receipt", async () => {
    for (const url of ["", "http://books.test"]) {
      const { lease, moves } = openLease({}, undefined, url);
      expect(lease.paid).toBeUndefined();
      expect(await lease.book(SETTLED, "5")).toBe(true);
      expect(lease.paid).toEqual({
        network: "eip155:1",
        scheme: "exact",
        nonce: "0xnonce",
        amount: "5",
        transaction: "0xtx",
        payer: "0xpayer",
      });
      expect(moves).toMatchObject([{ state: "settled", lease: true, transaction: "0xtx", payer: "0xpayer" }]);
      expect(moves[0]?.notice === undefined).toBe(url === "");
    }
  });

  test("of an earlier request is known from the ledger", () => {
    expect(openLease({ state: "settled", transaction: "0xold" }).lease.paid).toMatchObject({ transaction: "0xold" });
  });

  test("is recorded again, with its record, if the ledger failed; without it if it was recorded", async () => {
    const { lease, moves, ledger } = openLease({}, undefined, "http://books.test");
    ledger.responses = [new Error("busy")];
    expect(await lease.book(SETTLED, "5").catch(String)).toContain("busy");
    await lease.salvage(true);
    expect(moves[1]).toMatchObject({
      state: "settled",
      lease: false,
      transaction: "0xtx",
      notice: { url: "http://books.test" },
    });
    const written = openLease({}, undefined, "http://books.test");
    await written.lease.book(SETTLED, "5");
    await written.lease.salvage(true);
    expect(written.moves[1]).toEqual({ state: "settled", lease: false, transaction: "0xtx", payer: "0xpayer" });
  });
});

describe("after the ledger has failed", () => {
  test("an unspent payment is released, and one that can be spent keeps its state", async () => {
    const free = openLease();
    await free.lease.salvage(false);
    expect(free.moves).toEqual([{ state: "released", lease: false }]);
    const spent = openLease();
    await spent.lease.move({ state: "settling", lease: true });
    await spent.lease.salvage(true);
    expect(spent.moves[1]).toEqual({ state: "settling", lease: false });
  });

  test("the state is written again until the ledger takes it, also a refusal of the settlement", async () => {
    const { lease, moves, ledger } = openLease();
    await lease.book(SETTLED, "5");
    ledger.responses = [new Error("busy"), new Error("busy")];
    await lease.salvage(false);
    await until(() => moves.length === 4);
    const settled = { state: "settled", lease: false, transaction: "0xtx", payer: "0xpayer" } as const;
    expect(moves.slice(1)).toEqual([settled, settled, settled]);
    const failed = { state: "failed", lease: false, reason: "payment_refused" } as const;
    const refused = openLease();
    refused.ledger.responses = [new Error("busy"), new Error("busy")];
    expect(await refused.lease.move(failed).catch(String)).toContain("busy");
    await refused.lease.salvage(true);
    await until(() => refused.moves.length === 3);
    expect(refused.moves).toEqual([failed, failed, failed]);
  });

  test("a delivery is recorded without the lease if it is lost, and an interrupted response is not", async () => {
    const { lease, moves, ledger, delivered } = openLease({ state: "settled" });
    ledger.responses = [false, new Error("busy"), false];
    await lease.record({ state: "settled", lease: false, delivered: false });
    expect([moves.length, delivered]).toEqual([1, []]);
    await lease.record({ state: "settled", lease: false, delivered: true });
    await until(() => delivered.length === 1);
    expect(moves).toHaveLength(3);
  });
});

describe("the client's own id", () => {
  const OF = { payer: "0xfrom", id: "mine" };

  test("is bound to the payment for a time, and to no other", async () => {
    const { lease, ids } = openLease({}, "mine");
    expect(await lease.tieId("0xpayer")).toBe(true);
    expect(ids).toEqual([JSON.stringify(["tie", OF, "print", 1000 + 24 * 3600 * 1000])]);
    expect(await openLease({}, "taken").lease.tieId("0xpayer")).toBe(false);
    expect([await openLease().lease.tieId("0xpayer"), openLease().ids]).toEqual([true, []]);
  });

  test("is freed with the payment, if this request may release it and it is not paid", async () => {
    const untied = JSON.stringify(["untie", OF, "print"]);
    const free = openLease({}, "mine");
    await free.lease.release({ bodyDigest: "d" }, { reason: "gone" });
    const released: Change = { state: "released", lease: false, bodyDigest: "d", reason: "gone" };
    expect([free.moves, free.ids]).toEqual([[released], [untied]]);
    const lost = openLease({}, "mine");
    lost.ledger.responses = [false];
    await lost.lease.release({});
    expect(lost.ids).toEqual([]);
    const paid = openLease({ state: "settled" }, "mine");
    await paid.lease.release({}, { reason: "upstream" });
    expect([paid.moves, paid.ids]).toEqual([[{ state: "settled", lease: false }], []]);
    await openLease().lease.untieId();
  });

  test("that cannot be freed is a failure of the ledger", async () => {
    for (const free of [(lease: Lease) => lease.untieId(), (lease: Lease) => lease.release({})])
      expect(await free(openLease({}, "stuck").lease).then(() => "", String)).toContain("busy");
  });
});
