import { describe, expect, test } from "bun:test";
import { type Change, type Payment } from "../../../store/ledger.ts";
import { Lease } from "./lease.ts";
import { type PaidRoute } from "./paid-route.ts";

/** As the ledger gives it out: what a hold reads of a payment. */
const PAYMENT = {
  state: "reserved",
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
  /** What the ledger answers: false where the lease is lost, an error where it fails. */
  readonly ledger: { responses: (boolean | Error)[] };
}

function openLease(payment: Partial<Payment> = {}, id?: string, url = ""): Books {
  const [moves, ids, logged]: [Change[], string[], string[]] = [[], [], []];
  const ledger: Books["ledger"] = { responses: [] };
  // No store fails at the moment that a test wants.
  const paidRoute = {
    ledger: {
      async move(_payment: Payment, change: Change) {
        moves.push(change);
        const response = ledger.responses.shift() ?? true;
        if (response instanceof Error) throw response;
        return response;
      },
    },
    paymentIds: {
      tie: async (of: object, fingerprint: string, until: number) => {
        ids.push(JSON.stringify(["tie", of, fingerprint, until]));
        return id === "taken" ? "another" : fingerprint;
      },
      untie: async (of: object, fingerprint: string) => void ids.push(JSON.stringify(["untie", of, fingerprint])),
    },
    target: { settlement_url: url, gateway_id: "g", testMode: true },
    clock: () => 1000,
    log: (text: string) => void logged.push(text),
    route: "/goods",
  } as unknown as PaidRoute;
  return { lease: new Lease(paidRoute, { ...PAYMENT, ...payment }, id), moves, ids, logged, ledger };
}

test("a hold that is lost is logged once, and one that was given back is not", async () => {
  const { lease, ledger, logged } = openLease();
  expect(await lease.move({ state: "verified", lease: true })).toBe(true);
  ledger.responses = [false, false];
  expect(await lease.move({ state: "settling", lease: true })).toBe(false);
  expect(logged).toEqual(["payment: a hold on /goods was lost while it was verified"]);
  expect(await lease.move({ state: "settling", lease: true })).toBe(false);
  expect(logged).toHaveLength(1);
  const given = openLease();
  await given.lease.move({ state: "released", lease: false });
  given.ledger.responses = [false];
  expect(await given.lease.move({ state: "settled", lease: true })).toBe(false);
  expect(given.logged).toEqual([]);
});

describe("money that moved", () => {
  test("is booked with the record of it, and stands in the receipt", async () => {
    for (const url of ["", "http://books.test"]) {
      const { lease, moves } = openLease({}, undefined, url);
      expect(lease.paid).toBeUndefined();
      expect(await lease.book(SETTLED, "5")).toBe(true);
      expect(lease.paid).toEqual({
        network: "eip155:1",
        scheme: "exact",
        amount: "5",
        transaction: "0xtx",
        payer: "0xpayer",
      });
      expect(moves).toMatchObject([{ state: "settled", lease: true, transaction: "0xtx", payer: "0xpayer" }]);
      expect(moves[0]?.notice === undefined).toBe(url === "");
    }
  });

  test("by an earlier request is known from the ledger", () => {
    expect(openLease({ state: "settled", transaction: "0xold" }).lease.paid).toMatchObject({ transaction: "0xold" });
  });

  test("is told again, with its record, where the ledger failed; without it where that was written", async () => {
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

describe("where the ledger has failed", () => {
  test("what was not spent is released, and what may be is left as it is", async () => {
    const free = openLease();
    await free.lease.salvage(false);
    expect(free.moves).toEqual([{ state: "released", lease: false }]);
    const spent = openLease();
    await spent.lease.move({ state: "settling", lease: true });
    await spent.lease.salvage(true);
    expect(spent.moves[1]).toEqual({ state: "settling", lease: false });
  });

  test("that money moved may be all that it takes, and if it takes nothing the hold runs out", async () => {
    const { lease, moves, ledger } = openLease();
    await lease.book(SETTLED, "5");
    ledger.responses = [new Error("busy"), new Error("busy")];
    await lease.salvage(false);
    expect(moves.slice(1)).toEqual([
      { state: "settled", lease: false, transaction: "0xtx", payer: "0xpayer" },
      { state: "released", lease: false, transaction: "0xtx", payer: "0xpayer" },
    ]);
  });
});

describe("the client's own id", () => {
  const OF = { payer: "0xfrom", id: "mine" };

  test("is tied to the payment for a time, and is no other's", async () => {
    const { lease, ids } = openLease({}, "mine");
    expect(await lease.tieId()).toBe(true);
    expect(ids).toEqual([JSON.stringify(["tie", OF, "print", 1000 + 24 * 3600 * 1000])]);
    expect(await openLease({}, "taken").lease.tieId()).toBe(false);
    expect([await openLease().lease.tieId(), openLease().ids]).toEqual([true, []]);
  });

  test("is free again with the payment, if that was this one's to release and not paid", async () => {
    const untied = JSON.stringify(["untie", OF, "print"]);
    const free = openLease({}, "mine");
    await free.lease.release({ bodyDigest: "d" });
    expect([free.moves, free.ids]).toEqual([[{ state: "released", lease: false, bodyDigest: "d" }], [untied]]);
    const lost = openLease({}, "mine");
    lost.ledger.responses = [false];
    await lost.lease.release({});
    expect(lost.ids).toEqual([]);
    const paid = openLease({ state: "settled" }, "mine");
    await paid.lease.release({});
    expect([paid.moves, paid.ids]).toEqual([[{ state: "settled", lease: false }], []]);
    await openLease().lease.untieId();
  });
});
