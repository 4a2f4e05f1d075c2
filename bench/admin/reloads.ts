/** The latency of traffic while 10,000 routes are loaded again, checked or shown, and the CPU time of that. */
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { type Children, processTree } from "../support/children.ts";
import { cpuNanoseconds } from "../support/cpu-time.ts";
import { median } from "../support/report.ts";
import { PAYEE } from "../../src/payments/testing/payment.ts";
import { ask, KEY, startGateway } from "./gateway.ts";

const ROUTES = 10_000;
const REPEATS = 5;
/** Milliseconds between a response and the next request. */
const PAUSE_MS = 2;
/** Milliseconds in which a process frees memory. */
const SETTLE_MS = 3000;

/** The keys of routes beside the path and the upstream. */
const KINDS = [
  { kind: "plain", sections: {}, more: () => ({}) },
  {
    kind: "priced and limited",
    sections: { x402: { enabled: true, test_mode: true } },
    more: (n: number) => ({
      x402: { price: "$0.01", asset: "USDC", network: "base-sepolia", pay_to: PAYEE, description: `Report ${n}` },
      rate_limit: { requests_per_second: 100, burst_size: 200, key: "ip" },
    }),
  },
];

/** Prints the time of each step, the longest time of a request (the bound is 20 ms), and the memory, for one worker and for two. */
export async function measureReloads(children: Children): Promise<void> {
  for (const kind of KINDS) for (const workers of [1, 2]) await measureKind(children, kind, workers);
}

async function measureKind(
  children: Children,
  { kind, sections, more }: (typeof KINDS)[number],
  workers: number,
): Promise<void> {
  const group = children.group();
  const base = { ...sections, upstreams: [{ name: "o", servers: [{ address: "127.0.0.1", port: 9 }] }] };
  const routes = (ms: number): object[] =>
    Array.from({ length: ROUTES }, (_, n) => ({
      path_prefix: `/route/${n}`,
      upstream: "o",
      read_timeout_ms: ms,
      ...more(n),
    }));
  const { url, port, pid } = await startGateway(group, { ...base, routes: routes(1) }, workers);
  const served = JSON.parse(await (await fetch(`${url}/v1/status`, { headers: { "x-api-key": KEY } })).text());
  const file = String(served.config.path);
  const whole = JSON.parse(await Bun.file(file).text());
  const steps = [
    ["quiet", () => Bun.sleep(500)],
    ["all routes changed", (n: number) => reload(url, file, { ...whole, routes: routes(n + 2) })],
    [
      "one route changed",
      (n: number) => reload(url, file, { ...whole, routes: routes(6).with(n, routes(9)[n] ?? {}) }),
    ],
    ["no route changed", () => ask(url, "POST", "/v1/reload")],
    ["checked", () => ask(url, "POST", "/v1/config/check", { ...whole, routes: routes(1000) })],
    ["persisted", () => ask(url, "POST", "/v1/config/persist")],
    ["shown", () => ask(url, "GET", "/v1/config")],
  ] as const;
  const cpu = (): number => processTree(pid).reduce((sum, member) => sum + cpuNanoseconds(member), 0) / 1e6;
  console.log(`${ROUTES} routes, ${kind}, workers: ${workers} (bound: 20 ms for a request)`);
  const memory = async (when: string): Promise<void> => {
    await Bun.sleep(SETTLE_MS);
    const [first = 0, ...others] = processTree(pid).map(residentMegabytes);
    const supervisor = others.length === 0 ? "" : `, supervisor ${first.toFixed(0)} MB`;
    console.log(
      `  memory ${when}: workers ${(others.length === 0 ? [first] : others).map((mb) => mb.toFixed(0)).join(" ")} MB${supervisor}`,
    );
  };
  await memory("after the start");
  for (const [what, step] of steps) {
    const times: number[] = [];
    const worst: number[] = [];
    const work: number[] = [];
    for (let n = 0; n < REPEATS; n += 1) {
      const [before, begun] = [cpu(), performance.now()];
      worst.push(await worstDuring(port, () => step(n)));
      times.push(performance.now() - begun);
      work.push(cpu() - before);
    }
    const [ms, slowest, used] = [median(times), Math.max(...worst), median(work)].map((value) => value.toFixed(1));
    console.log(
      `  ${what.padEnd(20)} ${ms} ms, ${used} ms of CPU, ${slowest} ms for the slowest request (${worst.map((value) => value.toFixed(1)).join(" ")})`,
    );
    if (what === "all routes changed") await memory(`after ${REPEATS} reloads`);
  }
  await memory("at the end");
  await group.close();
}

function residentMegabytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? 0) / 1024;
}

function reload(url: string, file: string, config: object): Promise<number> {
  writeFileSync(file, JSON.stringify(config));
  return ask(url, "POST", "/v1/reload");
}

/** The longest time for a response while `step` runs. */
async function worstDuring(port: number, step: () => Promise<unknown>): Promise<number> {
  let worst = 0;
  let sentAt = 0;
  const socket = connect(port, "127.0.0.1");
  const send = (): void => {
    sentAt = performance.now();
    socket.write("GET /.healthz HTTP/1.1\r\nHost: a\r\n\r\n");
  };
  socket.on("connect", send);
  socket.on("data", () => {
    worst = Math.max(worst, performance.now() - sentAt);
    setTimeout(send, PAUSE_MS);
  });
  await step();
  worst = Math.max(worst, performance.now() - sentAt - PAUSE_MS);
  socket.destroy();
  return worst;
}
