import { type FunctionType, typeText } from "./reading/value-types.ts";
import { type ImportedFunction, type ModuleShape } from "./reading/module-shape.ts";
import { ModuleRefused } from "./reading/refused.ts";
import {
  ALLOCATOR_TYPE,
  ALLOCATORS,
  DECIDING_EXPORTS,
  isProxyImport,
  OTHER_EXPORTS,
  OTHER_IMPORTS,
  WASI_MODULES,
} from "./proxy-wasm-signatures.ts";

const NUMBERS = /^\((?:i(?:32|64)(?:, i(?:32|64))*)?\) -> (?:i32|\(\))$/;
/** Matches a parameter list such as `(i32, i32)`. */
const ONLY_I32 = /^\((?:i32(?:, i32){0,4})?\)$/;

/** Throws ModuleRefused if the proxy-wasm host cannot run a module. `typeOf`: a function's type by index. */
export function checkProxyWasm(shape: ModuleShape, typeOf: (index: number) => FunctionType): void {
  for (const imported of shape.imports) checkImport(imported);
  let hasAllocator = false;
  for (const { name, kind, index } of shape.exports) {
    const isAllocator = ALLOCATORS.includes(name);
    const decides = DECIDING_EXPORTS.includes(name);
    if (!isAllocator && !decides && !OTHER_EXPORTS.includes(name)) continue;
    if (kind !== "function") throw new ModuleRefused(`it exports ${name}, which is a ${kind} and must be a function`);
    const found = typeText(typeOf(index));
    if (isAllocator && found !== ALLOCATOR_TYPE) {
      throw new ModuleRefused(`it exports ${name} as ${found}; it must be ${ALLOCATOR_TYPE}`);
    }
    const [parameters = "", result] = found.split(" -> ");
    if (!ONLY_I32.test(parameters) || (decides && result !== "i32")) {
      const rule = decides ? "take i32 and return i32" : "take i32";
      throw new ModuleRefused(`it exports ${name} as ${found}; it must ${rule}`);
    }
    hasAllocator ||= isAllocator;
  }
  if (!hasAllocator)
    throw new ModuleRefused(`it exports neither ${ALLOCATORS.join(" nor ")}: the gateway cannot pass data to it`);
}

/** SDKs declare different parameters for one function. So this refuses only types other than i32 and i64. */
function checkImport({ module, name, type }: ImportedFunction): void {
  const isKnown = module === "env" && (isProxyImport(name) || OTHER_IMPORTS.includes(name));
  if (!isKnown && !WASI_MODULES.includes(module)) {
    throw new ModuleRefused(`it imports "${module}.${name}", which the gateway does not have`);
  }
  const found = typeText(type);
  if (!NUMBERS.test(found)) {
    throw new ModuleRefused(`it imports "${module}.${name}" as ${found}; it takes i32 and i64 and returns i32`);
  }
}
