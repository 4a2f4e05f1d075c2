import { OWN_EXPORTS, OWN_IMPORTS } from "./own-signatures.ts";
import { checkProxyWasm } from "./check-proxy-wasm.ts";
import { type ImportedFunction, type ModuleShape } from "./reading/module-shape.ts";
import { ModuleRefused } from "./reading/refused.ts";
import { type FunctionType, typeText } from "./reading/value-types.ts";

/** The binary interface between a filter and the gateway. */
export type Abi = { readonly kind: "own" } | { readonly kind: "proxy-wasm"; readonly version: ProxyVersion };

const PROXY_VERSIONS = ["0.1.0", "0.2.0", "0.2.1"] as const;
/** The supported versions of the Proxy-Wasm ABI. */
export type ProxyVersion = (typeof PROXY_VERSIONS)[number];

const PROXY_PREFIX = "proxy_abi_version_";
const CALLBACK_TYPE = "() -> i32";
const OWN_MODULE = "env";

/** The ABI for which a module was built, by its exports. Throws ModuleRefused without one, or for its misuse. */
export function abiOf(shape: ModuleShape): Abi {
  const isOwn = shape.exports.some(({ name }) => name === OWN_EXPORTS[0]);
  const versions = shape.exports.flatMap(({ name }) => (name.startsWith(PROXY_PREFIX) ? [name] : []));
  if (isOwn && versions.length > 0) {
    throw new ModuleRefused(`it exports both ${OWN_EXPORTS[0]} and ${versions[0]}; a filter has one ABI`);
  }
  if (isOwn) {
    checkOwn(shape);
    return { kind: "own" };
  }
  if (versions.length > 0) {
    const version = proxyVersion(versions);
    checkProxyWasm(shape, (index) => functionType(shape, index));
    return { kind: "proxy-wasm", version };
  }
  throw new ModuleRefused(`it exports neither ${OWN_EXPORTS[0]} nor ${PROXY_PREFIX}*: it is not a filter`);
}

/** The newest version among those that a module exports and the gateway knows. */
function proxyVersion(names: readonly string[]): ProxyVersion {
  const known = PROXY_VERSIONS.findLast((version) => names.includes(PROXY_PREFIX + version.replaceAll(".", "_")));
  if (known !== undefined) return known;
  throw new ModuleRefused(`it exports ${names.join(" and ")}; known versions are ${PROXY_VERSIONS.join(", ")}`);
}

function checkOwn(shape: ModuleShape): void {
  for (const { name, kind, index } of shape.exports) {
    if (!OWN_EXPORTS.some((known) => known === name)) continue;
    if (kind !== "function") throw new ModuleRefused(`it exports ${name}, which is a ${kind} and must be a function`);
    const found = typeText(functionType(shape, index));
    if (found !== CALLBACK_TYPE) throw new ModuleRefused(`it exports ${name} as ${found}; it must be ${CALLBACK_TYPE}`);
  }
  for (const imported of shape.imports) checkImport(imported);
}

function checkImport({ module, name, type }: ImportedFunction): void {
  const expected = Object.hasOwn(OWN_IMPORTS, name) ? Reflect.get(OWN_IMPORTS, name) : undefined;
  if (module !== OWN_MODULE || expected === undefined) {
    throw new ModuleRefused(`it imports "${module}.${name}", which the gateway does not have`);
  }
  const found = typeText(type);
  if (found !== expected) throw new ModuleRefused(`it imports "${module}.${name}" as ${found}; it is ${expected}`);
}

/** The type of a function by its index. */
export function functionType(shape: ModuleShape, index: number): FunctionType {
  // Function and type indices were checked when they were read.
  return shape.types[shape.functions[index] as number] as FunctionType;
}
