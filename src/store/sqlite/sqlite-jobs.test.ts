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

test("a file of another version is refused", () => {
  const path = join(folder, "older.sqlite");
  const file = new Database(path, { create: true });
  file.run("PRAGMA user_version = 6");
  file.close();
  expect(() => openSqliteJobs(path)).toThrow("its version is 6, this program knows 7");
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
