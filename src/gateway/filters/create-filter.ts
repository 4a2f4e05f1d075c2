import { type Filter } from "./filter.ts";
import { type FilterModule } from "./module/module-cache.ts";
import { type FilterRuntime, type FilterSettings } from "./runtime.ts";

/** Makes the filter of a module by its ABI. Throws an Error that says why it cannot run. */
export function createFilter(module: FilterModule, { name }: FilterSettings, _runtime: FilterRuntime): Filter {
  throw new Error(`Cannot run the filter "${name}": this build runs no filters of the ABI "${module.abi.kind}"`);
}
