/**
 * The front door compared with other servers: TLS, new connections, HTTP/2, files, memory, workers. As in the proxy
 * bench, the measure is requests per CPU-second of the server's processes.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { LOCALHOST } from "../test/support/certificates.ts";
import { type FrontCase, FILES, FRONT_CASES, WORKER_LOAD } from "./front/cases.ts";
import { runClient } from "./front/clients.ts";
import { type Door, type OpenDoor, nginx, PEER_DOORS, RELAY, type Site, turnpike } from "./front/doors.ts";
import { IDLE_CASES, idleCost, memoryOf } from "./front/idle.ts";
import { Children } from "./support/children.ts";
import { compare } from "./support/comparison.ts";
import { pick, readRounds, ROUND_FLAGS, type Rounds, usage } from "./support/options.ts";
import { isInstalled } from "./support/programs.ts";
import { type CaseResult, noise, summarise, table } from "./support/report.ts";
import { type Contestant, measureRounds } from "./support/rounds.ts";

const SUBJECT = turnpike(1);
const CASES = [...FRONT_CASES, { name: "idle" }, { name: "workers" }];

interface Options extends Rounds {
  readonly only: ReadonlySet<string>;
  readonly peers: readonly Door[];
}

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({ args: [...args], options: ROUND_FLAGS });
  const only = new Set(pick(CASES, values.only).map(({ name }) => name));
  return { only, peers: pick(PEER_DOORS, values.peers), ...readRounds(values) };
}

/** Returns the exit code of `compare`. */
export async function runFrontBench(args: readonly string[]): Promise<number> {
  return await compare(
    {
      name: "front",
      usage: usage("front", { cases: CASES, peers: PEER_DOORS }),
      tools: [
        ["wrk", "wrk"],
        ["h2load", "nghttp2-client"],
      ],
      read: readOptions,
      measure: measureAll,
    },
    args,
  );
}

function makeSite(children: Children): Site {
  const root = join(children.folder, "www");
  mkdirSync(root);
  for (const [path, size] of Object.entries(FILES)) writeFileSync(join(root, path), "x".repeat(size));
  const site = { root, cert: join(children.folder, "cert.pem"), key: join(children.folder, "key.pem") };
  const { cert, key } = LOCALHOST;
  writeFileSync(site.cert, cert);
  writeFileSync(site.key, key);
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
      if (load.client === "gtlsclient" && !isInstalled("gtlsclient")) {
        console.log(`${load.name}: left out, it needs gtlsclient (Debian: ngtcp2-client)\n`);
        continue;
      }
      const fit = doors.filter(({ door }) => fits(door, load));
      const contestants = fit.map(({ open }) => driven(children, open, load));
      const result = summarise(load, { samples: await measureRounds(contestants, options) }, SUBJECT.name);
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

function driven(children: Children, door: OpenDoor, load: FrontCase): Contestant {
  const port = load.scheme === "http" ? door.http : door.https;
  return { ...door, drive: (seconds) => runClient(children, load, port, seconds) };
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

/** Seconds of load before memory is measured. */
const MEMORY_LOAD_SECONDS = 10;

/** The memory of one worker, without idle connections. */
async function measureMemory(site: Site, peers: readonly Door[]): Promise<void> {
  console.log(`memory: MB of one worker at rest, and after ${MEMORY_LOAD_SECONDS} s of load on 256 connections`);
  const load = { ...WORKER_LOAD, name: "memory", about: "" };
  for (const door of [SUBJECT, ...peers.filter((peer) => peer.installed())]) {
    const own = new Children();
    try {
      const open = await door.start(own, site);
      const drive = (): Promise<unknown> => runClient(own, load, open.http, MEMORY_LOAD_SECONDS);
      const [atRest, after] = await memoryOf(open, drive);
      console.log(`  ${door.name.padEnd(10)} ${atRest.toFixed(0).padStart(7)} ${after.toFixed(0).padStart(7)}`);
    } finally {
      await own.close();
    }
  }
}

/** Each server is restarted for this, since a server that has worked keeps memory for reuse. */
async function measureIdle(children: Children, site: Site, { peers }: Options): Promise<void> {
  await measureMemory(site, peers);
  for (const load of IDLE_CASES) {
    console.log(`idle: memory that ${load.connections} idle ${load.protocol} connections add, in MB`);
    for (const door of [SUBJECT, RELAY, ...peers.filter((peer) => peer.installed())]) {
      // Of the peers only nginx opens as many connections, and it speaks HTTP/2 only over TLS.
      if (door !== SUBJECT && (load.protocol === "http2" || (door !== RELAY && door.name !== "nginx"))) continue;
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
 * Whether a second worker, with the same number of connections, makes a request more expensive. If the load shares the
 * cores, it does for any server, so nginx is measured in the same way.
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
    const twice = { ...load, connections: 2 * load.connections };
    const contestants = [
      driven(children, await create(1, one).start(children, site), load),
      driven(children, await create(2, two).start(children, site), twice),
    ];
    const result = summarise(load, { samples: await measureRounds(contestants, options) }, two);
    results.push(result);
    console.log(`${table(result, two)}\n`);
  }
  return results;
}
