/** The latency of traffic while 10,000 routes are loaded again, checked or shown, and the CPU time of that. */
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { type Children, processTree } from "../support/children.ts";
import { cpuNanoseconds } from "../support/cpu-time.ts";
import { median } from "../support/report.ts";
import { ask, KEY, startGateway } from "./gateway.ts";

const ROUTES = 10_000;
const REPEATS = 4;
/** Milliseconds between a response and the next request. */
const PAUSE_MS = 2;

/** Prints the worst latency of a request, in milliseconds, for one worker and for two. The bound is 20 ms. */
export async function measureReloads(children: Children): Promise<void> {
  for (const workers of [1, 2]) {
    const group = children.group();
    const base = { upstreams: [{ name: "o", servers: [{ address: "127.0.0.1", port: 9 }] }] };
    const routes = (ms: number): object[] =>
      Array.from({ length: ROUTES }, (_, n) => ({ path_prefix: `/route/${n}`, upstream: "o", read_timeout_ms: ms }));
    const { url, port, pid } = await startGateway(group, { ...base, routes: routes(1) }, workers);
    const served = JSON.parse(await (await fetch(`${url}/v1/status`, { headers: { "x-api-key": KEY } })).text());
    const file = String(served.config.path);
    const whole = JSON.parse(await Bun.file(file).text());
    const steps = [
      ["quiet", () => Bun.sleep(500)],
      ["all routes changed", (n: number) => reload(url, file, { ...whole, routes: routes(n + 2) })],
      ["no route changed", () => ask(url, "POST", "/v1/reload")],
      ["checked", () => ask(url, "POST", "/v1/config/check", { ...whole, routes: routes(1000) })],
      ["shown", () => ask(url, "GET", "/v1/config")],
    ] as const;
    const cpu = (): number => processTree(pid).reduce((sum, member) => sum + cpuNanoseconds(member), 0) / 1e6;
    console.log(`${ROUTES} routes, workers: ${workers} (bound: 20 ms for a request)`);
    for (const [what, step] of steps) {
      const worst: number[] = [];
      const work: number[] = [];
      for (let n = 0; n < REPEATS; n += 1) {
        const before = cpu();
        worst.push(await worstDuring(port, () => step(n)));
        work.push(cpu() - before);
      }
      const [ms, used] = [median(worst), median(work)].map((value) => value.toFixed(1));
      console.log(`  ${what.padEnd(20)} ${ms} ms for the slowest request, ${used} ms of CPU`);
    }
    await group.close();
  }
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
