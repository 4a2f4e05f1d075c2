import { type Filter } from "./runtime/filter.ts";
import { type FilterModule } from "./module/module-cache.ts";
import { OwnFilter } from "./own-filter.ts";
import { ProxyWasmFilter } from "./proxy-wasm/proxy-wasm-filter.ts";
import { type FilterRuntime, type FilterSettings } from "./runtime/runtime.ts";

/** Creates the filter for a module, by its ABI. Throws an Error with the reason if it cannot run. */
export function createFilter(module: FilterModule, settings: FilterSettings, runtime: FilterRuntime): Filter {
  if (settings.route === "" && module.abi.kind === "own")
    throw new Error("Cannot start the filter: only a proxy-wasm filter can run without a route");
  const Kind = module.abi.kind === "own" ? OwnFilter : ProxyWasmFilter;
  return new Kind(module, settings, runtime);
}
