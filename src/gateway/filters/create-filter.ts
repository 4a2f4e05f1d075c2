import { type Filter } from "./filter.ts";
import { type FilterModule } from "./module/module-cache.ts";
import { OwnFilter } from "./own-filter.ts";
import { type FilterRuntime, type FilterSettings } from "./runtime.ts";

/** Makes the filter of a module by its ABI. Throws an Error that says why it cannot run. */
export function createFilter(module: FilterModule, settings: FilterSettings, runtime: FilterRuntime): Filter {
  if (module.abi.kind === "own") return new OwnFilter(module, settings, runtime);
  throw new Error(
    `Cannot run the filter "${settings.name}": this build runs no filters of the ABI "${module.abi.kind}"`,
  );
}
