import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { until } from "../../lib/testing/until.ts";
import { LEASE_MS } from "../../store/jobs/job-store.ts";
import { openPostgresJobs } from "../../store/postgres/open-postgres-store.ts";
import { hasPostgres, TestPostgres } from "../../store/testing/postgres.ts";
import { startRelay } from "../../store/testing/relay.ts";
import { localService, pageAt } from "./testing/local-jobs.ts";

setDefaultTimeout(patient(120_000));

/** Pages of each site, and sites. */
const PAGES = 20;
const SITES = 10;
/** Milliseconds until a service without progress is an error. */
const MOST_MS = 60_000;
const FAULTS = ["service", "database", "network", "service", "network"] as const;

describe.skipIf(!hasPostgres)("a crawl over faults", () => {
  /** No host has a robots.txt. */
  const web = Bun.serve({ hostname: "0.0.0.0", port: 0, fetch: () => new Response("", { status: 404 }) });
  afterAll(() => web.stop(true));

  test("ends by itself, delivers each page once, and gives no number to two results", async () => {
    const server = await TestPostgres.start();
    using relay = await startRelay(server.port);
    const user = await server.newUser();
    const clock = { skippedMs: 0 };
    const open = (port: number) => {
      const settings = server.settings({ user, statementMs: patient(2_000) });
      const target = { ...settings.target, port };
      return openPostgresJobs({ ...settings, target }, () => Date.now() + clock.skippedMs);
    };
    let loads = 0;
    const start = () =>
      localService(open(relay.port), async (url) => {
        loads += 1;
        const at = Number(url.pathname.slice(1));
        const links = [at * 2 + 1, at * 2 + 2].filter((to) => to < PAGES).map((to) => `/${to}`);
        return pageAt(url, { content: `The page ${url.href}`, links });
      });
    const services = [start(), start()];
    const store = open(server.port);
    const urls = Array.from({ length: SITES }, (_, at) => `http://127.9.0.${at + 1}:${web.port}/0`);
    const made = await localService(store).add({ urls, limit: 1_000 });
    const seen = new Map<number, string>();
    const read = async (): Promise<boolean> => {
      const job = await store.find(made.id);
      if (job === undefined) return false;
      for (const { number, body } of await store.results(job, 0, 1_000)) {
        const text = Buffer.from(body).toString("base64");
        expect(seen.get(number) ?? text).toBe(text);
        seen.set(number, text);
      }
      return job.state === "completed";
    };
    for (const fault of FAULTS) {
      const least = loads + 10;
      await until(async () => loads >= least || (await read().catch(() => false)), MOST_MS);
      await read();
      if (fault === "service") {
        await services.shift()?.close();
        services.push(start());
      } else if (fault === "network") {
        relay.cut();
      } else {
        await server.crash();
        await server.up();
      }
      clock.skippedMs += LEASE_MS;
    }
    let before = 0;
    await until(async () => {
      // The leases of services that died end, while the others have nothing to do.
      if (loads === before) clock.skippedMs += LEASE_MS / 8;
      before = loads;
      return await read().catch(() => false);
    }, MOST_MS);
    const job = await store.find(made.id);
    expect(job).toMatchObject({
      state: "completed",
      reason: "",
      delivered: PAGES * SITES,
      known: PAGES * SITES,
      kinds: {},
    });
    expect([...seen.keys()].toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: PAGES * SITES }, (_, at) => at + 1),
    );
    expect(new Set(seen.values()).size).toBe(PAGES * SITES);
    await Promise.all([store, ...services].map((one) => one.close()));
    await server.close();
  });
});
