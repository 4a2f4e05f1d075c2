import { isProxyImport, WASI_MODULES } from "../../module/proxy-wasm-signatures.ts";
import { STATUS } from "../guest/enums.ts";
import { type Host } from "./host.ts";
import { type HostFunction, type Imports } from "../guest/machine.ts";
import { bufferFunctions } from "./buffers.ts";
import { callFunctions } from "./calls.ts";
import { fieldFunctions } from "./fields.ts";
import { metricFunctions } from "./metrics.ts";
import { plainFunctions } from "./plain.ts";
import { propertyFunctions } from "./properties.ts";
import { sharedFunctions } from "./shared.ts";
import { streamFunctions } from "./streams.ts";
import { wasiFunctions, wasiStub } from "./wasi.ts";

/** The imports of a module, for its instance. ABI functions that the gateway does not know return "unimplemented". */
export function imports(instance: Host): Imports {
  const { machine, plugin } = instance;
  const env: Record<string, HostFunction> = {
    ...plainFunctions(instance),
    ...fieldFunctions(instance),
    ...bufferFunctions(instance),
    ...streamFunctions(instance),
    ...propertyFunctions(instance),
    ...sharedFunctions(instance),
    ...metricFunctions(instance),
    ...callFunctions(instance),
  };
  const wasi = wasiFunctions(instance);
  const unimplemented = machine.wrap(() => STATUS.unimplemented);
  for (const { module, name } of WebAssembly.Module.imports(plugin.module.compiled)) {
    if (module === "env" && isProxyImport(name)) env[name] ??= unimplemented;
    wasi[name] ??= wasiStub(instance);
  }
  return { env, ...Object.fromEntries(WASI_MODULES.map((module) => [module, wasi])) };
}
