import { beforeAll, expect, test } from "bun:test";
import { BinaryReader } from "wasmparser";
import { meter } from "./metering/meter.ts";
import { readShape } from "./reading/read-shape.ts";
import { corpus, type CorpusModule } from "./testing/corpus.ts";
import { call, instantiate, MEMORY_BYTES } from "./testing/metered.ts";
import { patient } from "../../../lib/testing/patience.ts";

let modules: readonly CorpusModule[] = [];
beforeAll(async () => {
  modules = await corpus();
}, patient(120_000));

const LOOP = 0x03;
/** States of wasmparser, whose names are a `const enum`. */
const BEGIN_FUNCTION_BODY = 28;
const CODE_OPERATOR = 30;

/** Counts functions and loops with another parser. */
function countedByWasmparser(bytes: Uint8Array): { functions: number; loops: number } {
  const reader = new BinaryReader();
  reader.setData(Uint8Array.from(bytes).buffer, 0, bytes.length);
  let functions = 0;
  let loops = 0;
  while (reader.read()) {
    const state: number = reader.state;
    if (state === BEGIN_FUNCTION_BODY) functions++;
    // In this state the result is an operator.
    if (state === CODE_OPERATOR && (reader.result as { code: number }).code === LOOP) loops++;
  }
  if (reader.error !== null) throw reader.error;
  return { functions, loops };
}

/** Enough for the largest module. */
const MEMORY_FOR_ALL = 256 * 1024 * 1024;

test(
  "in every module of the corpus, the walker counts the same functions and loops as wasmparser",
  () => {
    expect(modules.length).toBeGreaterThan(5);
    for (const { name, bytes } of modules) {
      const { functions, loops } = meter(readShape(bytes), MEMORY_FOR_ALL);
      expect({ name, ...countedByWasmparser(bytes) }).toEqual({ name, functions, loops });
    }
  },
  patient(120_000),
);

test(
  "wasmparser reads a metered module, and finds the module's own functions in it",
  () => {
    for (const { name, bytes } of modules) {
      const metered = meter(readShape(bytes), MEMORY_FOR_ALL);
      const counted = countedByWasmparser(metered.bytes);
      expect({ name, ...counted }).toEqual({ name, functions: metered.functions + 3, loops: metered.loops });
    }
  },
  patient(120_000),
);

test(
  "every metered module of the corpus compiles",
  async () => {
    for (const { bytes } of modules) {
      const metered = meter(readShape(bytes), MEMORY_FOR_ALL);
      expect(await WebAssembly.compile(metered.bytes)).toBeInstanceOf(WebAssembly.Module);
    }
  },
  patient(120_000),
);

const PARAMETERS = [0, 1, 7, 1000];

test(
  "metered programs give the same results as plain ones, and use the same fuel each time",
  async () => {
    const programs = modules.filter(({ functions }) => functions.length > 0);
    expect(programs.length).toBeGreaterThan(3);
    for (const { name, bytes, functions } of programs) {
      const plain = new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(bytes))).exports;
      const [first, second] = [instantiate(bytes), instantiate(bytes)];
      for (const exported of functions) {
        for (const parameter of PARAMETERS) {
          const run = plain[exported] as unknown as (value: number) => unknown; // The corpus names functions.
          const expected = run(parameter);
          const options = { parameters: [parameter], fuel: 2_000_000_000 };
          const one = call(first, exported, options);
          expect({ name, exported, parameter, ...call(second, exported, options) }).toEqual({
            name,
            exported,
            parameter,
            value: expected,
            error: undefined,
            fuel: one.fuel,
          });
          expect(one.fuel).toBeGreaterThan(0);
        }
      }
    }
  },
  patient(120_000),
);

test("a program gets memory up to memory_limit_bytes, and no more", () => {
  const grower = modules.find(({ name }) => name === "allocations");
  const exports = instantiate(grower?.bytes ?? new Uint8Array(), { memoryBytes: MEMORY_BYTES });
  expect(call(exports, "allocate", { parameters: [20_000_000] }).error).toBeUndefined();
  expect(call(exports, "allocate", { parameters: [40_000_000] }).error).toContain("RuntimeError");
});
