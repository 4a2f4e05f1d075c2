import { type Abi, abiOf, functionType } from "./abi.ts";
import { MAX_MODULE_BYTES } from "./reading/limits.ts";
import { meter } from "./metering/meter.ts";
import { readShape } from "./reading/read-shape.ts";
import { ModuleRefused } from "./reading/refused.ts";
import { type Limits, typeText } from "./reading/value-types.ts";

export interface PreparedModule {
  readonly abi: Abi;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly facts: ModuleFacts;
}

export interface ModuleFacts {
  /** Bytes of the file. */
  readonly size: number;
  readonly functions: number;
  readonly loops: number;
  /** For example `env.log (i32, i32) -> ()`. */
  readonly imports: readonly string[];
  /** For example `on_request () -> i32`, `memory`. */
  readonly exports: readonly string[];
  /** In pages, as the module declares them. */
  readonly memory: Limits | undefined;
}

/** Reads, checks and meters a module, which takes milliseconds if the module is large. Throws ModuleRefused. */
export function prepare(file: Uint8Array, memoryBytes: number): PreparedModule {
  if (file.length > MAX_MODULE_BYTES) {
    throw new ModuleRefused(`it has ${file.length} bytes; at most ${MAX_MODULE_BYTES} are allowed`);
  }
  const shape = readShape(file);
  const { bytes, functions, loops } = meter(shape, memoryBytes);
  return {
    abi: abiOf(shape),
    bytes,
    facts: {
      size: file.length,
      functions,
      loops,
      imports: shape.imports.map(({ module, name, type }) => `${module}.${name} ${typeText(type)}`),
      exports: shape.exports.map(({ name, kind, index }) =>
        kind === "function" ? `${name} ${typeText(functionType(shape, index))}` : `${name} (${kind})`,
      ),
      memory: shape.memory,
    },
  };
}
