/**
 * Slow clients before an origin of 64 workers: the number and latency of a normal client's responses meanwhile. All
 * programs run on loopback. Flags set the seconds and the number of slow clients.
 */
import { connect } from "node:http2";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { freePort } from "../src/lib/testing/listen.ts";
import { messageOf } from "../src/lib/caught.ts";
import { PEERS, SUBJECT } from "./proxy/proxies.ts";
import { type Proxy, type Shape } from "./proxy/proxy.ts";
import { ATTACK_KINDS, type AttackKind } from "./slow-clients/kinds.ts";
import { type Children, waitFor } from "./support/children.ts";
import { compare } from "./support/comparison.ts";
import { pick } from "./support/options.ts";

const WORKERS = 64;
/** Milliseconds that the normal client waits for a response, and between two requests. */
const PATIENCE_MS = 5000;
const PACE_MS = 25;
const SETTLE_MS = 1500;

interface Options {
  readonly attacks: readonly { readonly name: AttackKind }[];
  readonly peers: readonly Proxy[];
  readonly clients: number;
  readonly seconds: number;
}

interface Result {
  readonly asked: number;
  readonly responded: number;
  readonly p50: number;
  readonly p99: number;
  /** Busy workers of the origin at the end. */
  readonly busy: number;
}

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string" },
      peers: { type: "string" },
      clients: { type: "string", default: "96" },
      seconds: { type: "string", default: "5" },
    },
  });
  const [clients, seconds] = [Number(values.clients), Number(values.seconds)];
  if (!(clients >= 1 && clients <= 2000 && seconds >= 1 && seconds <= 60)) {
    throw new RangeError("--clients takes 1 to 2000, --seconds 1 to 60");
  }
  const attacks = ATTACK_KINDS.map((name) => ({ name }));
  const known = PEERS.filter(({ name }) => name !== "caddy");
  return { attacks: pick(attacks, values.only), peers: pick(known, values.peers), clients, seconds };
}

/** Returns the exit code of `compare`. */
export async function runSlowClientsBench(args: readonly string[]): Promise<number> {
  const usage =
    "usage: npm run bench -- slow-clients [--only ATTACK,...] [--peers NAME,...] [--clients N] [--seconds N]\n" +
    `attacks: ${ATTACK_KINDS.join(", ")}; peers: nginx, haproxy (--peers "" for none)`;
  return await compare({ name: "slow-clients", usage, tools: [], read: readOptions, measure }, args);
}

async function measure(children: Children, { attacks, peers, clients, seconds }: Options): Promise<void> {
  const proxies = [SUBJECT, ...peers.filter((peer) => peer.installed())];
  console.log(`${clients} slow clients, ${seconds} s; origin: ${WORKERS} workers`);
  console.log("attack      program   answered    p50 ms    p99 ms  origin's workers in use");
  for (const { name } of attacks) {
    for (const proxy of proxies) {
      const group = children.group();
      try {
        print(name, proxy.name, await attacked(group, proxy, { kind: name, clients, seconds }));
      } catch (error) {
        console.log(`${name.padEnd(11)} ${proxy.name.padEnd(9)} failed: ${messageOf(error)}`);
      } finally {
        await group.close();
      }
    }
  }
}

function print(attack: string, program: string, { asked, responded, p50, p99, busy }: Result): void {
  const share = `${responded}/${asked}`.padStart(8);
  const times = [p50, p99].map((ms) => ms.toFixed(1).padStart(9)).join(" ");
  console.log(`${attack.padEnd(11)} ${program.padEnd(9)} ${share} ${times}  ${busy}`);
}

interface Plan {
  readonly kind: AttackKind;
  readonly clients: number;
  readonly seconds: number;
}

async function attacked(children: Children, proxy: Proxy, { kind, clients, seconds }: Plan): Promise<Result> {
  const originPort = await freePort();
  await startProgram(children, "origin.ts", [originPort, WORKERS]);
  const isHttp2 = kind === "h2-uploads";
  const shape: Shape = { client: isHttp2 ? "h2c" : "http1", upstream: "http1" };
  const running = await proxy.start(children, { shape, originPort, cert: "", key: "", ca: "", pool: WORKERS });
  await startProgram(children, "attack.ts", [kind, running.port, clients]);
  await Bun.sleep(SETTLE_MS);
  const times = await askFor(seconds, isHttp2, running.port);
  const responded = times.filter((ms) => ms >= 0).toSorted((a, b) => a - b);
  const at = (part: number): number => responded[Math.ceil(responded.length * part) - 1] ?? Number.NaN;
  const busy = Number(await (await fetch(`http://127.0.0.1:${originPort}/busy`)).text());
  return { asked: times.length, responded: responded.length, p50: at(0.5), p99: at(0.99), busy };
}

async function startProgram(children: Children, file: string, args: readonly (string | number)[]): Promise<void> {
  const argv = [process.execPath, join(import.meta.dir, "slow-clients", file), ...args.map(String)];
  const child = children.spawn({ name: file, argv });
  await waitFor(child, file, () => Promise.resolve(child.output().includes("ready") ? true : undefined));
}

/** Milliseconds of each request; -1 if there was no valid response in time. */
async function askFor(seconds: number, isHttp2: boolean, port: number): Promise<number[]> {
  const asked: Promise<number>[] = [];
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    asked.push(askOnce(isHttp2, port));
    await Bun.sleep(PACE_MS);
  }
  return await Promise.all(asked);
}

async function askOnce(isHttp2: boolean, port: number): Promise<number> {
  const began = performance.now();
  const child = isHttp2
    ? askHttp2(port)
    : fetch(`http://127.0.0.1:${port}/small`, {
        signal: AbortSignal.timeout(PATIENCE_MS),
        headers: { connection: "close" },
      }).then(async (response) => (await response.text()) === "ok");
  const isGood = await child.catch(() => false);
  return isGood ? performance.now() - began : -1;
}

async function askHttp2(port: number): Promise<boolean> {
  const session = connect(`http://127.0.0.1:${port}`);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), PATIENCE_MS);
  session.on("error", () => resolve(false));
  const stream = session.request({ ":path": "/small" });
  stream.on("response", (head) => resolve(head[":status"] === 200));
  stream.on("error", () => resolve(false));
  stream.resume();
  const isGood = await promise;
  clearTimeout(timer);
  session.destroy();
  return isGood;
}
