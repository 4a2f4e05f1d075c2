import { TimerWheel } from "../../lib/timer-wheel.ts";
import { answerError } from "../answer.ts";
import { type FilterConfig, type FilterFinding, LoadedFilters } from "./loaded-filters.ts";
import { ModuleCache } from "./module/module-cache.ts";
import { ParkTable } from "./park-table.ts";

const UNCOUNTED = { invoked() {}, notInvoked() {} };

/** Loads and starts the filters of a configuration as a worker does, and tells what is wrong with them. */
export async function checkFilters(config: FilterConfig): Promise<readonly FilterFinding[]> {
  const wheel = new TimerWheel();
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
  };
  const deps = { modules: new ModuleCache(), runtime, log() {}, isFirst: true };
  const loaded = await LoadedFilters.load({ config, deps, answerError, previous: undefined });
  loaded.close(undefined);
  wheel.close();
  return loaded.findings;
}
