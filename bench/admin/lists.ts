/** The time for a list of 10,000 routes, and for one more route. */
import { type Children, processTree } from "../support/children.ts";
import { cpuNanoseconds } from "../support/cpu-time.ts";
import { median } from "../support/report.ts";
import { ask, startGateway } from "./gateway.ts";

const ROUTES = 10_000;
const REPEATS = 20;

/** Prints the median and maximum in milliseconds, and the CPU time. */
export async function measureLists(children: Children): Promise<void> {
  const group = children.group();
  const upstreams = [{ name: "o", servers: [{ address: "127.0.0.1", port: 9 }] }];
  const routes = Array.from({ length: ROUTES }, (_, n) => ({ path_prefix: `/route/${n}`, upstream: "o" }));
  const { url, pid } = await startGateway(group, { upstreams, routes });
  const cpu = (): number => processTree(pid).reduce((sum, member) => sum + cpuNanoseconds(member), 0) / 1e6;
  const steps = [
    ["one is added in", (n: number) => ask(url, "POST", "/v1/routes", { path_prefix: `/new/${n}`, upstream: "o" })],
    ["listed after a change in", () => ask(url, "GET", "/v1/routes")],
    ["listed again in", () => ask(url, "GET", "/v1/routes")],
  ] as const;
  const times: number[][] = steps.map(() => []);
  const used: number[][] = steps.map(() => []);
  for (let n = 0; n < REPEATS; n += 1) {
    for (const [i, [, step]] of steps.entries()) {
      const before = cpu();
      times[i]?.push(await step(n));
      used[i]?.push(cpu() - before);
    }
  }
  await group.close();
  console.log(`${ROUTES} routes, ${REPEATS} times (bounds: added in 100 ms, listed in 50 ms):`);
  for (const [i, [what]] of steps.entries()) {
    const own = times[i] ?? [];
    const [middle, most, work] = [median(own), Math.max(...own), median(used[i] ?? [])].map((ms) => ms.toFixed(1));
    console.log(`  ${what.padEnd(25)} ${middle} ms in the median, ${most} at most, ${work} ms of CPU`);
  }
}
