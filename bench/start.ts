/**
 * The time from the gateway's command to its first response, and its CPU time, compared with nginx. The files are in
 * memory, because the first start is not counted.
 */
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { parseArgs } from "node:util";
import { join } from "node:path";
import { freePort } from "../src/lib/testing/listen.ts";
import { type Child, type Children, processTree } from "./support/children.ts";
import { compare } from "./support/comparison.ts";
import { cpuNanoseconds } from "./support/cpu-time.ts";
import { pick } from "./support/options.ts";
import { isInstalled, startNginx, startTurnpike } from "./support/programs.ts";
import { aligned, median } from "./support/report.ts";

const MAIN = join(import.meta.dir, "../src/cli/main.ts");
const LAUNCHER = join(import.meta.dir, "../bin/turnpike");
/** Measured if it was built (`npm run build:program`). */
const PROGRAM = join(import.meta.dir, "../dist/turnpike");
/** Milliseconds between two attempts to connect, and until a start counts as failed. */
const TRY_MS = 1;
const MAX_MS = 20_000;
/** A price on a test network; nothing is settled. */
const PRICE = {
  price: "$0.01",
  network: "eip155:84532",
  asset: "USDC",
  pay_to: "0x209693bc6afc0c5328ba36faf03c514ef312287c",
};

interface Starter {
  readonly name: string;
  start(children: Children, port: number): Child;
}

interface Started {
  readonly ms: number;
  readonly cpuMs: number;
}

function configOf(port: number, more: object, route: object = {}): object {
  return {
    server: { workers: 1, address: "127.0.0.1", port },
    access_log: { enabled: false },
    upstreams: [{ name: "o", servers: [{ address: "127.0.0.1", port: 9 }] }],
    routes: [{ path_prefix: "/", upstream: "o", ...route }],
    ...more,
  };
}

function gateway(name: string, more: (port: number) => object = () => ({}), route: object = {}): Starter {
  return { name, start: (children, port) => startTurnpike(children, "turnpike", configOf(port, more(port), route)) };
}

const STARTERS: readonly Starter[] = [
  gateway("gateway"),
  {
    name: "without-launcher",
    start: (children, port) =>
      children.spawn({
        name: "turnpike",
        argv: [process.execPath, MAIN, "--address", "127.0.0.1", "--port", String(port), "--workers", "1"],
      }),
  },
  {
    name: "program",
    start: (children, port) =>
      children.spawn({
        name: "turnpike",
        argv: [PROGRAM, "--address", "127.0.0.1", "--port", String(port), "--workers", "1"],
      }),
  },
  gateway("two-workers", (port) => ({ server: { workers: 2, address: "127.0.0.1", port } })),
  gateway("admin", () => ({ admin: { enabled: true, port: 0, api_key: "the-key-of-the-bench" } })),
  gateway("sells", () => ({ x402: { enabled: true, test_mode: true } }), { x402: PRICE }),
  { name: "version", start: (children) => children.spawn({ name: "turnpike", argv: [LAUNCHER, "--version"] }) },
  {
    name: "nginx",
    start: (children, port) =>
      startNginx(children, "nginx", {
        workers: 1,
        connections: 1024,
        http: `server { listen 127.0.0.1:${port}; location / { return 200; } }`,
      }),
  },
];

interface Options {
  readonly starters: readonly Starter[];
  readonly starts: number;
}

/** Returns the exit code of `compare`. */
export async function runStartBench(args: readonly string[]): Promise<number> {
  return await compare(
    {
      name: "start",
      usage: `usage: npm run bench -- start [--only NAME,...] [--starts N]\nnames: ${STARTERS.map(({ name }) => name).join(", ")}`,
      tools: [],
      read: readOptions,
      measure,
    },
    args,
  );
}

function readOptions(args: readonly string[]): Options {
  const options = { only: { type: "string" }, starts: { type: "string", default: "20" } } as const;
  const { values } = parseArgs({ args: [...args], options });
  const starts = Number(values.starts);
  if (!(Number.isInteger(starts) && starts >= 1 && starts <= 1000)) throw new RangeError("--starts takes 1 to 1000");
  return { starters: pick(STARTERS, values.only), starts };
}

async function measure(children: Children, { starters, starts }: Options): Promise<void> {
  const installed = starters.filter(
    ({ name }) => (name !== "nginx" || isInstalled("nginx")) && (name !== "program" || existsSync(PROGRAM)),
  );
  const found = installed.map((): Started[] => []);
  for (let n = -1; n < starts; n += 1) {
    for (const [i, starter] of installed.entries()) {
      const started = await startOnce(children, starter);
      if (n >= 0) found[i]?.push(started);
    }
  }
  console.log(`From the command to the first response, ${starts} starts in turn, milliseconds:`);
  const rows = installed.map(({ name }, i) => {
    const own = found[i] ?? [];
    const times = own.map(({ ms }) => ms);
    const shown = [median(times), Math.min(...times), Math.max(...times), median(own.map(({ cpuMs }) => cpuMs))];
    return [name, ...shown.map((value) => value.toFixed(0))];
  });
  console.log(aligned([["", "median", "least", "most", "CPU"], ...rows]).join("\n"));
}

async function startOnce(children: Children, starter: Starter): Promise<Started> {
  const group = children.group();
  const port = await freePort();
  const begun = performance.now();
  const child = starter.start(group, port);
  try {
    if (starter.name === "version") {
      await child.done;
      return { ms: performance.now() - begun, cpuMs: Number.NaN };
    }
    while (!(await responses(port))) {
      const ended = child.exited();
      if (ended !== undefined) throw new Error(`Cannot start ${starter.name}: ${ended}: ${child.output().trim()}`);
      if (performance.now() - begun > MAX_MS) throw new Error(`Cannot start ${starter.name}: not ready`);
      await Bun.sleep(TRY_MS);
    }
    const ms = performance.now() - begun;
    const cpuMs = processTree(child.pid).reduce((sum, pid) => sum + cpuNanoseconds(pid), 0) / 1e6;
    return { ms, cpuMs };
  } finally {
    await group.close();
  }
}

/** True if the port sends a response. */
function responses(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write("GET /.healthz HTTP/1.1\r\nHost: a\r\n\r\n"));
    socket.once("data", () => {
      resolve(true);
      socket.destroy();
    });
    socket.once("error", () => resolve(false));
    socket.once("close", () => resolve(false));
  });
}
