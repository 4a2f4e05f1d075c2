import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { until } from "../../lib/testing/until.ts";
import { type Job, type JobStore, LEASE_MS } from "../../store/jobs/job-store.ts";
import { openPostgresJobs } from "../../store/postgres/open-postgres-store.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../../store/testing/postgres.ts";
import { localService, pageAt } from "./testing/local-jobs.ts";

setDefaultTimeout(patient(60_000));

async function endOf(store: JobStore, id: string): Promise<Job | undefined> {
  await until(async () => (await store.find(id))?.state !== "running");
  return await store.find(id);
}

/** Pages that never end, counted by the second part of their address. */
function hanging() {
  const under = new Map<string, number>();
  const load = (url: URL, signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      const net = url.hostname.split(".")[1] ?? "";
      under.set(net, (under.get(net) ?? 0) + 1);
      signal.addEventListener("abort", () => reject(new Error("aborted")));
    });
  return { under, load, total: () => [...under.values()].reduce((sum, count) => sum + count, 0) };
}

describe.skipIf(!hasPostgres)("content services that share a database", () => {
  let server: SharedPostgres;
  /** No host has a robots.txt. */
  const site = Bun.serve({ hostname: "0.0.0.0", port: 0, fetch: () => new Response("", { status: 404 }) });

  beforeAll(async () => {
    server = await sharedPostgres();
  });
  afterAll(async () => {
    await site.stop(true);
  });

  async function fleet() {
    const user = await server.newUser();
    const clock = { skippedMs: 0 };
    const open = async (): Promise<JobStore> => {
      const settings = server.settings({ user, statementMs: patient(10_000) });
      const store = openPostgresJobs(settings, () => Date.now() + clock.skippedMs);
      await store.ready();
      return store;
    };
    const store = await open();
    return { open, clock, store };
  }

  const hosts = (net: number, count: number): string[] =>
    Array.from({ length: count }, (_, at) => `http://127.${net}.0.${at + 1}:${site.port}/`);

  test("do the pages of one job together, and each page once", async () => {
    const { open, store } = await fleet();
    const loaded: string[][] = [[], [], []];
    const services = await Promise.all(
      loaded.map(async (mine) =>
        localService(await open(), async (url) => {
          mine.push(url.href);
          // A service holds one page of the job at a time, so the others get theirs while it waits.
          await until(() => loaded.every((one) => one.length > 0));
          const links = url.pathname === "/" ? ["/a", "/b"] : [];
          return pageAt(url, { content: `The page ${url.href}`, links });
        }),
      ),
    );
    const [first] = services;
    const made = await first?.add({ urls: hosts(1, 20), concurrency: 1 });
    const job = await endOf(store, made?.id ?? "");
    expect(job).toMatchObject({ state: "completed", delivered: 60, known: 60, kinds: {} });
    expect(new Set(loaded.flat()).size).toBe(60);
    expect(loaded.flat()).toHaveLength(60);
    await Promise.all([store, ...services].map((one) => one.close()));
  });

  test("divide their places among payers, however many jobs a payer has", async () => {
    const { open, store } = await fleet();
    const { under, load, total } = hanging();
    const clients = localService(store);
    for (const net of [2, 3, 4]) await clients.add({ urls: hosts(net, 60), concurrency: 32 }, "0xmany");
    await clients.add({ urls: hosts(5, 60), concurrency: 32 }, "0xone");
    const services = await Promise.all([0, 1].map(async () => localService(await open(), load)));
    // Each service has 32 places.
    await until(() => total() === 64);
    expect(under.get("5")).toBeGreaterThanOrEqual(24);
    await Promise.all([clients, ...services].map((one) => one.close()));
  });

  test("take over the pages of services that died, and then try a page that fails as often as any other", async () => {
    const { open, clock, store } = await fleet();
    const { load, total } = hanging();
    const { id } = await localService(store).add({ urls: hosts(6, 4), concurrency: 4 });
    for (const loads of [4, 8]) {
      const dying = localService(await open(), load);
      await until(() => total() === loads);
      await dying.close();
      clock.skippedMs += LEASE_MS + 1;
    }
    const failed = new Set<string>();
    const other = localService(await open(), async (url) => {
      if (failed.has(url.href)) return pageAt(url, { content: `The page ${url.href}` });
      failed.add(url.href);
      throw new TurnpikeError("page-failed", "The connection was closed");
    });
    await until(() => failed.size === 4);
    await until(async () => {
      clock.skippedMs += 1_000;
      return (await store.find(id))?.state !== "running";
    });
    expect(await store.find(id)).toMatchObject({ state: "completed", delivered: 4, kinds: {} });
    await Promise.all([store, other].map((one) => one.close()));
  });
});
