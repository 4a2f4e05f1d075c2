import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "./migrations.ts";
import { WriteTurns } from "./write-turns.ts";
import { connectionsOf } from "../open/open-store.ts";
import { SqliteLedger } from "./sqlite-ledger.ts";
import { RESERVATION as PAYMENT } from "../testing/reservation.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-flushes-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A file that counts its transactions, and those that wait for the disk. */
function counted(database: Database, count: { transactions: number; flushes: number }): Database {
  let isFull = true;
  return new Proxy(database, {
    get(target, name) {
      if (name === "transaction") {
        return (work: () => unknown) => {
          count.transactions++;
          if (isFull) count.flushes++;
          return target.transaction(work);
        };
      }
      if (name === "run") {
        return (sql: string) => {
          const level = /^PRAGMA synchronous = (\w+)$/.exec(sql)?.[1];
          if (level !== undefined) isFull = level === "FULL";
          return target.run(sql);
        };
      }
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

function openLedger(name: string) {
  const database = new Database(join(folder, name), { create: true, strict: true });
  database.run("PRAGMA journal_mode = WAL");
  migrate(database);
  const count = { transactions: 0, flushes: 0 };
  const turns = new WriteTurns(0);
  const files = connectionsOf(counted(database, count), turns);
  return { ledger: new SqliteLedger(files, Date.now, Date.now, turns), count, database };
}

test("only states that transfer money are flushed to the disk", async () => {
  const { ledger, count, database } = openLedger("ledger.db");
  const flushes: Record<string, number> = {};
  for (const state of ["verified", "settling", "settled", "failed", "unknown", "released"] as const) {
    const { payment } = await ledger.reserve({ ...PAYMENT, nonce: state });
    if (state === "released") await ledger.move(payment, { state: "verified", lease: true });
    count.flushes = 0;
    await ledger.move(payment, { state, lease: false });
    flushes[state] = count.flushes;
  }
  expect(flushes).toEqual({ verified: 0, settling: 1, settled: 1, failed: 1, unknown: 1, released: 0 });
  count.flushes = 0;
  const { payment } = await ledger.reserve({ ...PAYMENT, nonce: "delivered" });
  await ledger.move(payment, { state: "settled", lease: false, delivered: true });
  // A delivery transfers no money. At worst the response is sent again.
  expect(count.flushes).toBe(0);
  const { payment: metered } = await ledger.reserve({ ...PAYMENT, nonce: "metered" });
  await ledger.move(metered, { state: "settled", lease: false, delivered: true, amount: "1" });
  expect(count.flushes).toBe(1);
  await ledger.close();
  database.close();
});

test("a settlement, a delivery and new payments of one turn are one transaction", async () => {
  const { ledger, count, database } = openLedger("group.db");
  const [paid, sold] = await Promise.all(["paid", "sold"].map((nonce) => ledger.reserve({ ...PAYMENT, nonce })));
  if (paid === undefined || sold === undefined) throw new Error("two payments");
  await ledger.move(sold.payment, { state: "settled", lease: true });
  count.transactions = count.flushes = 0;
  const made = await Promise.all([
    ledger.move(paid.payment, { state: "settled", lease: true }),
    ledger.move(sold.payment, { state: "settled", lease: false, delivered: true }),
    ledger.reserve({ ...PAYMENT, nonce: "new" }),
    ledger.reserve({ ...PAYMENT, nonce: "paid" }),
  ]);
  expect(made).toMatchObject([true, true, { leased: true }, { leased: false, payment: { state: "settled" } }]);
  expect(count).toEqual({ transactions: 1, flushes: 1 });
  await ledger.close();
  database.close();
});
