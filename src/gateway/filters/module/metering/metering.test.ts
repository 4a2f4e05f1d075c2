import { expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../../../lib/testing/patience.ts";
import { FUEL_EXPORT } from "./meter.ts";
import { assemble, I32, op } from "../testing/assembler.ts";
import { callsItself, FOREVER, forever, HOSTILE, ZERO } from "../testing/hostile.ts";
import { call, DEFAULT_FUEL, instantiate, MEMORY_BYTES } from "../testing/metered.ts";

// A loop takes the processor until its fuel is used up.
setDefaultTimeout(patient(20_000));

test.each(HOSTILE)("%s ends when the fuel is used up", (_what, module) => {
  const exports = instantiate(module);
  const run = call(exports, "on_request");
  expect(run.error).toContain("RuntimeError");
  expect(run.fuel).toBeGreaterThan(DEFAULT_FUEL);
});

test("endless recursion ends when the stack or the fuel is used up", () => {
  const exports = instantiate(callsItself([...op.call(0), ...op.i32(1), ...op.i32Add]));
  expect(call(exports, "on_request").error).toMatch(/RangeError|RuntimeError/);
  const small = call(exports, "on_request", { fuel: 100 });
  expect([small.error?.slice(0, 12), small.fuel]).toEqual(["RuntimeError", 101]);
});

test("a start function has a separate budget of fuel", () => {
  const loop = { type: 0, code: [...op.loop, ...FOREVER] };
  expect(() => instantiate(assemble({ functions: [loop], start: 0 }))).toThrow("Unreachable");
});

test("a loop on the ninth or a later memory, which the runtime checks with other code, ends too", () => {
  const module = forever([...op.i32(1), ...op.memoryGrow, ...op.drop, ...ZERO, ...op.i32Load, ...op.drop]);
  // Such a memory is copied each time that it grows.
  const all = Array.from({ length: 20 }, () => instantiate(module, { memoryBytes: 1024 * 1024 }));
  for (const exports of all) expect(call(exports, "on_request", { fuel: 100_000 }).error).toContain("RuntimeError");
});

/** on_request with a counter: `for (i = 10; i != 0; i--) body` */
function tenTimes(body: readonly number[]): Uint8Array {
  const count = [...op.get(0), ...op.i32(1), ...op.i32Sub, ...op.tee(0), ...op.brIf(0), ...op.end, ...ZERO];
  return assemble({
    memory: 1,
    tables: [[0x70, 0, 64]],
    functions: [
      { export: "on_request", locals: [[1, I32]], code: [...op.i32(10), ...op.set(0), ...op.loop, ...body, ...count] },
    ],
  });
}

const COSTS: readonly (readonly [what: string, body: readonly number[], fuel: number])[] = [
  ["a short body", [], 11],
  ["16 simple instructions more", Array<number>(16).fill(0x01), 21],
  ["selects of a type", [...ZERO, ...ZERO, ...ZERO, 0x1c, 1, I32, ...op.drop], 11],
  ["a fill of 64 bytes", [...ZERO, ...ZERO, ...op.i32(64), ...op.memoryFill], 11 + 10 + 20],
  ["a fill of 64 table entries", [...ZERO, 0xd0, 0x70, ...op.i32(64), 0xfc, 17, 0], 11 + 10 + 170],
  ["a block that is branched out of", [...op.block, ...Array<number>(40).fill(0x01), ...op.br(0), ...op.end], 11 + 30],
  [
    "a block that a branch does not leave",
    [...op.block, ...ZERO, ...op.brIf(0), ...Array<number>(40).fill(0x01), ...op.end],
    11 + 30,
  ],
  ["300 simple instructions", Array<number>(300).fill(0x01), 11 + 10 * 19],
];

test.each(COSTS)("ten rounds of a loop with %s take the fuel that the work costs", (_what, body, fuel) => {
  const exports = instantiate(tenTimes(body));
  const first = call(exports, "on_request");
  expect(first.value).toBe(0);
  expect(Math.abs(first.fuel - fuel)).toBeLessThanOrEqual(10);
  expect(call(exports, "on_request").fuel).toBe(first.fuel);
});

test("a block of a type with parameters and several results takes and leaves its values", () => {
  const types = [
    [[], [I32]],
    [[I32], [I32, I32]],
  ] as const;
  const code = [...op.i32(40), 0x02, 1, ...op.i32(2), ...op.end, ...op.i32Add];
  const exports = instantiate(assemble({ types, functions: [{ type: 0, export: "on_request", code }] }));
  expect(call(exports, "on_request").value).toBe(42);
});

test("no path around the charges is cheaper than its instructions", () => {
  // Each block ends before the place where a count by lines alone would charge.
  const evade = [
    ...op.block,
    ...Array<number>(100).fill(0x01),
    ...op.br(0),
    ...Array<number>(100).fill(0x01),
    ...op.end,
  ];
  const body = Array.from({ length: 20 }, () => evade).flat();
  const { fuel } = call(instantiate(tenTimes(body)), "on_request");
  expect(fuel).toBeGreaterThan((10 * 20 * 100) / 16);
});

test("the outer loop pays for the code between two loops", () => {
  const body = [...Array<number>(100).fill(0x01), ...op.loop, ...op.end];
  expect(call(instantiate(tenTimes(body)), "on_request").fuel).toBeGreaterThan((10 * 100) / 16);
});

/** The results of memory.grow by `step` pages until it fails. */
function growSteps(step: number, limits: readonly number[], memoryBytes = MEMORY_BYTES): number[] {
  const grow = { type: 2, export: "grow", code: [...op.get(0), ...op.memoryGrow] };
  const size = { export: "size", code: op.memorySize };
  const exports = instantiate(assemble({ memory: limits, functions: [grow, size] }), { memoryBytes });
  const results: number[] = [];
  for (let result = 0; result !== -1; ) {
    result = Number(call(exports, "grow", { parameters: [step] }).value);
    results.push(result);
  }
  return [...results, Number(call(exports, "size").value)];
}

test("a memory grows up to its own maximum, the limit, or not at all", () => {
  expect(growSteps(1, [0x01, 1, 3])).toEqual([1, 2, -1, 3]);
  expect(growSteps(200, [0x00, 1])).toEqual([1, 201, -1, 401]);
  expect(growSteps(511, [0x00, 1])).toEqual([1, -1, 512]);
  expect(growSteps(512, [0x00, 1])).toEqual([-1, 1]);
  expect(growSteps(-1, [0x00, 1])).toEqual([-1, 1]);
  expect(growSteps(8, [0x00, 0], 1024 * 1024)).toEqual([0, 8, -1, 16]);
});

test("a table grows up to the limit, which several tables share", () => {
  const grow = { type: 2, export: "grow", code: [0xd0, 0x70, ...op.get(0), 0xfc, 15, 0] };
  const one = instantiate(assemble({ tables: [[0x70, 0, 1]], functions: [grow] }));
  expect(call(one, "grow", { parameters: [65_535] }).value).toBe(1);
  expect(call(one, "grow", { parameters: [1] }).value).toBe(-1);
  const two = instantiate(
    assemble({
      tables: [
        [0x70, 0, 1],
        [0x70, 0, 1],
      ],
      functions: [grow],
    }),
  );
  expect(call(two, "grow", { parameters: [40_000] }).value).toBe(-1);
  expect(call(two, "grow", { parameters: [32_767] }).value).toBe(1);
});

test("a filter that catches an exception of the host has no fuel left if the host has taken it", () => {
  const code = [0x06, 0x40, ...op.call(0), 0x19, 0x0b, ...op.loop, ...ZERO, ...op.brIf(0), ...op.end, ...ZERO];
  const module = assemble({ imports: [["env", "stop", 0]], functions: [{ export: "on_request", code }] });
  const exports: WebAssembly.Instance["exports"] = instantiate(module, {
    imports: {
      env: {
        stop: () => {
          // Every metered module has the counter.
          (exports[FUEL_EXPORT] as unknown as { value: number }).value = -1;
          throw new Error("stop");
        },
      },
    },
  });
  expect(call(exports, "on_request").error).toContain("RuntimeError");
});
