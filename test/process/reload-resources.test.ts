/**
 * Reloads do not leak descriptors, connections or timers: neither failed reloads, nor reloads that replace everything.
 */
import { heapStats } from "bun:jsc";
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readlinkSync } from "node:fs";
import { type Config } from "../../src/gateway/config/config.ts";
import { loadValue } from "../../src/gateway/config/load.ts";
import { startGateway } from "../../src/gateway/process/gateway/gateway.ts";
import { hasPostgres } from "../../src/store/testing/postgres.ts";
import { hasRedis } from "../policy/testing/redis-server.ts";
import { descendants, Program, until } from "../support/program.ts";
import { ReloadBed } from "./testing/reload-bed.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(300_000));

/** Each fault of the bed twice. The counts are exact, so they show a resource that a single reload leaves open. */
const RELOADS = 14;

let bed: ReloadBed;
let program: Program | undefined;

beforeEach(async () => {
  bed = await ReloadBed.start();
});

afterEach(async () => {
  await program?.stop();
  program = undefined;
  await bed.stop();
});

/** The number of descriptors of each kind in the processes. */
function descriptors(pids: readonly number[]): Record<string, number> {
  const kinds: Record<string, number> = {};
  for (const pid of pids) {
    for (const fd of readdirSync(`/proc/${pid}/fd`)) {
      const kind = kindOf(`/proc/${pid}/fd/${fd}`);
      kinds[kind] = (kinds[kind] ?? 0) + 1;
    }
  }
  return kinds;
}

function kindOf(link: string): string {
  try {
    return readlinkSync(link).replace(bed.folder.path, "").replaceAll(/\d+/g, "N");
  } catch {
    // Closed in the meantime.
    return "closed";
  }
}

async function connections(): Promise<{ redis: number; postgres: number }> {
  const clients = String(await bed.redis.ask("CLIENT", "LIST"))
    .trim()
    .split("\n").length;
  const [row] = await bed.database.query("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'");
  return { redis: clients, postgres: Number(row?.[0]) };
}

let done = 0;
/** Reloads, and expects that it succeeds or fails. */
async function reload(config: object, succeeds: boolean): Promise<void> {
  const { program: served } = { program };
  if (served === undefined) throw new Error("Cannot reload: nothing runs");
  bed.folder.write("turnpike.json", config);
  served.kill("SIGHUP");
  done++;
  const outcomes = (): string[] => served.output.match(/(?:reloaded|Cannot reload) .*$/gm) ?? [];
  await until("the reload", () => (outcomes().length >= done ? true : undefined));
  if (outcomes()[done - 1]?.startsWith("reloaded") !== succeeds) throw new Error(served.output.slice(-1000));
}

interface Held {
  readonly descriptors: Record<string, number>;
  readonly connections: { redis: number; postgres: number };
}

async function held(): Promise<Held> {
  const pids = [program?.pid ?? 0, ...descendants(program?.pid ?? 0, "/process/workers/worker.")];
  return { descriptors: descriptors(pids), connections: await connections() };
}

function risen(found: Record<string, number>, known: Record<string, number>): string[] {
  return Object.entries(found).flatMap(([kind, count]) =>
    kind !== "closed" && count > (known[kind] ?? 0) ? [`${kind}: ${known[kind] ?? 0} -> ${count}`] : [],
  );
}

/** The kinds of descriptors and the peers with more than before. */
function excess(now: Held, before: Held): string[] {
  return [...risen(now.descriptors, before.descriptors), ...risen(now.connections, before.connections)];
}

async function expectNoMoreThan(before: Held): Promise<void> {
  let found: string[] = [];
  const back = async (): Promise<true | undefined> => {
    found = excess(await held(), before);
    return found.length === 0 ? true : undefined;
  };
  await until("the new descriptors and connections are closed", back).catch(() => {});
  expect(found).toEqual([]);
}

function configure(value: object): Config {
  const { config } = loadValue(value);
  if (config === undefined) throw new Error("Cannot load the configuration");
  return config;
}

/** The number of timers; ended and cleared ones are collected. */
function timers(): number {
  Bun.gc(true);
  return heapStats().objectTypeCounts["Timeout"] ?? 0;
}

describe.skipIf(!hasRedis || !hasPostgres)("resources after reloads", () => {
  for (const workers of [1, 2]) {
    test(`${RELOADS} failed and ${RELOADS} good reloads leave the same resources, with ${workers} worker(s)`, async () => {
      done = 0;
      bed.folder.write("turnpike.json", bed.configuration(0, workers));
      program = new Program(["--config", bed.folder.file("turnpike.json")], { env: { TEST_REDIS: bed.redis.url } });
      await program.sees(/listening on https:.*HTTP\/3/);
      // Each configuration once, so that permanent resources are open.
      await reload(bed.configuration(1, workers), true);
      await bed.use();
      await reload(bed.configuration(0, workers), true);
      await bed.use();
      const before = await held();
      for (let i = 0; i < RELOADS; i++) {
        const config = bed.configuration(i + 2, workers);
        await reload({ ...config, ...bed.faults[i % bed.faults.length]?.(config) }, false);
      }
      await bed.use();
      await expectNoMoreThan(before);
      for (let i = 0; i < RELOADS; i++) {
        await reload(bed.configuration(i + 2, workers), true);
        if (i % 10 === 0) await bed.use();
      }
      await reload(bed.configuration(0, workers), true);
      await bed.use();
      await expectNoMoreThan(before);
    });
  }

  test("the timers are the same as before, and none keeps an old configuration", async () => {
    process.env["TEST_REDIS"] = bed.redis.url;
    const gateway = await startGateway({
      config: configure(bed.configuration(0, 1)),
      storePath: ":memory:",
      reusePort: false,
      log() {},
    });
    const { faults } = bed;
    try {
      await gateway.reload(configure(bed.configuration(1, 1)));
      await gateway.reload(configure(bed.configuration(0, 1)));
      const before = timers();
      for (let i = 0; i < RELOADS; i++) {
        const config = bed.configuration(i + 2, 1);
        const faulty = configure({ ...config, ...faults[i % faults.length]?.(config) });
        expect(await gateway.reload(faulty).catch(() => "failed")).toBe("failed");
      }
      for (let i = 0; i < RELOADS; i++) await gateway.reload(configure(bed.configuration(i, 1)));
      await gateway.reload(configure(bed.configuration(0, 1)));
      await until("no more timers", () => (timers() <= before ? true : undefined));
    } finally {
      await gateway.close(0);
      delete process.env["TEST_REDIS"];
    }
  });
});
