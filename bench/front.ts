/**
 * The front door beside other servers: TLS, new connections, HTTP/2, files, memory, workers. As in the proxy bench, the
 * measure is requests per CPU-second of the server's processes.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { messageOf } from "../src/lib/caught.ts";
import { TEST_CERT, TEST_KEY } from "../test/process/certificate.ts";
import { type FrontCase, FILES, FRONT_CASES, WORKER_LOAD } from "./front/cases.ts";
import { runClient } from "./front/clients.ts";
import { type Door, type OpenDoor, nginx, PEER_DOORS, type Site, turnpike } from "./front/doors.ts";
import { IDLE_CASES, idleCost } from "./front/idle.ts";
import { Children, cpuSeconds } from "./proxy/children.ts";
import { type CaseResult, noise, type Sample, summarise, table } from "./proxy/report.ts";

const SUBJECT = turnpike(1);
const WARM_UP_SECONDS = 1;
const CASE_NAMES = [...FRONT_CASES.map(({ name }) => name), "idle", "workers"];

const USAGE = `usage: npm run bench -- front [--only CASE,...] [--peers NAME,...] [--rounds N] [--seconds N]
cases: ${CASE_NAMES.join(", ")}
peers: ${PEER_DOORS.map(({ name }) => name).join(", ")} (--peers "" for none)`;

interface Options {
  readonly only: ReadonlySet<string>;
  readonly peers: readonly Door[];
  readonly rounds: number;
  readonly seconds: number;
}

function listed(text: string | undefined, known: readonly string[]): readonly string[] {
  if (text === undefined) return known;
  const names = text.split(",").filter((name) => name !== "");
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new RangeError(`unknown name "${unknown}"`);
  return names;
}

function positive(text: string, flag: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new RangeError(`--${flag} takes a number from 1 to 9999, not "${text}"`);
  return Number(text);
}

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string" },
      peers: { type: "string" },
      rounds: { type: "string", default: "3" },
      seconds: { type: "string", default: "3" },
    },
  });
  const peers = listed(
    values.peers,
    PEER_DOORS.map(({ name }) => name),
  );
  return {
    only: new Set(listed(values.only, CASE_NAMES)),
    peers: PEER_DOORS.filter(({ name }) => peers.includes(name)),
    rounds: positive(values.rounds, "rounds"),
    seconds: positive(values.seconds, "seconds"),
  };
}

/** The exit code: 0 done, 1 something would not start or broke, 2 usage. */
export async function runFrontBench(args: readonly string[]): Promise<number> {
  let options: Options;
  try {
    options = readOptions(args);
  } catch (error) {
    console.error(`${messageOf(error)}\n${USAGE}`);
    return 2;
  }
  if (process.platform !== "linux" || Bun.which("wrk") === null || Bun.which("h2load") === null) {
    console.error("Cannot run the front bench: it needs Linux, wrk and h2load (Debian: wrk, nghttp2-client)");
    return 1;
  }
  const children = new Children();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => void children.close().then(() => process.exit(1)));
  }
  try {
    await measureAll(children, options);
    return 0;
  } catch (error) {
    if (!children.closing) console.error(messageOf(error));
    return 1;
  } finally {
    await children.close();
  }
}

function makeSite(children: Children): Site {
  const root = join(children.folder, "www");
  mkdirSync(root);
  for (const [path, size] of Object.entries(FILES)) writeFileSync(join(root, path), "x".repeat(size));
  const site = { root, cert: join(children.folder, "cert.pem"), key: join(children.folder, "key.pem") };
  writeFileSync(site.cert, TEST_CERT);
  writeFileSync(site.key, TEST_KEY);
  return site;
}

async function measureAll(children: Children, options: Options): Promise<void> {
  const site = makeSite(children);
  console.log(`${cpus().length} CPUs; ${options.rounds} rounds of ${options.seconds} s after a warm-up\n`);
  if (options.only.has("idle")) await measureIdle(children, site, options);
  const cases = FRONT_CASES.filter(({ name }) => options.only.has(name));
  const results: CaseResult[] = [];
  if (cases.length > 0) {
    const doors = await openAll(children, site, [SUBJECT, ...options.peers]);
    for (const load of cases) {
      if (load.client === "gtlsclient" && Bun.which("gtlsclient") === null) {
        console.log(`${load.name}: left out, it needs gtlsclient (Debian: ngtcp2-client)\n`);
        continue;
      }
      const fit = doors.filter(({ door }) => fits(door, load));
      const loads = fit.map(({ open }) => ({ door: open, load }));
      const result = summarise(load, await measureCase(children, loads, options), SUBJECT.name);
      results.push(result);
      console.log(`${table(result)}\n`);
    }
  }
  if (options.only.has("workers")) results.push(...(await measureWorkers(children, site, options)));
  if (results.length > 0) console.log(noise(results));
}

function fits(door: Door, load: FrontCase): boolean {
  if (load.client === "gtlsclient") return door.servesHttp3 === true;
  return door.servesFiles || FILES[load.path] === undefined;
}

async function openAll(
  children: Children,
  site: Site,
  doors: readonly Door[],
): Promise<{ door: Door; open: OpenDoor }[]> {
  const all: { door: Door; open: OpenDoor }[] = [];
  for (const door of doors) {
    if (door.installed()) all.push({ door, open: await door.start(children, site) });
    else console.log(`${door.name} is not installed: left out`);
  }
  return all;
}

async function measureCase(
  children: Children,
  doors: readonly { readonly door: OpenDoor; readonly load: FrontCase }[],
  { rounds, seconds }: Options,
): Promise<Sample[]> {
  for (const { door, load } of doors) await measure(children, load, door, WARM_UP_SECONDS);
  const samples: Sample[] = [];
  for (let round = 0; round < rounds; round++) {
    // Each round begins with another server, so that none always runs after the same one.
    const first = round % doors.length;
    for (const { door, load } of [...doors.slice(first), ...doors.slice(0, first)]) {
      samples.push({ ...(await measure(children, load, door, seconds)), proxy: door.name, round });
    }
  }
  return doors.flatMap(({ door }) => samples.filter(({ proxy }) => proxy === door.name));
}

async function measure(
  children: Children,
  load: FrontCase,
  door: OpenDoor,
  seconds: number,
): Promise<Omit<Sample, "proxy" | "round">> {
  const before = cpuSeconds(door.pid);
  const found = await runClient(children, load, load.scheme === "http" ? door.http : door.https, seconds);
  const used = cpuSeconds(door.pid) - before;
  const ended = door.exited();
  if (ended !== undefined) throw new Error(`Cannot go on with ${load.name}: ${ended}`);
  return { ...found, requestsPerCpuSecond: used > 0 ? found.requests / used : Number.NaN };
}

/** Each server is started anew for it, since one that has worked holds memory that it may use again. */
async function measureIdle(children: Children, site: Site, { peers }: Options): Promise<void> {
  for (const load of IDLE_CASES) {
    console.log(`idle: memory that ${load.connections} idle ${load.protocol} connections add, in MB`);
    for (const door of [SUBJECT, ...peers.filter((peer) => peer.installed())]) {
      // nginx alone opens as many, and speaks HTTP/2 over TLS only.
      if (door !== SUBJECT && (load.protocol === "http2" || door.name !== "nginx")) continue;
      const own = new Children();
      try {
        const open = await door.start(own, site);
        console.log(`  ${door.name.padEnd(10)} ${(await idleCost(children, open, load)).toFixed(1).padStart(7)}`);
      } finally {
        await own.close();
      }
    }
  }
  console.log("");
}

/**
 * Whether a second worker, with as many connections of its own, makes a request dearer. Where the load shares the cores it
 * does for any server, so nginx is measured in the same way.
 */
async function measureWorkers(children: Children, site: Site, options: Options): Promise<CaseResult[]> {
  const about = "HTTP/1.1: one worker with 256 connections, two with 512";
  const load = { ...WORKER_LOAD, name: "workers", about };
  const results: CaseResult[] = [];
  for (const [name, create] of [
    ["turnpike", turnpike],
    ["nginx", nginx],
  ] as const) {
    if (!create(1, name).installed()) continue;
    const [one, two] = [`${name}-1`, `${name}-2`];
    const doors = [
      { door: await create(1, one).start(children, site), load },
      { door: await create(2, two).start(children, site), load: { ...load, connections: 2 * load.connections } },
    ];
    const result = summarise(load, await measureCase(children, doors, options), two);
    results.push(result);
    console.log(`${table(result, two)}\n`);
  }
  return results;
}
