import { type FeatureParts } from "../features/feature-parts.ts";
import { type Upstreams } from "../upstream/upstreams.ts";
import { LoadedFilters } from "./loaded-filters.ts";
import { type WorkerFilters } from "./worker-filters.ts";

interface FilterParts extends FeatureParts {
  readonly workerFilters: WorkerFilters;
  readonly upstreams: Upstreams;
}

interface ProvidedFilters {
  readonly filters: LoadedFilters;
  use(): void;
  close(next: ProvidedFilters | undefined): void;
}

/** Provides `wasm_filters`. A filter of `previous` stays if its entry, file and route are the same. */
export async function provideFilters(
  { config, workerFilters, upstreams, respondWithError }: FilterParts,
  previous: ProvidedFilters | undefined,
): Promise<ProvidedFilters> {
  const { deps } = workerFilters;
  deps.callTargets.offer(upstreams, config.otel.service_name);
  const filters = await LoadedFilters.load({ config, deps, respondWithError, previous: previous?.filters });
  return provided(filters, config, workerFilters);
}

/** Outside `provideFilters`: functions made there would keep `previous`, and all configurations before it, in memory. */
function provided(
  filters: LoadedFilters,
  config: Parameters<WorkerFilters["use"]>[0],
  workerFilters: WorkerFilters,
): ProvidedFilters {
  return {
    filters,
    use: () => workerFilters.use(config, filters),
    close: (next) => filters.close(next?.filters),
  };
}
