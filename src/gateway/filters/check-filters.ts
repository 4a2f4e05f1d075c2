import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { respondWithError } from "../exchange/local-response.ts";
import { dryRuntime } from "./dry-runtime.ts";
import { type FilterConfig, type FilterDiagnostic, LoadedFilters } from "./loaded-filters.ts";
import { ModuleCache } from "./module/module-cache.ts";
import { prepare } from "./module/prepare.ts";

/** Loads and starts a configuration's filters as a worker does, in this thread. Returns the problems. */
export async function checkFilters(config: FilterConfig): Promise<readonly FilterDiagnostic[]> {
  const wheel = new TimerWheel();
  const deps = {
    modules: new ModuleCache(({ file, memoryBytes }) => prepare(file, memoryBytes)),
    ...dryRuntime(wheel),
    log() {},
    isFirst: true,
  };
  const loaded = await LoadedFilters.load({ config, deps, respondWithError, previous: undefined });
  loaded.close(undefined);
  wheel.close();
  return loaded.diagnostics;
}
