import { FUEL_EXPORT, meter } from "../metering/meter.ts";
import { compileModule, type FilterModule, hashOf } from "../module-cache.ts";
import { prepare } from "../prepare.ts";
import { readShape } from "../reading/read-shape.ts";
import { ModuleRefused } from "../reading/refused.ts";

/** The memory limit of tests that do not test it. */
export const MEMORY_BYTES = 32 * 1024 * 1024;

/** The default fuel of a filter. */
export const DEFAULT_FUEL = 5_000_000;

/** A module of a test that can be instantiated. */
export async function loaded(file: Uint8Array, memoryBytes = MEMORY_BYTES): Promise<FilterModule> {
  return await compileModule(await hashOf(Uint8Array.from(file)), prepare(file, memoryBytes));
}

/** The reason if a module is refused; otherwise undefined. */
export function refusalOf(file: Uint8Array, memoryBytes = MEMORY_BYTES): string | undefined {
  try {
    meter(readShape(file), memoryBytes);
    return undefined;
  } catch (error) {
    if (error instanceof ModuleRefused) return error.message;
    throw error;
  }
}

export interface Run {
  readonly value: unknown;
  readonly error: string | undefined;
  readonly fuel: number;
}

export interface RunOptions {
  readonly imports?: Record<string, Record<string, (...values: number[]) => unknown>>;
  readonly fuel?: number;
  readonly memoryBytes?: number;
  readonly parameters?: readonly number[];
}

/** Instantiates a metered module. */
export function instantiate(file: Uint8Array, options: RunOptions = {}): WebAssembly.Instance["exports"] {
  const { bytes } = meter(readShape(file), options.memoryBytes ?? MEMORY_BYTES);
  return new WebAssembly.Instance(new WebAssembly.Module(bytes), options.imports ?? {}).exports;
}

/** Calls an export of a metered instance with `fuel` units of fuel. */
export function call(exports: WebAssembly.Instance["exports"], name: string, options: RunOptions = {}): Run {
  const { fuel = DEFAULT_FUEL, parameters = [] } = options;
  // Every metered module has the counter, and the test names a function.
  const counter = exports[FUEL_EXPORT] as unknown as { value: number };
  const run = exports[name] as unknown as (...values: readonly number[]) => unknown;
  counter.value = fuel;
  try {
    const value = run(...parameters);
    return { value, error: undefined, fuel: fuel - counter.value };
  } catch (error) {
    return { value: undefined, error: String(error), fuel: fuel - counter.value };
  }
}
