import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { closeSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SharedZone } from "../../../lib/memory/shared-zone.ts";
import { patient } from "../../../lib/testing/patience.ts";
import { until } from "../../../lib/testing/until.ts";
import { openUsageStore } from "../../../store/open/open-store.ts";
import { openPostgresUsage } from "../../../store/postgres/open-postgres-store.ts";
import { startRelay } from "../../../store/testing/relay.ts";
import { hasPostgres, TestPostgres } from "../../../store/testing/postgres.ts";
import { type OpenUsageStore } from "../../../store/usage-store.ts";
import { zoneShape } from "../../telemetry/metrics/layout.ts";
import { UsageCounters } from "../../telemetry/usage.ts";
import { Counters, requestsOf } from "./testing/usage-rig.ts";
import { UsageKeeper } from "./usage-keeper.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(60_000));

const WRITER = join(import.meta.dir, "testing/usage-writer.ts");
const KILLS = 6;
const folder = mkdtempSync(join(tmpdir(), "turnpike-usage-"));

afterAll(() => rmSync(folder, { recursive: true }));

/** Requests in the store, by consumer. */
async function kept(store: OpenUsageStore): Promise<{ alice: number; bob: number }> {
  const { routes } = await store.read("");
  const of = (name: string): number => routes.find(({ consumer }) => consumer === name)?.requests ?? 0;
  return { alice: of("alice"), bob: of("bob") };
}

/**
 * Starts one process after another that writes its usage, and kills each during a write. The counts of each process
 * stay in its own zone.
 */
async function killWriters(args: readonly string[], store: OpenUsageStore): Promise<void> {
  let counted = 0;
  for (let i = 0; i < KILLS; i++) {
    const zone = SharedZone.create(zoneShape(1));
    if (zone.fd === undefined) throw new Error("no descriptor");
    const before = await kept(store);
    const child = Bun.spawn([process.execPath, WRITER, ...args], { stdio: ["ignore", "inherit", "inherit", zone.fd] });
    await until(async () => (await kept(store)).alice > before.alice + 5);
    await Bun.sleep(i * 3);
    child.kill("SIGKILL");
    await child.exited;
    const own = new UsageCounters(zone, 0).read();
    counted += own.find(({ consumer }) => consumer === "alice")?.requests ?? 0;
    closeSync(zone.fd);
    const after = await kept(store);
    // Both have the same counts, so a batch that was added partly or twice would show.
    expect(after.alice).toBe(after.bob);
    expect(after.alice).toBeLessThanOrEqual(counted);
    // The usage after the last batch of this process is lost.
    counted = after.alice;
  }
}

test("SQLite: processes that are killed during a write add no batch twice or partly", async () => {
  const path = join(folder, "killed.db");
  const store = openUsageStore(path);
  await killWriters([path], store);
  await store.close();
});

describe.skipIf(!hasPostgres)("with a server", () => {
  let server: TestPostgres;

  beforeAll(async () => {
    server = await TestPostgres.start();
  });
  afterAll(() => server.close());

  test("PostgreSQL: processes that are killed during a write add no batch twice or partly", async () => {
    const settings = server.settings({ user: await server.newUser() });
    const store = openPostgresUsage(settings);
    await killWriters(["", JSON.stringify(settings)], store);
    await store.close();
  });

  test("two gateways with one database: with resets at both, each request is in exactly one reading", async () => {
    const settings = server.settings({ user: await server.newUser() });
    const all = [new Counters(), new Counters()];
    const keepers = all.map(
      ({ zone }) => new UsageKeeper({ zone, open: () => openPostgresUsage(settings), log() {}, flushMs: 5 }),
    );
    for (const keeper of keepers) keeper.start();
    let round = 0;
    const load = setInterval(() => all[++round % 2]?.count(`consumer ${round % 5}`, 1 + (round % 3)), 1);
    let seen = 0;
    const end = performance.now() + 1000;
    await Promise.all(
      keepers.map(async (keeper) => {
        while (performance.now() < end) {
          const reading = await keeper.readAndReset();
          seen += requestsOf(reading);
        }
      }),
    );
    clearInterval(load);
    // Each gateway reads the usage that it had not written yet. The other one may have read the rest.
    for (const keeper of keepers) seen += requestsOf(await keeper.readAndReset());
    expect(seen).toBe(all.reduce((sum, { requests }) => sum + requests, 0));
    // Both read the usage of both, as soon as it is written.
    all[0]?.count("late", 3);
    await until(async () => requestsOf((await keepers[1]?.read()) ?? never(), "late") === 3);
    for (const keeper of keepers) await keeper.close();
  });

  test("lost responses of the database do not change the final figures", async () => {
    const user = await server.newUser();
    using relay = await startRelay(server.port);
    const settings = server.settings({ user, statementMs: 200, connectMs: 500 });
    const through = { ...settings, target: { ...settings.target, port: relay.port } };
    const counters = new Counters();
    const lines: string[] = [];
    const keeper = new UsageKeeper({
      zone: counters.zone,
      open: () => openPostgresUsage(through),
      log: (line) => void lines.push(line),
      flushMs: 10,
    });
    keeper.start();
    counters.count("alice", 1);
    let seen = requestsOf(await keeper.readAndReset());
    for (let i = 0; i < 3; i++) {
      counters.count("alice", 5);
      // At any moment: during a statement, a COMMIT or a reset.
      const reset = keeper.readAndReset().then(requestsOf, () => 0);
      await Bun.sleep(i);
      relay.loses = true;
      counters.count("alice", 2);
      seen += await reset;
      await Bun.sleep(300);
      relay.loses = false;
      await until(async () => (await keeper.read().catch(() => undefined)) !== undefined);
    }
    for (let i = 0; i < 2; i++) seen += requestsOf(await keeper.readAndReset());
    expect(seen).toBe(counters.requests);
    await keeper.close();
  });

  test("an unavailable database is logged once, and later receives the usage of that time", async () => {
    const away = await TestPostgres.start();
    try {
      const settings = away.settings({ statementMs: 500 });
      const counters = new Counters();
      const lines: string[] = [];
      const open = (): OpenUsageStore => openPostgresUsage(settings);
      const log = (line: string): void => void lines.push(line);
      const keeper = new UsageKeeper({ zone: counters.zone, open, log, flushMs: 10 });
      keeper.start();
      counters.count("alice", 3);
      await until(async () => requestsOf(await keeper.read()) === 3);
      await away.crash();
      counters.count("alice", 4);
      await until(() => lines.length > 0);
      expect(await keeper.read().catch((error: unknown) => error)).toBeInstanceOf(Error);
      await Bun.sleep(50);
      expect(lines).toHaveLength(1);
      await away.up();
      await until(() => lines.length > 1);
      expect(requestsOf(await keeper.readAndReset(), "alice")).toBe(7);
      await keeper.close();
    } finally {
      await away.close();
    }
  });
});

function never(): never {
  throw new Error("There is no such keeper");
}
