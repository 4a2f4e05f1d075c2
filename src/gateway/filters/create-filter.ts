import { type Filter } from "./filter.ts";
import { type FilterModule } from "./module/module-cache.ts";
import { OwnFilter } from "./own-filter.ts";
import { ProxyWasmFilter } from "./proxy-wasm/proxy-wasm-filter.ts";
import { type FilterRuntime, type FilterSettings } from "./runtime.ts";

/** Makes the filter of a module by its ABI. Throws an Error that says why it cannot run. */
export function createFilter(module: FilterModule, settings: FilterSettings, runtime: FilterRuntime): Filter {
  const Kind = module.abi.kind === "own" ? OwnFilter : ProxyWasmFilter;
  return new Kind(module, settings, runtime);
}
