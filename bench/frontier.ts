/**
 * The frontier of crawls: addresses that are found, taken host by host and finished, in SQLite and in PostgreSQL. With
 * `--crawl`, a crawl of generated sites by content services, in pages for each second of their CPU time. With `--kills`,
 * crawls over random faults.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { markdownTable } from "../scripts/reference/markdown-table.ts";
import { type Address, type Job, type JobStore, PAGE, TURN_MS } from "../src/store/jobs/job-store.ts";
import { openSqliteJobs } from "../src/store/open/open-jobs.ts";
import { openPostgresJobs } from "../src/store/postgres/open-postgres-store.ts";
import { hasPostgres, TestPostgres } from "../src/store/testing/postgres.ts";
import { cpuNanoseconds } from "./support/cpu-time.ts";
import { processTree } from "./support/children.ts";
import { benchCrawl } from "./frontier-crawl.ts";
import { killCrawls } from "./frontier-kills.ts";
import { fractionsOf } from "../src/lib/testing/mulberry32.ts";

/** Addresses of one host, on average, and addresses that are added in one call. */
const PER_HOST = 100;
const PIECE = 1_000;
const DAY_MS = 86_400_000;

interface Place {
  readonly name: string;
  readonly store: JobStore;
  /** Bytes of all addresses and of what belongs to them. */
  bytes(): Promise<number>;
  /** CPU seconds of the database's processes, which the bench itself does not have. */
  serverCpu(): number;
  close(): Promise<void>;
}

/** Every take finds all hosts due, so that it takes one address of each of several hosts. */
const clock = { now: 1_800_000_000_000 };

async function sqlite(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-frontier-"));
  const path = join(folder, "jobs.sqlite");
  const store = openSqliteJobs(path, () => clock.now);
  return {
    name: "SQLite",
    store,
    bytes: async () => statSync(path).size,
    serverCpu: () => 0,
    async close() {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function postgres(workers: number): Promise<Place> {
  const server = await TestPostgres.start({ fsync: "on" });
  const store = openPostgresJobs(server.settings({ size: workers, statementMs: 60_000 }), () => clock.now);
  await store.ready();
  return {
    name: "PostgreSQL",
    store,
    async bytes() {
      const sum =
        "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND relname ~ '^turnpike_job_(addresses|lanes|hosts)'";
      return Number((await server.query(sum))[0]?.[0]);
    },
    serverCpu: () =>
      processTree(process.pid).reduce((sum, pid) => sum + (pid === process.pid ? 0 : cpuNanoseconds(pid)), 0) / 1e9,
    async close() {
      await store.close();
      await server.close();
    },
  };
}

/** About 77 characters, as the addresses of real crawls. */
function address(at: number, hosts: number): Address {
  const url = `https://host-${at % hosts}.example.com/section-${at % 97}/articles/${at}-with-a-title-of-words`;
  return { url, task: PAGE, depth: 1 };
}

async function newJob(store: JobStore, count: number): Promise<Job> {
  const id = crypto.randomUUID();
  const whole = { limit: count + 1, maxKnown: count + 1, maxRunMs: DAY_MS, keptMs: DAY_MS };
  const made = { id, secretHash: "", payer: "", order: "{}", sale: "", payment: "none" as const, ...whole };
  await store.create(made, []);
  const job = await store.find(id);
  if (job === undefined) throw new Error("the job is not there");
  return job;
}

async function measure(
  place: Place,
  count: number,
  { workers, batch, most }: { workers: number; batch: number; most: number },
) {
  const { store } = place;
  const before = await place.bytes();
  const job = await newJob(store, count);
  const hosts = Math.max(1, Math.round(count / PER_HOST));
  const addedAt = performance.now();
  for (let at = 0; at < count; at += PIECE) {
    const found = Array.from({ length: Math.min(PIECE, count - at) }, (_, n) => address(at + n, hosts));
    // Half of what a page links to is known already.
    await store.finish(job, {
      finished: [],
      found: [...found, ...found.map(({ url }) => ({ url, task: PAGE, depth: 2 }))],
    });
  }
  const added = count / ((performance.now() - addedAt) / 1_000);
  const bytes = ((await place.bytes()) - before) / count;
  let taken = 0;
  let aim = Math.min(count, most);
  const [serverBefore, cpuBefore, startedAt] = [place.serverCpu(), process.cpuUsage(), performance.now()];
  await Promise.all(
    Array.from({ length: workers }, async () => {
      while (taken < aim) {
        clock.now += TURN_MS;
        const some = await store.take(job, { hosts: batch, addresses: batch, delayMs: TURN_MS });
        taken += some.length;
        if (some.length === 0) aim = Math.min(aim, (await store.find(job.id))?.state === "running" ? aim : taken);
        if (some.length > 0)
          await store.finish(job, { finished: some.map((one) => ({ taken: one, kind: "done" })), found: [] });
      }
    }),
  );
  const perSecond = taken / ((performance.now() - startedAt) / 1_000);
  const { user, system } = process.cpuUsage(cpuBefore);
  const [own, server] = [(user + system) / taken, ((place.serverCpu() - serverBefore) * 1e6) / taken];
  const after = ((await place.bytes()) - before) / count;
  await store.end(job.id, "cancelled", "");
  return { count, added, perSecond, own, server, bytes, after };
}

/** `npm run bench -- frontier`. */
export async function runFrontierBench(args: readonly string[]): Promise<number> {
  const options = {
    counts: { type: "string", default: "10000,100000,1000000" },
    workers: { type: "string", default: "8" },
    batch: { type: "string", default: "10" },
    most: { type: "string", default: "200000" },
    only: { type: "string" },
    crawl: { type: "string" },
    kills: { type: "string" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
    sites: { type: "string", default: "2" },
    services: { type: "string", default: "1" },
    latency: { type: "string", default: "0" },
    help: { type: "boolean", default: false },
  } as const;
  const { values } = parseArgs({ args: [...args], options });
  if (values.help) {
    console.log(
      `usage: npm run bench -- frontier${Object.keys(options)
        .map((name) => ` [--${name}]`)
        .join("")}`,
    );
    return 0;
  }
  if (values.kills !== undefined) {
    console.log(`seed ${values.seed}`);
    return await killCrawls(Number(values.kills), fractionsOf(Number(values.seed)));
  }
  if (values.crawl !== undefined) {
    const { crawl, sites, services, latency } = values;
    return await benchCrawl({
      pages: Number(crawl),
      sites: Number(sites),
      services: Number(services),
      latencyMs: Number(latency),
      inPostgres: values.only === "postgres",
    });
  }
  const [workers, batch, most] = [values.workers, values.batch, values.most].map(Number);
  if (workers === undefined || batch === undefined || most === undefined)
    throw new Error("the options are not numbers");
  const makes = { sqlite, ...(hasPostgres ? { postgres: () => postgres(workers) } : {}) };
  for (const [name, make] of Object.entries(makes)) {
    if (values.only !== undefined && values.only !== name) continue;
    const place = await make();
    try {
      const rows: string[][] = [];
      for (const count of values.counts.split(",").map(Number)) {
        const figures = await measure(place, count, { workers, batch, most });
        rows.push([
          place.name,
          String(count),
          ...[figures.added, figures.perSecond, figures.own, figures.server, figures.bytes, figures.after].map(
            (value) => Math.round(value).toString(),
          ),
        ]);
      }
      const heads = [
        "Store",
        "Addresses",
        "New/s, as many known",
        "Taken and finished/s",
        "CPU µs",
        "CPU µs of the database",
        "Bytes of a new one",
        "Bytes at the end",
      ];
      console.log(markdownTable([heads, ...rows]));
    } finally {
      await place.close();
    }
  }
  return 0;
}
