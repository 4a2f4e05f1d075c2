import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { smallDisk } from "../../lib/testing/small-disk.ts";
import { until } from "../../lib/testing/until.ts";
import { openSqliteJobs } from "../../store/open/open-jobs.ts";
import { localJobs, localService, type MakePage, pageAt } from "./testing/local-jobs.ts";

/** A chain of pages: random text of 40,000 characters, so that it cannot be compressed to much less. */
const page: MakePage = (path) => ({
  content: Buffer.from(crypto.getRandomValues(new Uint8Array(30_000))).toString("base64"),
  links: [`${path}x`],
});

test("a job ends when its results exceed their bytes, with the result that exceeds them", async () => {
  await using at = localJobs(page, { maxJobBytes: 100_000 });
  const { id } = await at.add("/a", { concurrency: 1 });
  const job = await at.ended(id);
  expect(job).toMatchObject({ state: "completed", reason: "bytes", delivered: 4 });
  expect(job.bytes).toBeGreaterThanOrEqual(100_000);
  expect(await at.jobs.results(job, 0, 10)).toHaveLength(4);
});

test("a job ends with its run time, and its results stay for theirs", async () => {
  await using at = localJobs(page, { maxRunMs: 0, keptMs: 5_000 });
  const { id } = await at.add("/a", { delay: 60 });
  await until(async () => {
    await at.store.sweep();
    return (await at.store.find(id))?.state !== "running";
  });
  const job = await at.ended(id);
  expect(job).toMatchObject({ state: "failed", reason: "time", keptMs: 5_000 });
});

test("jobs wait while their store is full, say so, and lose no page", async () => {
  await using at = localJobs(page, { maxBytes: 600_000 });
  const first = await at.ended((await at.add("/a", { limit: 10 })).id);
  expect(first).toMatchObject({ state: "completed", delivered: 10 });
  expect(at.jobs.isFull).toBe(false);
  const { id } = await at.add("/b", { limit: 10 });
  await until(() => at.jobs.isFull);
  expect(at.said).toEqual(["Jobs wait, because their store is full"]);
  expect((await at.store.find(id))?.state).toBe("running");
  // Room comes from results that expire.
  using database = new Database(at.path);
  database.run("PRAGMA busy_timeout = 5000");
  database.run("DELETE FROM results WHERE job = ?", [first.number]);
  const job = await at.ended(id);
  expect(job).toMatchObject({ state: "completed", delivered: 10, kinds: {} });
  const results = await at.jobs.results(job, 0, 20);
  expect(results.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(at.jobs.isFull).toBe(false);
});

test("a page whose content the full store cannot note waits for room too, and costs no try", async () => {
  await using at = localJobs(page, { maxBytes: 600_000 });
  using database = new Database(at.path);
  database.run("PRAGMA busy_timeout = 5000");
  database.run("CREATE TABLE filler (bytes BLOB)");
  database.run(
    `CREATE TRIGGER fill BEFORE INSERT ON known WHEN new.owner IS NOT NULL
     BEGIN INSERT INTO filler VALUES (zeroblob(1000000)); END`,
  );
  const { id } = await at.add("/a", { limit: 2 });
  await until(() => at.jobs.isFull);
  database.run("DROP TRIGGER fill");
  expect(await at.ended(id)).toMatchObject({ state: "completed", delivered: 2, kinds: {} });
  expect(at.said).toEqual(["Jobs wait, because their store is full"]);
});

test("jobs of a service that started on a full disk begin when it has room", async () => {
  using disk = smallDisk("1m");
  if (!disk.isMounted) return;
  const filler = disk.fill();
  const store = openSqliteJobs(join(disk.path, "jobs.sqlite"));
  const service = localService(store, async (url) => pageAt(url, { content: url.href }));
  const order = { urls: ["http://127.0.0.1:1/"], given: true };
  expect(await service.add(order).catch((error: unknown) => error)).toMatchObject({ code: "overloaded" });
  rmSync(filler);
  const { id } = await service.add(order);
  await until(async () => (await store.find(id))?.state === "completed");
  expect((await store.find(id))?.delivered).toBe(1);
  await service.close();
});

test("a full store refuses further jobs with a clear error", async () => {
  await using at = localJobs(page, { maxBytes: 4_096 });
  const urls = Array.from({ length: 100 }, (_, index) => `https://a.example/${index}${"x".repeat(1_000)}`);
  const failure = await at.add("/a", { urls }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "overloaded" });
});
