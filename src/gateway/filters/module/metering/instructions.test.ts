import { describe, expect, test } from "bun:test";
import { assemble, u32 } from "../testing/assembler.ts";
import { MEMORY_BYTES, refusalOf } from "../testing/metered.ts";
import { readShape } from "../reading/read-shape.ts";
import { FC_TABLE, FD_TABLE, Immediate, PLAIN_TABLE } from "./instructions.ts";
import { meter } from "./meter.ts";

/** Operands of every format. Behind each one stands the end of CODE, which no other format reads as valid code. */
const OPERANDS: readonly (readonly number[])[] = [
  [],
  [0],
  [0, 0],
  [0, 0, 0],
  [1, 2, 3, 4],
  [1, 2, 3, 4, 5, 6, 7, 8],
  Array.from({ length: 16 }, (_, i) => i),
];

/** A module with the instruction behind `unreachable`, where the stack has any operands. */
function moduleWith(instruction: readonly number[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(
    assemble({
      types: [[[], []]],
      tables: [[0x70, 0x00, 4]],
      memory: 1,
      globals: [[0x7f, 1, 0x41, 5, 0x0b]],
      elements: [[0, 0x41, 0, 0x0b, 1, 0]],
      dataCount: 1,
      data: [[1, 3, 1, 2, 3]],
      // unreachable, the instruction, i32.const -1, drop, unreachable
      functions: [{ type: 0, locals: [[1, 0x7f]], code: [0x00, ...instruction, 0x41, 0xff, 0x7f, 0x1a, 0x00] }],
    }),
  );
}

/** The operands with which the engine accepts the instruction. */
function accepted(opcode: readonly number[]): readonly (readonly number[])[] {
  return OPERANDS.filter((operands) => WebAssembly.validate(moduleWith([...opcode, ...operands])));
}

/** Opcodes that need blocks, labels or function types around them. */
const CONTROL = new Set([...Array.from({ length: 0x1a }, (_, i) => i), 0x1c, 0x1f, 0xd5, 0xd6]);
/** Prefixes, and `ref.eq` of garbage collection, which no filter may have. */
const PREFIXES = new Set([0xd3, 0xfb, 0xfc, 0xfd, 0xfe]);

const PLAIN = Array.from({ length: 0x100 }, (_, i) => [i]).filter(([i = 0]) => !CONTROL.has(i) && !PREFIXES.has(i));
const AFTER_FC = Array.from({ length: 0x12 }, (_, i) => [0xfc, ...u32(i)]);
const AFTER_FD = Array.from({ length: 0x120 }, (_, i) => [0xfd, ...u32(i)]);

describe("each instruction that the engine accepts is read with its operands, and others are refused", () => {
  test.each([
    ["without a prefix", PLAIN, 150],
    ["after 0xfc", AFTER_FC, 17],
    ["after 0xfd", AFTER_FD, 230],
  ] as const)("%s", (_, opcodes, least) => {
    let count = 0;
    for (const opcode of opcodes) {
      const formats = accepted(opcode);
      if (formats.length > 0) count++;
      for (const operands of formats) {
        const file = moduleWith([...opcode, ...operands]);
        expect([opcode, refusalOf(file)]).toEqual([opcode, undefined]);
        expect([opcode, WebAssembly.validate(meter(readShape(file), MEMORY_BYTES).bytes)]).toEqual([opcode, true]);
      }
      // The engine may lack instructions of the specification, such as relaxed SIMD. Other bytes have no format.
      if (formats.length === 0 && opcode.length === 1) {
        const reasons = OPERANDS.map((operands) => refusalOf(moduleWith([...opcode, ...operands])));
        expect([opcode, reasons.includes(undefined)]).toEqual([opcode, false]);
      }
    }
    expect(count).toBeGreaterThanOrEqual(least);
  });
});

test("instructions beyond the specification are refused", () => {
  for (const opcode of [
    [0xd3],
    [0xfb, 0],
    [0xfe, 0],
    [0xfc, 0x12],
    [0xfc, 0x13],
    [0xfd, ...u32(0x114)],
    [0xfd, ...u32(500)],
  ])
    expect([opcode, refusalOf(moduleWith([...opcode, 0]))]).not.toEqual([opcode, undefined]);
});

/** Opcodes from the first to the last. */
function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** Divisions, remainders, and arithmetic with floating-point numbers, by the specification's table of opcodes. */
const SLOW = [...range(0x6d, 0x70), ...range(0x7f, 0x82), ...range(0x91, 0x97), ...range(0x9f, 0xa5)];
/** Loads and stores, table.get, table.set, and ref.func. */
const ACCESS = [...range(0x28, 0x3e), 0x25, 0x26, 0xd2];

test("memory accesses cost 64, slow arithmetic 8, and other simple instructions 1", () => {
  for (const opcode of [
    0x01,
    ...range(0x1a, 0x24),
    ...range(0x25, 0x3f),
    ...range(0x41, 0xc4),
    0xd0,
    0xd1,
    0xd2,
    0xd4,
  ]) {
    const known = PLAIN_TABLE.immediates[opcode] !== 0 && opcode !== 0x1f;
    const cost = ACCESS.includes(opcode) ? 64 : SLOW.includes(opcode) ? 8 : 1;
    if (known) expect([opcode, PLAIN_TABLE.costs[opcode]]).toEqual([opcode, cost]);
  }
});

/** Opcodes of the specification's tables that are free, by their prefixes. */
const FREE = [0x16, 0x17, 0x1d, 0x1e, 0x27, ...range(0xc5, 0xcf), ...range(0xd7, 0xfa), 0xff];
const FREE_FD = [
  0x9a, 0xa2, 0xa5, 0xa6, 0xaf, 0xb0, 0xb2, 0xb3, 0xb4, 0xbb, 0xc2, 0xc5, 0xc6, 0xcf, 0xd0, 0xd2, 0xd3, 0xd4, 0xe2,
  0xee,
];

test("every opcode of the specification is known, also if this engine lacks it, and no other one is", () => {
  for (const [table, free] of [
    [PLAIN_TABLE, FREE],
    [FC_TABLE, []],
    [FD_TABLE, FREE_FD],
  ] as const) {
    const unknown = [...table.immediates.keys()].filter((opcode) => table.immediates[opcode] === Immediate.unknown);
    expect(unknown).toEqual([...free]);
  }
  expect([FC_TABLE.costs.length, FD_TABLE.costs.length]).toEqual([0x12, 0x114]);
});

/** Cost by opcode: ends of blocks are free, exceptions cost the most, and calls and bulk operations are between them. */
const CONTROL_COSTS: readonly (readonly [opcodes: readonly number[], cost: number])[] = [
  [[0x00, 0x02, 0x03, 0x04, 0x06, 0x0c, 0x0d, 0x0f, 0x1f, 0xd5, 0xd6], 1],
  [[0x05, 0x07, 0x0b, 0x18, 0x19, 0xd3, 0xfb, 0xfc, 0xfd, 0xfe], 0],
  [[0x08, 0x09, 0x0a], 1024],
  [[0x0e], 2],
  [range(0x10, 0x15), 4],
  [[0x40], 16],
];
const FC_COSTS: readonly (readonly [opcodes: readonly number[], cost: number])[] = [
  [[...range(0x00, 0x07), 0x09, 0x0d, 0x10], 1],
  [[0x08, 0x0a, 0x0b, 0x0c, 0x0e, 0x11], 16],
  [[0x0f], 4096],
];

test("exceptions cost 1,024, a table's growth 4,096, bulk operations 16, calls 4, and ends of blocks nothing", () => {
  for (const [table, costs] of [
    [PLAIN_TABLE, CONTROL_COSTS],
    [FC_TABLE, FC_COSTS],
  ] as const) {
    for (const [opcodes, cost] of costs) {
      for (const opcode of opcodes) expect([opcode, table.costs[opcode]]).toEqual([opcode, cost]);
    }
  }
});

test("vector instructions cost 64 for memory, 8 for floating-point arithmetic, 1 to move lanes, else 2", () => {
  const vectors = {
    64: [...range(0x00, 0x0b), ...range(0x54, 0x5d)],
    8: [...range(0xe3, 0xed), ...range(0xef, 0xff)],
    1: range(0x0c, 0x53),
  };
  for (const opcode of FD_TABLE.immediates.keys()) {
    if (FREE_FD.includes(opcode)) continue;
    const cost = Object.entries(vectors).find(([, opcodes]) => opcodes.includes(opcode))?.[0] ?? "2";
    expect([opcode, FD_TABLE.costs[opcode]]).toEqual([opcode, Number(cost)]);
  }
});
