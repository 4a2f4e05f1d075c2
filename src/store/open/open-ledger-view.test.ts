import { afterAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SCHEMA_VERSION } from "../sqlite/migrations.ts";
import { backUpLedger, openLedgerView, readSqliteVersion } from "./open-ledger-view.ts";
import { openStore, openUsageStore } from "./open-store.ts";
import { descriptorsOf } from "../testing/descriptors.ts";
import { RESERVATION } from "../testing/reservation.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-view-"));
afterAll(() => rmSync(folder, { recursive: true }));

let versions = 0;

/** Creates a store with a schema of the given version, and returns its path. */
async function storeOf(version: number): Promise<string> {
  const path = join(folder, `version-${version}-${versions++}.db`);
  await openStore(path).close();
  const database = new Database(path);
  database.run(`PRAGMA user_version = ${version}`);
  database.close();
  return path;
}

test("sales are read while the store is in use, and nothing is changed", async () => {
  const path = join(folder, "sold.db");
  const store = openStore(path);
  const { payment } = await store.ledger.reserve(RESERVATION);
  await store.ledger.move(payment, { state: "settled", lease: false });
  await store.close();
  const before = readFileSync(path);
  chmodSync(path, 0o400);
  const opened = openLedgerView(path);
  expect(await opened.view.list({}, { limit: 5 })).toMatchObject([{ nonce: RESERVATION.nonce, state: "settled" }]);
  await opened.close();
  expect(descriptorsOf(path)).toBe(0);
  expect(readFileSync(path)).toEqual(before);
});

describe("a file is refused with the reason, and nothing stays open:", () => {
  const CASES: readonly [name: string, path: () => string | Promise<string>, why: string][] = [
    [
      "none",
      () => join(folder, "none.db"),
      "there is no such file; the gateway has accepted no payment yet, or its ledger is elsewhere: name it with --config, --state-dir or --store",
    ],
    ["one of a file's contents", () => join(import.meta.path, "x.db"), "ENOTDIR"],
    ["a newer one", () => storeOf(SCHEMA_VERSION + 1), "a newer version of Turnpike wrote it"],
    [
      "an older one",
      () => storeOf(SCHEMA_VERSION - 1),
      "an older version of Turnpike wrote it; start the gateway once",
    ],
    [
      "one whose log was not copied",
      async () => {
        const path = join(folder, "busy.db");
        const copy = join(folder, "copied.db");
        const store = openStore(path);
        copyFileSync(path, copy);
        await store.close();
        return copy;
      },
      "it has no payments; a copy also needs the file that ends in -wal, or use turnpike ledger backup",
    ],
    [
      "another one",
      () => {
        const path = join(folder, "other.db");
        writeFileSync(path, "not a database, but long enough to be taken for one".repeat(99));
        return path;
      },
      "it is not a ledger",
    ],
  ];
  test.each(CASES)("%s", async (_name, pathOf, why) => {
    const path = await pathOf();
    expect(() => openLedgerView(path)).toThrow(`Cannot read the ledger "${path}": ${why}`);
    expect(descriptorsOf(path)).toBe(0);
  });
});

test("a backup has everything that was written, also what is only in the log of an open store", async () => {
  const path = join(folder, "written.db");
  const copy = join(folder, "backup.db");
  const store = openStore(path);
  const { payment } = await store.ledger.reserve(RESERVATION);
  await store.ledger.move(payment, { state: "settled", lease: false });
  backUpLedger(path, copy);
  expect([statSync(copy).mode & 0o777, descriptorsOf(copy)]).toEqual([0o600, 0]);
  await store.close();
  const restored = openStore(copy);
  expect(await restored.view.list({}, { limit: 5 })).toMatchObject([{ nonce: RESERVATION.nonce, state: "settled" }]);
  await restored.close();
});

test("a backup replaces no file, and what cannot be written leaves none", async () => {
  const path = await storeOf(SCHEMA_VERSION);
  const copy = join(folder, "there.db");
  writeFileSync(copy, "precious");
  expect(() => backUpLedger(path, copy)).toThrow(`Cannot write the backup "${copy}": the file exists`);
  expect(readFileSync(copy, "utf8")).toBe("precious");
  expect(() => backUpLedger(path, join(folder, "nowhere", "b.db"))).toThrow("Cannot write the backup");
  expect(() => backUpLedger(join(folder, "none.db"), join(folder, "b.db"))).toThrow("there is no such file");
  expect(readdirSync(folder).filter((name) => name.startsWith("there.db") || name.startsWith("b.db"))).toEqual([
    "there.db",
  ]);
});

test("a store or usage that cannot be migrated leaves nothing open", async () => {
  const path = await storeOf(SCHEMA_VERSION + 1);
  expect(() => openStore(path)).toThrow("its schema is version");
  expect(() => openUsageStore(path)).toThrow("its schema is version");
  expect(descriptorsOf(path)).toBe(0);
});

test("a closed store and its closed usage leave nothing open", async () => {
  const path = join(folder, "closed.db");
  const store = openStore(path);
  const usage = openUsageStore(path);
  expect(descriptorsOf(path)).toBeGreaterThan(0);
  await store.close();
  await usage.close();
  expect(descriptorsOf(path)).toBe(0);
});

test("the version of a file is read without changing it, and is 0 if there is no file or only memory", async () => {
  const path = await storeOf(SCHEMA_VERSION - 1);
  const before = readFileSync(path);
  expect(readSqliteVersion(path)).toEqual({ found: SCHEMA_VERSION - 1, known: SCHEMA_VERSION });
  expect([readFileSync(path).equals(before), descriptorsOf(path)]).toEqual([true, 0]);
  const missing = join(folder, "missing.db");
  for (const none of [missing, ":memory:"]) {
    expect(readSqliteVersion(none)).toEqual({ found: 0, known: SCHEMA_VERSION });
  }
  expect([existsSync(missing), existsSync(":memory:")]).toEqual([false, false]);
});
