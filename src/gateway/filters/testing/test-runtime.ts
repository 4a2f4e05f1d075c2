import { TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { respondWithError } from "../../exchange/local-response.ts";
import { type FilterOutcome, type FilterPhase } from "../../telemetry/filter-metrics.ts";
import { UpstreamCalls } from "../calls/call-group.ts";
import { type ControlLink } from "../runtime/filter.ts";
import { WorkerShared } from "../runtime/worker-shared.ts";
import { FilterQuota } from "../runtime/quota.ts";
import { type FilterRuntime, type FilterSettings, MAX_INSTANCES } from "../runtime/runtime.ts";

/** The runtime of a test, and a record of what filters did with it. */
export interface TestRuntime extends FilterRuntime {
  /** `PHASE OUTCOME` of each invocation, and of each one that could not take place. */
  readonly counted: string[];
  readonly lines: string[];
  readonly errors: unknown[];
  /** Bytes of the memory for bodies that are in use, and its capacity. */
  memory: { taken: number; capacity: number };
  gauge: { instances: number; pinned: number; parked: number };
  link: ControlLink | undefined;
  deadlineMs: number;
}

const PLENTY = 64 * 1024 * 1024;
const PLENTY_OF_MEMORY = { take: () => true, give() {} };

export function testRuntime(wheel = new TimerWheel()): TestRuntime {
  const gauge = { instances: 0, pinned: 0, parked: 0 };
  const memory = { taken: 0, capacity: PLENTY };
  const counted: string[] = [];
  const lines: string[] = [];
  const errors: unknown[] = [];
  const count = (phase: FilterPhase, outcome: FilterOutcome): void => void counted.push(`${phase} ${outcome}`);
  const runtime: TestRuntime = {
    counted,
    lines,
    errors,
    memory,
    gauge,
    link: undefined,
    deadlineMs: 60_000,
    wheel,
    clock: () => performance.now(),
    bodies: {
      take(bytes) {
        if (memory.taken + bytes > memory.capacity) return false;
        memory.taken += bytes;
        return true;
      },
      give: (bytes) => void (memory.taken -= bytes),
    },
    parks: new FilterQuota(64, (change) => void (gauge.parked += change)),
    instances: new FilterQuota(MAX_INSTANCES, (change) => void (gauge.instances += change)),
    control: () => runtime.link,
    hostCallDeadlineMs: () => runtime.deadlineMs,
    log: (filter, line) => void lines.push(`${filter}: ${line}`),
    onError: (error) => void errors.push(error),
    respondWithError,
    metrics: () => ({ invoked: count, notInvoked: count }),
    gauges: {
      pinnedChanged: (change) => void (gauge.pinned += change),
    },
    calls: new UpstreamCalls({ target: () => undefined, memory: PLENTY_OF_MEMORY, onError() {} }),
    defined: { cell: () => ({ add() {}, record() {} }) },
    shared: new WorkerShared(),
  };
  return runtime;
}

export function testSettings(settings: Partial<FilterSettings> = {}): FilterSettings {
  return {
    name: "test",
    route: "/",
    upstream: "",
    instances: 1,
    fuel: 5_000_000,
    responseFailClosed: false,
    config: "",
    vmConfig: "",
    rootId: "",
    vmId: "",
    maxBodyBytes: 1_000_000,
    visibleFields: ({ fields }) => fields,
    visibleQuery: ({ query }) => query,
    ...settings,
  };
}
