import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { codeOf } from "../../lib/caught.ts";
import { openSqliteJobs } from "../open/open-jobs.ts";
import { descriptorsOf } from "../testing/descriptors.ts";
import { newJob, testJobs } from "../testing/jobs-contract.ts";
import { testSessions } from "../testing/sessions-contract.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-jobs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

for (const contract of [testJobs, testSessions]) {
  contract("SQLite", async () => {
    const path = join(folder, `${crypto.randomUUID()}.sqlite`);
    return async (now) => openSqliteJobs(path, now);
  });
}

/** The frontier of versions 1 to 6. */
const FIRST_FRONTIER = `
  CREATE TABLE addresses (
    job INTEGER NOT NULL, key INTEGER NOT NULL, host INTEGER NOT NULL, due INTEGER, task INTEGER NOT NULL,
    depth INTEGER NOT NULL, tries INTEGER NOT NULL DEFAULT 0, url TEXT NOT NULL, PRIMARY KEY (job, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX addresses_due ON addresses (job, host, due) WHERE due IS NOT NULL;
  CREATE TABLE lanes (
    job INTEGER NOT NULL, host INTEGER NOT NULL, open INTEGER NOT NULL, next_at INTEGER NOT NULL,
    PRIMARY KEY (job, host)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX lanes_due ON lanes (job, next_at) WHERE open > 0`;

/** The tables of version 1. */
const FIRST_TABLES = `
  CREATE TABLE jobs (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, secret_hash TEXT NOT NULL, payer TEXT NOT NULL,
    orders TEXT NOT NULL, page_limit INTEGER NOT NULL, max_known INTEGER NOT NULL, ends_at INTEGER NOT NULL,
    kept_ms INTEGER NOT NULL, page_price TEXT NOT NULL, quote TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'running', reason TEXT NOT NULL DEFAULT '', known INTEGER NOT NULL DEFAULT 0,
    open INTEGER NOT NULL DEFAULT 0, delivered INTEGER NOT NULL DEFAULT 0, paid_through INTEGER NOT NULL DEFAULT 0,
    results INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL DEFAULT 0, swept INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX jobs_running ON jobs (number) WHERE state = 'running';
  CREATE INDEX jobs_unswept ON jobs (number) WHERE state <> 'running' AND swept = 0;
  ${FIRST_FRONTIER};
  CREATE TABLE hosts (
    host INTEGER PRIMARY KEY, next_at INTEGER NOT NULL, pace INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE kinds (
    job INTEGER NOT NULL, kind TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (job, kind)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE results (
    job INTEGER NOT NULL, number INTEGER NOT NULL, delivered INTEGER NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (job, number)
  ) STRICT`;

test("a file of the first version keeps its jobs with their results, which are paid, and their frontiers, and takes new ones; one of the third keeps its jobs", async () => {
  const path = join(folder, "first.sqlite");
  const file = new Database(path, { create: true });
  file.run(`${FIRST_TABLES};
    INSERT INTO jobs (id, secret_hash, payer, orders, page_limit, max_known, ends_at, kept_ms, page_price, quote, delivered, results, created_at)
      VALUES ('old', 'hash', 'payer', '{"urls":["https://a.example/"]}', 9, 99, 2000, 1000, '', '', 2, 4, 1000);
    INSERT INTO addresses VALUES (1, 11, 5, NULL, 0, 0, 1, 'https://a.example/'), (1, 12, 5, 1, 0, 1, 0, 'https://a.example/waits'),
      (1, 13, 5, 1700, 0, 1, 1, 'https://a.example/leased'), (1, 14, 0, NULL, -1, 0, 0, '11');
    INSERT INTO lanes VALUES (1, 5, 2, 1500), (1, 6, 0, 1500);
    INSERT INTO hosts VALUES (5, 1500, 0);
    INSERT INTO results VALUES (1, 1, 1, x'01'), (1, 2, 0, x'02'), (1, 3, 1, x'03'), (1, 4, 0, x'04');
    PRAGMA user_version = 1`);
  file.close();
  let now = 1500;
  const store = openSqliteJobs(path, () => now);
  const job = await store.find("old");
  if (job === undefined) throw new Error("the job is gone");
  expect(job).toMatchObject({ sale: "", payment: "none", limit: 9, delivered: 2, results: 4 });
  expect(JSON.parse(job.order)).toEqual({ operation: "crawl", input: { urls: ["https://a.example/"] } });
  const results = await store.results(job, 0, 10);
  expect(results.map(({ number, pages, body }) => [number, pages, body[0]])).toEqual([
    [1, 1, 1],
    [2, 1, 2],
    [3, 2, 3],
    [4, 2, 4],
  ]);
  const share = { hosts: 9, addresses: 9, delayMs: 0 };
  expect(await store.take(job, share)).toMatchObject([
    { url: "https://a.example/waits", key: "12", host: "5", tries: 1 },
  ]);
  now = 1700;
  expect(await store.take(job, share)).toMatchObject([{ url: "https://a.example/leased", depth: 1, tries: 2 }]);
  expect(await store.create({ ...job, id: "new" }, [])).toBe(true);
  await store.close();
  const third = new Database(path);
  const added = ["jobs DROP COLUMN tx", "jobs DROP COLUMN saved", "results DROP COLUMN saved"];
  third.run(
    `${["known", "queue", "leases", "lanes", "sessions"].map((table) => `DROP TABLE ${table}`).join("; ")}; ${FIRST_FRONTIER}; ${added.map((column) => `ALTER TABLE ${column}`).join("; ")}; PRAGMA user_version = 3`,
  );
  third.close();
  const newest = openSqliteJobs(path);
  expect(await newest.find("new")).toMatchObject({ limit: 9, transaction: "", saved: 0 });
  await newest.close();
});

test("a job that has ended is removed in parts: first its frontier, and its results when they expire", async () => {
  const path = join(folder, "long.sqlite");
  const clock = { now: 1_800_000_000_000 };
  const store = openSqliteJobs(path, () => clock.now);
  const job = newJob({ maxKnown: 20_000, keptMs: 60_000 });
  const urls = Array.from({ length: 10_001 }, (_, at) => ({ url: `https://a.example/${at}`, task: 0, depth: 0 }));
  await store.create(job, urls);
  await store.end(job.id, "cancelled", "");
  const file = new Database(path);
  file.run(`WITH RECURSIVE up(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up WHERE n < 10001)
    INSERT INTO results (job, number, pages, body) SELECT 1, n, n, x'00' FROM up`);
  const rowsAfterSweeps = async (sweeps: number, ...tables: readonly string[]): Promise<unknown[]> => {
    const rows: unknown[] = [];
    for (let sweep = 0; sweep < sweeps; sweep += 1) {
      expect(await store.sweep()).toEqual([]);
      rows.push(tables.map((table) => file.query(`SELECT count(*) FROM ${table}`).values()[0]?.[0]));
    }
    return rows;
  };
  expect(await rowsAfterSweeps(3, "queue", "known", "lanes", "results")).toEqual([
    [1, 10_001, 1, 10_001],
    [0, 1, 1, 10_001],
    [0, 0, 0, 10_001],
  ]);
  clock.now += 60_000;
  expect(await rowsAfterSweeps(2, "results", "jobs")).toEqual([
    [1, 1],
    [0, 0],
  ]);
  file.close();
  await store.close();
  expect(descriptorsOf(path)).toBe(0);
});

test("a sweep removes the frontiers of two jobs, and then two jobs", async () => {
  const path = join(folder, "many.sqlite");
  const clock = { now: 1_800_000_000_000 };
  const store = openSqliteJobs(path, () => clock.now);
  const jobs = Array.from({ length: 3 }, () => newJob({ keptMs: 60_000 }));
  for (const job of jobs) {
    await store.create(job, []);
    await store.end(job.id, "cancelled", "");
  }
  const file = new Database(path, { readonly: true });
  const left = (which: string): unknown => file.query(`SELECT count(*) FROM jobs WHERE ${which}`).values()[0]?.[0];
  await store.sweep();
  expect(left("swept = 0")).toBe(1);
  await store.sweep();
  clock.now += 60_000;
  await store.sweep();
  expect([left("swept = 0"), left("true")]).toEqual([0, 1]);
  file.close();
  await store.close();
});

test("a file that has all the bytes that it may have is full, and other errors do not say so", async () => {
  const store = openSqliteJobs(join(folder, "full.sqlite"), Date.now, 200_000);
  const urls = Array.from({ length: 5_000 }, (_, at) => ({ url: `https://a.example/${at}`, task: 0, depth: 0 }));
  const error: unknown = await store.create(newJob(), urls).catch((reason: unknown) => reason);
  expect([codeOf(error), store.isFull(error)]).toEqual(["SQLITE_FULL", true]);
  expect(store.isFull(new Error("another"))).toBe(false);
  // Space was left in the file, but not in its folder.
  const unopened = Object.assign(new Error("no space for the shared file"), { code: "SQLITE_CANTOPEN" });
  expect(store.isFull(unopened)).toBe(false);
  await store.close();
});
