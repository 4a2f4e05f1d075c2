import { TimerWheel } from "../../lib/timer-wheel.ts";
import { answerError } from "../answer.ts";
import { Upstream } from "../upstream/upstream.ts";
import { UpstreamCalls } from "./calls/call-group.ts";
import { CallTargets } from "./calls/call-targets.ts";
import { type FilterConfig, type FilterFinding, LoadedFilters } from "./loaded-filters.ts";
import { ModuleCache } from "./module/module-cache.ts";
import { ParkTable } from "./park-table.ts";
import { WorkerShared } from "./proxy-wasm/worker-shared.ts";

const UNCOUNTED = { invoked() {}, notInvoked() {} };
const ENDLESS = { take: () => true, give() {} };

/** A filter may call an upstream while it starts; here nothing is sent. */
function emptyUpstream(name: string): Upstream {
  return new Upstream({ name, balancing: "round_robin", scheme: "http" }, () => {
    throw new Error("Cannot make a server: there is none");
  });
}

/** Loads and starts the filters of a configuration as a worker does, and tells what is wrong with them. */
export async function checkFilters(config: FilterConfig): Promise<readonly FilterFinding[]> {
  const wheel = new TimerWheel();
  const callTargets = new CallTargets(wheel);
  callTargets.offer({ find: emptyUpstream }, "");
  const calls = new UpstreamCalls({ target: (name) => callTargets.of(name), memory: ENDLESS, onFault() {} });
  const runtime = {
    wheel,
    clock: () => performance.now(),
    bodies: { take: () => false, give() {} },
    parks: new ParkTable(0, () => {}),
    control: () => undefined,
    hostCallDeadlineMs: () => 0,
    onFault() {},
    metrics: () => UNCOUNTED,
    gauges: { instancesChanged() {}, pinnedChanged() {} },
    calls,
    defined: { cell: () => ({ add() {}, record() {} }) },
    shared: new WorkerShared(),
  };
  const deps = { modules: new ModuleCache(), runtime, log() {}, isFirst: true, callTargets };
  const loaded = await LoadedFilters.load({ config, deps, answerError, previous: undefined });
  loaded.close(undefined);
  wheel.close();
  return loaded.findings;
}
