import { type Config } from "../config/config.ts";
import { type RespondWithError } from "../local-response.ts";
import { type Upstreams } from "../upstream/upstreams.ts";
import { type FilterDeps, LoadedFilters } from "./loaded-filters.ts";

interface FilterParts {
  readonly config: Config;
  readonly filterDeps: FilterDeps;
  readonly upstreams: Upstreams;
  readonly respondWithError: RespondWithError;
}

/** Provides `wasm_filters`. A filter of `previous` stays if its entry, file and route are the same. */
export function provideFilters(
  { config, filterDeps: deps, upstreams, respondWithError }: FilterParts,
  previous: LoadedFilters | undefined,
): Promise<LoadedFilters> {
  deps.callTargets.offer(upstreams, config.otel.service_name);
  return LoadedFilters.load({ config, deps, respondWithError, previous });
}
