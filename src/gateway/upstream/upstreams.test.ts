import { afterEach, beforeEach, expect, test } from "bun:test";
import { plentyOfBuffers } from "../../lib/testing/plenty.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { loadValue } from "../config/load.ts";
import { onlySlot, Telemetry } from "../telemetry/telemetry.ts";
import { ServerStates } from "./outlier-detection.ts";
import { provideUpstreams, type Upstreams } from "./upstreams.ts";

let wheel: TimerWheel;

beforeEach(() => {
  wheel = new TimerWheel();
});

afterEach(() => wheel.close());

function provide(servers: Readonly<Record<string, number>>, previous?: Upstreams): Upstreams {
  const upstreams = Object.entries(servers).map(([name, port]) => ({
    name,
    servers: [{ address: "127.0.0.1", port }],
  }));
  const { config } = loadValue({ upstreams });
  if (config === undefined) throw new Error("Cannot provide upstreams: the configuration is refused");
  const slot = onlySlot();
  const states = new ServerStates(slot.zone, slot.row);
  const parts = { config, wheel, buffers: plentyOfBuffers(), telemetry: new Telemetry(slot), states, members: {} };
  return provideUpstreams({ ...parts, onError() {}, log() {} }, previous);
}

test("the next upstreams keep those that have not changed, and only the others are closed", () => {
  const before = provide({ same: 1, changed: 2, gone: 3 });
  const closed: string[] = [];
  for (const name of ["same", "changed", "gone"]) {
    const upstream = before.get(name);
    const close = upstream.close.bind(upstream);
    upstream.close = () => {
      closed.push(name);
      close();
    };
  }
  const after = provide({ same: 1, changed: 4 }, before);
  expect([after.get("same") === before.get("same"), after.get("changed") === before.get("changed")]).toEqual([
    true,
    false,
  ]);
  before.close(after);
  expect(closed).toEqual(["changed", "gone"]);
  after.close(undefined);
  expect(closed).toEqual(["changed", "gone", "same"]);
});
