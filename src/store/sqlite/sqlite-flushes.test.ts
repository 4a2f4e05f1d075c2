import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LedgerView } from "../ledger-view.ts";
import { CHANNEL_SCHEME, channelNonce } from "../channels.ts";
import { migrate } from "./migrations.ts";
import { WriteTurns } from "./write-turns.ts";
import { connectionsOf, openStore } from "../open/open-store.ts";
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
  const files = connectionsOf(counted(database, count), { turns });
  return { ledger: new SqliteLedger(files, turns), count, database };
}

test("only states that transfer money are flushed to the disk", async () => {
  const { ledger, count, database } = openLedger("ledger.db");
  const flushes: Record<string, number> = {};
  for (const state of ["verified", "settling", "settled", "failed", "unknown", "released"] as const) {
    count.flushes = 0;
    const { payment } = await ledger.reserve({ ...PAYMENT, nonce: state });
    expect(count.flushes).toBe(0);
    if (state === "released") await ledger.move(payment, { state: "verified", lease: true });
    count.flushes = 0;
    await ledger.move(payment, { state, lease: false });
    flushes[state] = count.flushes;
  }
  expect(await ledger.deliver({ ...PAYMENT, nonce: "settled" })).toBe(true);
  expect(count.flushes).toBe(0);
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

test.each<[what: string, look: (view: LedgerView) => Promise<unknown>, seen: object]>([
  ["list of payments", (view) => view.list({}, { limit: 1 }), [{ state: "settled" }]],
  ["sum of sales", (view) => view.totals("route", {}), [{ payments: 1 }]],
  ["count of states", (view) => view.standing(), { owed: 1 }],
])("a %s has what its process is about to write", async (what, look, seen) => {
  const store = openStore(join(folder, `${what}.db`));
  const { payment } = await store.ledger.reserve(PAYMENT);
  const made = store.ledger.move(payment, { state: "settled", lease: false });
  expect(await look(store.view)).toMatchObject(seen);
  expect(await made).toBe(true);
  await store.close();
});

test("a look for payments, refunds and notices that are due waits for no other writer of the file, if nothing is due", async () => {
  const store = openStore(join(folder, "due.db"));
  const other = new Database(join(folder, "due.db"));
  other.run("BEGIN IMMEDIATE");
  for (const part of ["refunds", "outbox"] as const) expect(await store[part].claim(8)).toEqual([]);
  expect(await store.ledger.claimDue(8)).toEqual([]);
  other.close();
  await store.close();
});

const CHANNEL = {
  network: PAYMENT.network,
  payer: PAYMENT.from,
  payerAuthorizer: "0xauthorizer",
  receiver: "0xreceiver",
  receiverAuthorizer: "0xseller",
  token: PAYMENT.token,
  withdrawDelay: 900,
  salt: "0xsalt",
};
const STATE = { balance: "900000", claimed: "0", withdrawAt: 0, refundNonce: "0" };

/** Bytes that this process has written to files. */
function writtenBytes(): number {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "latin1"))?.[1]);
}

test("the payments of a turn write only the log of the file, and totals sort on the disk without an effect on that", async () => {
  const path = join(folder, "log.db");
  const store = openStore(path);
  const logBytes = () => statSync(`${path}-wal`).size;
  const ids = Array.from({ length: 64 }, (_, i) => `0x${String(i).padStart(64, "0")}`);
  for (const id of ids) await store.channels.open({ ...CHANNEL, id }, STATE, 1);
  const write = async (round: number) => {
    const [before, log] = [writtenBytes(), logBytes()];
    const base = String(round * 10_000);
    const claims = await Promise.all(
      ids.map((id) => store.ledger.reserve({ ...PAYMENT, scheme: CHANNEL_SCHEME, nonce: channelNonce(id, base) })),
    );
    const made = claims.map(({ payment }) => store.ledger.move(payment, { state: "settled", lease: true }));
    expect(new Set(await Promise.all(made))).toEqual(new Set([true]));
    return (writtenBytes() - before) / (logBytes() - log);
  };
  await write(0);
  expect(await write(1)).toBeLessThan(1.5);
  expect(await store.view.totals("route", {})).toMatchObject([{ payments: 128 }]);
  expect(await write(2)).toBeLessThan(1.5);
  await store.close();
});
