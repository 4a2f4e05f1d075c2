import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { patient } from "../../../lib/testing/patience.ts";
import { smallDisk } from "../../../lib/testing/small-disk.ts";
import { until } from "../../../lib/testing/until.ts";
import { openStore, openUsageStore } from "../../../store/open/open-store.ts";
import { type FunnelUse, type OpenUsageStore, type UsageBatch, type UsageTotals } from "../../../store/usage-store.ts";
import { USAGE_ROWS } from "../../telemetry/metrics/layout.ts";
import { Counters, requestsOf } from "./testing/usage-rig.ts";
import { Funnel } from "../../telemetry/funnel.ts";
import { UsageKeeper, type UsageKeeperOptions } from "./usage-keeper.ts";

setDefaultTimeout(patient(30_000));

const folder = mkdtempSync(join(tmpdir(), "turnpike-usage-"));
let files = 0;

afterAll(() => rmSync(folder, { recursive: true }));

function newPath(): string {
  return join(folder, `${(files += 1)}.db`);
}

function openInMemory(): OpenUsageStore {
  return openUsageStore(":memory:");
}

function keeperOf(
  counters: Counters,
  changes: Partial<UsageKeeperOptions> = {},
): { keeper: UsageKeeper; lines: string[] } {
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  return { keeper: new UsageKeeper({ zone: counters.zone, open: openInMemory, log, ...changes }), lines };
}

test("a reading has the counts of all workers so far, before and after they are written", async () => {
  const counters = new Counters();
  const { keeper } = keeperOf(counters, { flushMs: 5 });
  counters.count("alice", 3);
  counters.count("alice", 2, 2);
  counters.count("", 1, 2, "/free");
  const expected = [
    { name: "alice", requests: 5, request_bytes: 5, response_bytes: 50 },
    { name: "", anonymous: true, requests: 1 },
  ];
  expect((await keeper.read()).body).toMatchObject({
    consumers: expected,
    upstreams: [{ upstream: "origin", requests: 6 }],
  });
  keeper.start();
  await Bun.sleep(30);
  expect((await keeper.read()).body).toMatchObject({
    consumers: expected,
    upstreams: [{ upstream: "origin", requests: 6 }],
  });
  counters.count("alice");
  expect(requestsOf(await keeper.read(), "alice")).toBe(6);
  await keeper.close();
});

test("after a reset the counts begin at 0, and no request is in two readings", async () => {
  const counters = new Counters();
  const { keeper } = keeperOf(counters);
  counters.count("alice", 3);
  const before = Date.now();
  expect(requestsOf(await keeper.readAndReset())).toBe(3);
  counters.count("alice", 2);
  const after = await keeper.read();
  expect(requestsOf(after)).toBe(2);
  expect(after.body.since_ms).toBeWithin(before, Date.now() + 1);
  expect(requestsOf(await keeper.readAndReset())).toBe(2);
  expect(requestsOf(await keeper.readAndReset())).toBe(0);
  await keeper.close();
});

test("consumers beyond the memory keep their route, the reading says so, and there is room again after a reset", async () => {
  const counters = new Counters();
  const { keeper } = keeperOf(counters);
  const fill = (round: number): void => {
    for (let i = 0; i < USAGE_ROWS + 100; i++) counters.count(`${round} ${i}`, 1, 1, "/a");
    counters.count(`late ${round}`, 3, 2, "/b");
  };
  fill(1);
  const reading = await keeper.readAndReset();
  const { body } = reading;
  expect(body.full).toEqual(["consumers"]);
  expect(body.routes.map(({ route, requests }) => [route, requests])).toEqual([
    ["/a", USAGE_ROWS + 100],
    ["/b", 3],
  ]);
  expect(reading.csv()).toContain("\r\n,other,/b,3,");
  counters.count("alice", 2, 1, "/a");
  counters.count("late 1", 1, 2, "/b");
  const after = await keeper.read();
  expect([after.body.full, requestsOf(after, "alice"), requestsOf(after, "late 1")]).toEqual([[], 2, 1]);
  fill(2);
  expect(requestsOf(await keeper.readAndReset())).toBe(USAGE_ROWS + 106);
  await keeper.close();
});

test("a reading of the funnel makes no room for further consumers, as a reset does", async () => {
  for (const [way, full] of [
    ["funnel", ["consumers"]],
    ["readAndReset", []],
  ] as const) {
    const counters = new Counters();
    const { keeper } = keeperOf(counters);
    // Fewer than half of the memory, which a regular write would free.
    for (let i = 0; i < 1000; i++) counters.count(`early ${i}`);
    await keeper[way]();
    for (let i = 0; i < USAGE_ROWS - 948; i++) counters.count(`late ${i}`);
    expect((await keeper.readAndReset()).body.full).toEqual([...full]);
    await keeper.close();
  }
});

test("a restart continues with the written usage, and an orderly restart loses nothing", async () => {
  const path = newPath();
  const open = (): OpenUsageStore => openUsageStore(path);
  const [first, second] = [new Counters(), new Counters()];
  const { keeper } = keeperOf(first, { open });
  keeper.start();
  first.count("alice", 7);
  await keeper.close();
  const { keeper: next } = keeperOf(second, { open });
  second.count("alice", 1);
  expect(requestsOf(await next.read(), "alice")).toBe(8);
  expect(requestsOf(await next.readAndReset(), "alice")).toBe(8);
  await next.close();
});

test("a store that cannot be opened is reported at the start, before there is usage", async () => {
  let isMissing = true;
  const open = (): OpenUsageStore => {
    if (isMissing) throw new Error("the folder is missing");
    return openInMemory();
  };
  const { keeper, lines } = keeperOf(new Counters(), { open, flushMs: 5 });
  keeper.start();
  await until(() => lines.length === 1);
  expect(lines[0]).toBe("Cannot store the usage: the folder is missing; counting continues in memory");
  isMissing = false;
  await until(() => lines.length === 2);
  expect(lines[1]).toContain("the usage is stored again");
  await keeper.close();
});

test("without a start nothing is written at the end", async () => {
  const path = newPath();
  const counters = new Counters();
  const { keeper } = keeperOf(counters, { open: () => openUsageStore(path) });
  counters.count("alice");
  await keeper.close();
  expect(await Bun.file(path).exists()).toBe(false);
});

test("readings with resets every few milliseconds while requests come: each request is in exactly one", async () => {
  const counters = new Counters(3);
  const { keeper } = keeperOf(counters, { open: () => openUsageStore(newPath()), flushMs: 3 });
  keeper.start();
  let round = 0;
  const load = setInterval(() => counters.count(`consumer ${++round % 7}`, 1 + (round % 5), 1 + (round % 3)), 1);
  let seen = 0;
  for (let reading = 0; reading < 50; reading++) {
    seen += requestsOf(await keeper.readAndReset());
    await Bun.sleep(1);
  }
  clearInterval(load);
  seen += requestsOf(await keeper.readAndReset());
  await keeper.close();
  expect(counters.requests).toBeGreaterThan(0);
  expect(seen).toBe(counters.requests);
});

type Fault = "" | "never came" | "answer lost";

/** A store in memory that loses some calls, and the responses of some others. */
class FaultyStore implements OpenUsageStore {
  adding: Fault = "";
  resetting: Fault = "";
  readonly #store = openUsageStore(":memory:");

  add(batch: UsageBatch): Promise<void> {
    return withFault(this.adding, () => this.#store.add(batch));
  }
  read(gateway: string): Promise<UsageTotals> {
    return this.#store.read(gateway);
  }
  reset(id: string, gateway: string): Promise<UsageTotals> {
    return withFault(this.resetting, () => this.#store.reset(id, gateway));
  }
  funnel(since: number): Promise<FunnelUse[]> {
    return this.#store.funnel(since);
  }
  hours(): ReturnType<OpenUsageStore["hours"]> {
    return this.#store.hours();
  }
  close(): Promise<void> {
    return this.#store.close();
  }
}

async function withFault<T>(fault: Fault, work: () => Promise<T>): Promise<T> {
  const result = fault === "never came" ? undefined : await work();
  if (result === undefined && fault !== "") throw new Error("the database is away");
  if (fault === "answer lost") throw new Error("the response is lost");
  return result as T; // Without a fault it has a value.
}

test("a batch that is lost, or whose response is lost, is written once, and its usage is readable meanwhile", async () => {
  const counters = new Counters();
  const store = new FaultyStore();
  const { keeper, lines } = keeperOf(counters, { open: () => store, flushMs: 2 });
  keeper.start();
  const faults = ["never came", "answer lost", "never came", "answer lost"] as const;
  for (const [i, fault] of faults.entries()) {
    store.adding = fault;
    counters.count("alice", 5);
    await until(() => lines.length === 2 * i + 1);
    counters.count("alice", 3);
    expect(requestsOf(await keeper.read(), "alice")).toBe(counters.requests);
    expect(await keeper.readAndReset().catch((error: unknown) => error)).toBeInstanceOf(Error);
    await Bun.sleep(10);
    store.adding = "";
    await until(() => lines.length === 2 * i + 2);
    expect(requestsOf(await keeper.read(), "alice")).toBe(counters.requests);
  }
  expect(requestsOf(await keeper.readAndReset(), "alice")).toBe(counters.requests);
  // Logged once for each outage, regardless of the number of tries.
  expect(lines.filter((line) => line.includes("counting continues in memory"))).toHaveLength(faults.length);
  await keeper.close();
});

test("after a stop no store is opened again: a reading is refused, with the reason", async () => {
  let opened = 0;
  const open = (): OpenUsageStore => {
    opened += 1;
    return openInMemory();
  };
  const { keeper } = keeperOf(new Counters(), { open });
  await keeper.close();
  expect(await keeper.read().catch(String)).toContain("the server is about to stop");
  expect(await keeper.funnel()).toMatchObject({ days: [], reason: "the server is about to stop" });
  expect(opened).toBe(0);
});

test("a store that does not respond delays a stop only briefly, and the log shows the loss", async () => {
  const counters = new Counters();
  const store = new FaultyStore();
  const { keeper, lines } = keeperOf(counters, { open: () => store });
  keeper.start();
  await keeper.read();
  store.add = () => new Promise(() => {});
  counters.count("alice");
  await keeper.close();
  expect(lines).toEqual(["Cannot store the usage: the last counts are lost: not stored within 3000 ms"]);
  store.add = () => Promise.reject(new Error("the disk is full"));
  const { keeper: other, lines: said } = keeperOf(counters, { open: () => store });
  other.start();
  await other.close();
  expect(said).toContain("Cannot store the usage: the last counts are lost: the disk is full");
});

test("if the response to a reset is lost, the next reset returns its usage", async () => {
  const counters = new Counters();
  const store = new FaultyStore();
  const { keeper } = keeperOf(counters, { open: () => store });
  for (const fault of ["answer lost", "never came"] as const) {
    counters.count("alice", 5);
    store.resetting = fault;
    expect(await keeper.readAndReset().catch(String)).toBeString();
    counters.count("alice", 2);
    store.resetting = "";
    const seen = requestsOf(await keeper.readAndReset());
    expect(seen).toBe(fault === "answer lost" ? 5 : 7);
    expect(seen + requestsOf(await keeper.readAndReset())).toBe(7);
  }
  await keeper.close();
});

test("a locked file delays no reading, is logged once, and loses no usage", async () => {
  const path = newPath();
  await openStore(path).close();
  const counters = new Counters();
  const { keeper, lines } = keeperOf(counters, { open: () => openUsageStore(path), flushMs: 5 });
  const locker = Bun.spawn([process.execPath, "-e", LOCKER, path], { stdin: "pipe", stdout: "pipe" });
  await locker.stdout.getReader().read();
  let last = performance.now();
  let longest = 0;
  const ticking = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 10);
  keeper.start();
  counters.count("alice", 4);
  await until(() => lines.length > 0);
  counters.count("alice", 2);
  await Bun.sleep(300);
  expect(lines).toEqual(["Cannot store the usage: database is locked; counting continues in memory"]);
  clearInterval(ticking);
  // The ledger's writes wait for 5 s.
  expect(longest).toBeLessThan(4000);
  await locker.stdin.end();
  await locker.exited;
  await until(() => lines.length > 1);
  expect(lines[1]).toBe("the usage is stored again, with the counts of the time between");
  expect(requestsOf(await keeper.readAndReset(), "alice")).toBe(6);
  await keeper.close();
});

const LOCKER = `
  import { Database } from "bun:sqlite";
  const database = new Database(process.argv[1]);
  database.run("BEGIN IMMEDIATE");
  await Bun.write(Bun.stdout, "locked");
  await Bun.stdin.text();
  database.run("COMMIT");
`;

test("on a full disk usage can still be read, and is stored when there is space", async () => {
  using disk = smallDisk("1m");
  if (!disk.isMounted) return;
  const path = join(disk.path, "full.db");
  const counters = new Counters();
  const { keeper, lines } = keeperOf(counters, { open: () => openUsageStore(path), flushMs: 5 });
  counters.count("alice", 1);
  await keeper.readAndReset();
  const ballast = disk.fill();
  keeper.start();
  for (let i = 0; i < 500; i++) counters.count(`consumer ${i} ${"x".repeat(200)}`);
  await until(() => lines.length > 0);
  expect(lines[0]).toContain("counting continues in memory");
  expect(requestsOf(await keeper.read())).toBe(500);
  expect(await keeper.readAndReset().catch((error: unknown) => error)).toBeInstanceOf(Error);
  rmSync(ballast);
  await until(() => lines.length > 1);
  expect(requestsOf(await keeper.readAndReset())).toBe(500);
  await keeper.close();
});

test("the funnel has an hour by minute and the stored days, of all workers", async () => {
  const counters = new Counters();
  const store = new FaultyStore();
  const midnight = 20_000 * 86_400_000;
  const clock = { now: midnight - 90_000 };
  const { keeper } = keeperOf(counters, { open: () => store, clock: () => clock.now });
  const [first, second] = [1, 2].map((row) => {
    return new Funnel(counters.zone, row).route("/goods").of({ fields: "User-Agent: curl/8\r\n" });
  });
  for (const client of [first, first, second]) client?.count("unpaid");
  second?.lose({}, "expired");
  const entry = { route: "/goods", client: "sdk", stages: { unpaid: 3 }, losses: { expired: 1 } };
  const before = { time_ms: midnight - 120_000, entries: [entry] };
  const day = { time_ms: midnight - 86_400_000, entries: [entry] };
  expect(await keeper.funnel()).toEqual({ hour: [before], days: [day] });
  clock.now = midnight;
  first?.delivered("0xa");
  second?.delivered("0xa");
  const bought = { route: "/goods", client: "sdk", stages: { delivered: 2, again: 1 }, losses: {} };
  const now = { time_ms: midnight, entries: [bought] };
  store.adding = "answer lost";
  expect(await keeper.funnel()).toEqual({ hour: [before, now], days: [], reason: "the database is away" });
  store.adding = "";
  expect(await keeper.funnel()).toEqual({ hour: [before, now], days: [day, now] });
  clock.now = midnight + 3_600_000 - 60_000;
  expect((await keeper.funnel()).hour).toEqual([now]);
  // The clock is set back.
  clock.now = midnight - 86_400_000;
  expect((await keeper.funnel()).hour).toEqual([]);
  clock.now = midnight + 29 * 86_400_000;
  expect(await keeper.funnel()).toEqual({ hour: [], days: [now] });
  await keeper.close();
});
