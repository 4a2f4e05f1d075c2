import { type TimerWheel } from "../../lib/time/timer-wheel.ts";
import { Upstream } from "../upstream/upstream.ts";
import { UpstreamCalls } from "./calls/call-group.ts";
import { CallTargets } from "./calls/call-targets.ts";
import { WorkerShared } from "./runtime/worker-shared.ts";
import { FilterQuota } from "./runtime/quota.ts";
import { type FilterRuntime, MAX_INSTANCES } from "./runtime/runtime.ts";

const UNCOUNTED = { invoked() {}, notInvoked() {} };
const ENDLESS = { take: () => true, give() {} };

/** An upstream for the calls that a filter makes while it starts or runs. It sends nothing, and every call fails. */
function emptyUpstream(name: string): Upstream {
  return new Upstream({ name, balancing: "round_robin", scheme: "http" }, () => {
    throw new Error("Cannot make a server: a check has no servers");
  });
}

/** The runtime of a dry run, and the upstreams that its filter can call. */
export interface DryRuntime {
  readonly runtime: Omit<FilterRuntime, "respondWithError" | "log">;
  readonly callTargets: CallTargets;
}

/** The runtime for filters that are tried outside a gateway. */
export function dryRuntime(wheel: TimerWheel): DryRuntime {
  const callTargets = new CallTargets(wheel);
  callTargets.offer({ find: emptyUpstream }, "");
  const runtime = {
    wheel,
    clock: () => performance.now(),
    bodies: ENDLESS,
    parks: new FilterQuota(0, () => {}),
    instances: new FilterQuota(MAX_INSTANCES, () => {}),
    control: () => undefined,
    hostCallDeadlineMs: () => 0,
    onError() {},
    metrics: () => UNCOUNTED,
    gauges: { pinnedChanged() {} },
    calls: new UpstreamCalls({ target: (name) => callTargets.of(name), memory: ENDLESS, onError() {} }),
    defined: { cell: () => ({ add() {}, record() {} }) },
    shared: new WorkerShared(),
  };
  return { runtime, callTargets };
}
