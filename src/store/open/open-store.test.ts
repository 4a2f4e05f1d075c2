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

test("the error for a file that is not a ledger names the file and the cause", () => {
  const path = join(folder, "text.db");
  writeFileSync(path, "not a database, but long enough to be taken for one".repeat(99));
  expect(() => openStore(path)).toThrow(`Cannot open the ledger "${path}": file is not a database`);
});

test.each([99, 16])("a file of a newer version, or of one before the first, is refused, and not changed", (version) => {
  const path = join(folder, `version-${version}.db`);
  const other = new Database(path);
  other.run(`PRAGMA user_version = ${version}`);
  other.close();
  expect(() => openStore(path)).toThrow(`its schema is version ${version}, this program knows 17`);
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
