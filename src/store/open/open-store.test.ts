import { afterAll, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, openUsageStore } from "./open-store.ts";
import { openSqlite } from "../sqlite/open-sqlite.ts";
import { RESERVATION as PAYMENT } from "../testing/reservation.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-open-store-"));

afterAll(() => rmSync(folder, { recursive: true }));

test("only the owner can read the file, and it opens again with the same content", async () => {
  const path = join(folder, "own.db");
  const first = openStore(path);
  const { payment } = await first.ledger.reserve(PAYMENT);
  await first.ledger.move(payment, { state: "unknown", lease: false, reason: "timeout" });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(`${path}-wal`).mode & 0o777).toBe(0o600);
  await first.close();
  // A copy of the file may have come with another mode.
  chmodSync(path, 0o644);
  const second = openStore(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await second.ledger.find(PAYMENT)).toMatchObject({ state: "unknown", reason: "timeout" });
  await second.close();
});

test("the error for a file that cannot be created names the file and the cause", () => {
  const path = join(import.meta.path, "state.db");
  expect(() => openStore(path)).toThrow(`Cannot open the ledger "${path}": ENOTDIR`);
});

test("the error for a file in a folder that does not exist says so", () => {
  const path = join(folder, "absent", "state.db");
  expect(() => openStore(path)).toThrow(`Cannot open the ledger "${path}": its folder does not exist; create it first`);
});

test("a file of a newer version is refused, and not changed", () => {
  const path = join(folder, "newer.db");
  const newer = new Database(path);
  newer.run("PRAGMA user_version = 99");
  newer.close();
  expect(() => openStore(path)).toThrow("its schema is version 99, this program knows");
});

test("a ledger of the first version keeps its payments, with their asset as the token", async () => {
  const path = join(folder, "old.db");
  const current = openStore(path);
  await current.close();
  const old = new Database(path);
  // The schema of the first release, without later additions.
  const later = old
    .query<{ type: string; name: string }, []>(
      `SELECT type, name FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT IN
         ('payments', 'bookings', 'payments_held', 'payments_unspent', 'bookings_by_age')`,
    )
    .all()
    .toSorted((a, b) => Number(a.type === "table") - Number(b.type === "table"));
  for (const { type, name } of later) old.run(`DROP ${type} IF EXISTS ${name}`);
  for (const column of [
    "cuts",
    "token",
    "scheme",
    "payload",
    "body_digest",
    "partials",
    "consumer",
    "counted",
    "repeats",
    "facilitator",
    "refunded",
    "deferral",
    "due_at",
  ])
    old.run(`ALTER TABLE payments DROP COLUMN ${column}`);
  old.run("PRAGMA user_version = 1");
  old.run(
    `INSERT INTO payments (network, asset, payer_from, nonce, state, attempt, owner, held_until, amount, pay_to, route,
       fingerprint, valid_before, created_at, updated_at)
     VALUES ('eip155:84532', '0xasset', '0xfrom', '0xnonce', 'settled', 1, 'o', 0, '5', '0xto', '/read', 'print', 1, 1, 1)`,
  );
  old.close();
  const store = openStore(path);
  expect(await store.ledger.find(PAYMENT)).toMatchObject({
    state: "settled",
    token: "0xasset",
    scheme: "exact",
    amount: "5",
    payload: "",
    bodyDigest: "",
    facilitator: "",
    consumer: "",
    repeats: 0,
    refunded: "0",
  });
  expect(await store.ledger.repeat(PAYMENT, 1)).toBe(true);
  const sold = {
    day: "1970-01-01",
    route: "/read",
    network: "eip155:84532",
    token: "0xasset",
    payments: 1,
    amount: "5",
  };
  expect(await store.view.sold(0)).toEqual([sold]);
  // Payments that were settled before the usage tables existed are not counted.
  expect(await store.usage.read("gateway")).toMatchObject({ routes: [], paid: [] });
  await store.close();
});

test.each([
  ["FULL", 2],
  ["NORMAL", 1],
] as const)(
  "a connection waits for the disk as configured (%s), and waits for other processes' writes",
  (synchronous, level) => {
    const database = openSqlite(join(folder, "connection.db"), { synchronous, busyMs: 1234, what: "the ledger" });
    expect([
      database.query("PRAGMA synchronous").get(),
      database.query("PRAGMA journal_mode").get(),
      database.query("PRAGMA busy_timeout").get(),
    ]).toEqual([{ synchronous: level }, { journal_mode: "wal" }, { timeout: 1234 }]);
    database.close();
  },
);

test("SQL for a new file runs before its first table", () => {
  const settings = {
    synchronous: "FULL",
    busyMs: 0,
    what: "the file",
    first: "PRAGMA auto_vacuum = INCREMENTAL",
  } as const;
  const database = openSqlite(join(folder, "first.db"), settings, (file) => file.run("CREATE TABLE one (n INTEGER)"));
  expect(database.query("PRAGMA auto_vacuum").get()).toEqual({ auto_vacuum: 2 });
  database.close();
});

test.each([
  ["store", openStore],
  ["usage", openUsageStore],
] as const)("a file of the %s that others could read is made private", async (name, open) => {
  const path = join(folder, `${name}-shared.db`);
  writeFileSync(path, "", { mode: 0o644 });
  const opened = open(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await opened.close();
});

test("a store in memory creates no file, and is one database", async () => {
  const store = openStore(":memory:");
  const { payment } = await store.ledger.reserve(PAYMENT);
  expect(await store.ledger.move(payment, { state: "settled", lease: false })).toBe(true);
  const usage = openUsageStore(":memory:");
  await usage.add({ gateway: "g", sequence: 1, routes: [], upstreams: [], funnel: [] });
  expect(await usage.read("g")).toMatchObject({ sequence: 1 });
  expect(existsSync(":memory:")).toBe(false);
  await usage.close();
  await store.close();
});
