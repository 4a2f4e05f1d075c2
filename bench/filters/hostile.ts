import { dryRun } from "../../src/gateway/filters/dry-run.ts";
import { loaded } from "../../src/gateway/filters/module/testing/metered.ts";
import { OWN_HEAD } from "../../src/gateway/proxy/subrequest.ts";
import { HOSTILE_OWN, HOSTILE_PROXY } from "../../test/filters/testing/hostile-modules.ts";

const FUEL = 5_000_000;
const REQUEST = {
  head: {
    ...OWN_HEAD,
    method: "GET",
    authority: "example.com",
    path: "/",
    query: "",
    fields: Array.from({ length: 100 }, (_, i) => `x-${i}: ${"v".repeat(240)}\r\n`).join(""),
    bodyLength: 0,
  },
  body: new Uint8Array(0),
};

/** Prints the cost of one request for each hostile filter, with its new instance. */
export async function measureHostile(rounds: number): Promise<void> {
  const settings = { fuel: FUEL, config: "", rootId: "" };
  for (const [abi, modules] of Object.entries({ own: HOSTILE_OWN, "proxy-wasm": HOSTILE_PROXY })) {
    for (const [name, bytes] of Object.entries(modules)) {
      const module = await loaded(bytes);
      const times: string[] = [];
      for (let i = 0; i < rounds; i++) {
        const before = process.cpuUsage();
        await dryRun(module, settings, REQUEST);
        const { user, system } = process.cpuUsage(before);
        times.push(((user + system) / 1000).toFixed(0).padStart(5));
      }
      console.log(`${`${abi}, ${name}`.padEnd(60)} ${times.join(" ")} ms of CPU`);
    }
  }
}
