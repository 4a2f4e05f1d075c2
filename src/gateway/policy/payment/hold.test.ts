import { describe, expect, test } from "bun:test";
import { type Change, type Payment } from "../../../store/ledger.ts";
import { Hold } from "./hold.ts";
import { type Sale } from "./sale.ts";

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
  readonly hold: Hold;
  readonly moves: Change[];
  readonly ids: string[];
  readonly logged: string[];
  /** What the ledger answers: false where the hold is lost, an error where it fails. */
  readonly ledger: { answers: (boolean | Error)[] };
}

function openHold(payment: Partial<Payment> = {}, id?: string, url = ""): Books {
  const [moves, ids, logged]: [Change[], string[], string[]] = [[], [], []];
  const ledger: Books["ledger"] = { answers: [] };
  // No store fails at the moment that a test wants.
  const sale = {
    ledger: {
      async move(_payment: Payment, change: Change) {
        moves.push(change);
        const answer = ledger.answers.shift() ?? true;
        if (answer instanceof Error) throw answer;
        return answer;
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
  } as unknown as Sale;
  return { hold: new Hold(sale, { ...PAYMENT, ...payment }, id), moves, ids, logged, ledger };
}

test("a hold that is lost is logged once, and one that was given back is not", async () => {
  const { hold, ledger, logged } = openHold();
  expect(await hold.move({ state: "verified", hold: true })).toBe(true);
  ledger.answers = [false, false];
  expect(await hold.move({ state: "settling", hold: true })).toBe(false);
  expect(logged).toEqual(["payment: a hold on /goods was lost while it was verified"]);
  expect(await hold.move({ state: "settling", hold: true })).toBe(false);
  expect(logged).toHaveLength(1);
  const given = openHold();
  await given.hold.move({ state: "released", hold: false });
  given.ledger.answers = [false];
  expect(await given.hold.move({ state: "settled", hold: true })).toBe(false);
  expect(given.logged).toEqual([]);
});

describe("money that moved", () => {
  test("is booked with the record of it, and stands in the receipt", async () => {
    for (const url of ["", "http://books.test"]) {
      const { hold, moves } = openHold({}, undefined, url);
      expect(hold.paid).toBeUndefined();
      expect(await hold.book(SETTLED, "5")).toBe(true);
      expect(hold.paid).toEqual({
        network: "eip155:1",
        scheme: "exact",
        amount: "5",
        transaction: "0xtx",
        payer: "0xpayer",
      });
      expect(moves).toMatchObject([{ state: "settled", hold: true, transaction: "0xtx", payer: "0xpayer" }]);
      expect(moves[0]?.notice === undefined).toBe(url === "");
    }
  });

  test("by an earlier request is known from the ledger", () => {
    expect(openHold({ state: "settled", transaction: "0xold" }).hold.paid).toMatchObject({ transaction: "0xold" });
  });

  test("is told again, with its record, where the ledger failed; without it where that was written", async () => {
    const { hold, moves, ledger } = openHold({}, undefined, "http://books.test");
    ledger.answers = [new Error("busy")];
    expect(await hold.book(SETTLED, "5").catch(String)).toContain("busy");
    await hold.salvage(true);
    expect(moves[1]).toMatchObject({
      state: "settled",
      hold: false,
      transaction: "0xtx",
      notice: { url: "http://books.test" },
    });
    const written = openHold({}, undefined, "http://books.test");
    await written.hold.book(SETTLED, "5");
    await written.hold.salvage(true);
    expect(written.moves[1]).toEqual({ state: "settled", hold: false, transaction: "0xtx", payer: "0xpayer" });
  });
});

describe("where the ledger has failed", () => {
  test("what was not spent is released, and what may be is left as it is", async () => {
    const free = openHold();
    await free.hold.salvage(false);
    expect(free.moves).toEqual([{ state: "released", hold: false }]);
    const spent = openHold();
    await spent.hold.move({ state: "settling", hold: true });
    await spent.hold.salvage(true);
    expect(spent.moves[1]).toEqual({ state: "settling", hold: false });
  });

  test("that money moved may be all that it takes, and if it takes nothing the hold runs out", async () => {
    const { hold, moves, ledger } = openHold();
    await hold.book(SETTLED, "5");
    ledger.answers = [new Error("busy"), new Error("busy")];
    await hold.salvage(false);
    expect(moves.slice(1)).toEqual([
      { state: "settled", hold: false, transaction: "0xtx", payer: "0xpayer" },
      { state: "released", hold: false, transaction: "0xtx", payer: "0xpayer" },
    ]);
  });
});

describe("the client's own id", () => {
  const OF = { payer: "0xfrom", id: "mine" };

  test("is tied to the payment for a time, and is no other's", async () => {
    const { hold, ids } = openHold({}, "mine");
    expect(await hold.tieId()).toBe(true);
    expect(ids).toEqual([JSON.stringify(["tie", OF, "print", 1000 + 24 * 3600 * 1000])]);
    expect(await openHold({}, "taken").hold.tieId()).toBe(false);
    expect([await openHold().hold.tieId(), openHold().ids]).toEqual([true, []]);
  });

  test("is free again with the payment, if that was this one's to release and not paid", async () => {
    const untied = JSON.stringify(["untie", OF, "print"]);
    const free = openHold({}, "mine");
    await free.hold.release({ bodyDigest: "d" });
    expect([free.moves, free.ids]).toEqual([[{ state: "released", hold: false, bodyDigest: "d" }], [untied]]);
    const lost = openHold({}, "mine");
    lost.ledger.answers = [false];
    await lost.hold.release({});
    expect(lost.ids).toEqual([]);
    const paid = openHold({ state: "settled" }, "mine");
    await paid.hold.release({});
    expect([paid.moves, paid.ids]).toEqual([[{ state: "settled", hold: false }], []]);
    await openHold().hold.untieId();
  });
});
