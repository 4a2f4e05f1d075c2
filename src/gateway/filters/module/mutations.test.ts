import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { patient } from "../../../lib/testing/patience.ts";
import { FUEL_EXPORT, meter } from "./metering/meter.ts";
import { readShape } from "./reading/read-shape.ts";
import { ModuleRefused } from "./reading/refused.ts";
import { assemble, I32, I64, op, u32 } from "./testing/assembler.ts";
import { corpus, type CorpusModule } from "./testing/corpus.ts";
import { call, MEMORY_BYTES } from "./testing/metered.ts";

setDefaultTimeout(patient(20_000));

/** Milliseconds of CPU time for one call with FUEL. A correct call takes a tenth of it. */
const MOST_CPU_MS = 500;
const FUEL = 100_000;
/** Modules with changed bytes in each test. The whole file takes some seconds. */
const RUNS = 400;

/**
 * A small module in which nearly every byte has an effect: loops, branches, calls, bulk operations, exceptions, tables.
 */
const DENSE = assemble({
  types: [
    [[], []],
    [[], [I32]],
    [[I32], [I32]],
    [
      [I32, I64],
      [I64, I32],
    ],
  ],
  imports: [["env", "f", 2]],
  tables: [[0x70, 0x00, 4]],
  memory: 1,
  tags: [[0, 0]],
  globals: [[I32, 1, 0x41, 5, 0x0b]],
  elements: [[0, 0x41, 0, 0x0b, 2, 1, 2]],
  dataCount: 1,
  data: [[1, 3, 1, 2, 3]],
  exports: [["memory", 2, 0]],
  functions: [
    {
      export: "on_request",
      locals: [
        [2, I32],
        [1, I64],
      ],
      code: [
        [
          ...op.i32(5),
          ...op.set(0),
          ...op.loop,
          ...op.get(0),
          ...op.i32(1),
          ...op.i32Sub,
          ...op.tee(0),
          ...op.brIf(0),
          ...op.end,
        ],
        [
          ...op.block,
          ...op.get(1),
          0x0e,
          1,
          0,
          0,
          ...op.end,
          ...op.i32(0),
          ...op.i32(7),
          ...op.i32(100),
          ...op.memoryFill,
        ],
        [
          0x06,
          0x40,
          0x08,
          0,
          0x19,
          0x0b,
          ...op.i32(1),
          ...op.call(0),
          ...op.if,
          ...op.nop,
          ...op.else,
          ...op.nop,
          ...op.end,
        ],
        [...op.i32(0), 0x11, 1, 0, ...op.drop, ...op.i32(1), ...op.memoryGrow, ...op.globalSet(0), ...op.globalGet(0)],
      ].flat(),
    },
    { code: [...op.i32(0), ...op.i32Load] },
  ],
});

let modules: CorpusModule[] = [];
beforeAll(async () => {
  modules = (await corpus()).filter(({ bytes }) => bytes.length < 20_000);
}, patient(120_000));

/** Runs all exports of a module, if it is accepted and valid. Every call must end, with any error. */
function survives(bytes: Uint8Array): "refused" | "invalid" | "run" {
  let metered: Uint8Array<ArrayBuffer>;
  try {
    metered = meter(readShape(bytes), MEMORY_BYTES).bytes;
  } catch (error) {
    if (error instanceof ModuleRefused) return "refused";
    throw error;
  }
  // Metering must keep valid modules valid and invalid ones invalid. Otherwise a module could reach what metering
  // added, or change its meaning.
  expect(WebAssembly.validate(metered)).toBe(WebAssembly.validate(Uint8Array.from(bytes)));
  const imports = new Proxy({}, { get: () => new Proxy({}, { get: () => () => 1 }) });
  const before = process.cpuUsage();
  try {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(metered), imports);
    for (const name of Object.keys(exports)) if (name !== FUEL_EXPORT) call(exports, name, { fuel: FUEL });
  } catch (error) {
    if (error instanceof WebAssembly.CompileError || error instanceof WebAssembly.LinkError) return "invalid";
    if (!(error instanceof WebAssembly.RuntimeError) && !(error instanceof RangeError)) throw error;
  }
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(MOST_CPU_MS);
  return "run";
}

type Change = readonly [place: number, value: number];
const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 });

function changed(bytes: Uint8Array, list: readonly Change[]): Uint8Array {
  const copy = bytes.slice();
  for (const [place, value] of list) copy[8 + (place % (copy.length - 8))] = value;
  return copy;
}

test("changed bytes of a dense module never crash, hang or get past the checks", () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(changes, (list) => {
      const end = survives(changed(DENSE, list));
      seen.set(end, (seen.get(end) ?? 0) + 1);
    }),
    { numRuns: RUNS * 10 },
  );
  // Without all three ends, the test would prove nothing.
  expect([...seen.keys()].toSorted()).toEqual(["invalid", "refused", "run"]);
});

test("the dense module with any byte replaced by any value ends without a crash", () => {
  for (let place = 8; place < DENSE.length; place++) {
    for (const value of [0x00, 0x03, 0x0b, 0x0c, 0x10, 0x40, 0x7f, 0x80, 0xff, ...u32(0x1234)]) {
      const copy = DENSE.slice();
      copy[place] = value;
      survives(copy);
    }
  }
});

test("compiled programs with changed bytes end without a crash", () => {
  fc.assert(
    fc.property(fc.nat(), changes, (which, list) => {
      const module = modules[which % modules.length];
      if (module !== undefined) survives(changed(module.bytes, list));
    }),
    { numRuns: RUNS },
  );
});

test("cut and joined modules end without a crash", () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), fc.nat(), (which, from, to) => {
      const first = modules[which % modules.length]?.bytes ?? DENSE;
      const cut = first.subarray(0, from % first.length);
      const rest = DENSE.subarray(to % DENSE.length);
      survives(Uint8Array.from([...cut, ...rest]));
    }),
    { numRuns: RUNS },
  );
});
