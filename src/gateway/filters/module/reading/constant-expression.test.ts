import { expect, test } from "bun:test";
import { ByteReader } from "./byte-reader.ts";
import { skipConstantExpression } from "./constant-expression.ts";
import { type ModuleShape } from "./module-shape.ts";

const SHAPE: ModuleShape = {
  bytes: new Uint8Array(),
  sections: new Map(),
  types: [{ params: [], results: [] }],
  imports: [],
  functions: [0],
  tables: [],
  memory: undefined,
  globalCount: 1,
  exports: [],
};

/** The bytes of an instruction in front of zeros, which such an expression cannot contain; undefined if it is refused. */
function lengthOf(...bytes: readonly number[]): number | undefined {
  const reader = new ByteReader(Uint8Array.from([...bytes, ...new Uint8Array(20)]));
  let offset: number | undefined;
  try {
    skipConstantExpression(reader, SHAPE);
  } catch (error) {
    offset = Number(/instruction 0x00 in a constant expression \(at byte (\d+)\)/.exec(String(error))?.[1]);
  }
  return offset === undefined ? reader.offset : offset || undefined;
}

test("the instructions of a constant expression have their operands, and no other instruction is one", () => {
  const lengths = Array.from({ length: 256 }, (_, opcode) => [opcode, lengthOf(opcode)]);
  expect(lengths.filter(([, length]) => length !== undefined)).toEqual([
    [0x0b, 1],
    [0x23, 2],
    [0x41, 2],
    [0x42, 2],
    [0x43, 5],
    [0x44, 9],
    [0x6a, 1],
    [0x6b, 1],
    [0x6c, 1],
    [0x7c, 1],
    [0x7d, 1],
    [0x7e, 1],
    [0xd0, 2],
    [0xd2, 2],
  ]);
});

const ones = (count: number): number[] => Array<number>(count).fill(0xff);

test("a vector, and numbers of all their bytes", () => {
  expect([lengthOf(0xfd, 0x0c), lengthOf(0xfd, 0x0b)]).toEqual([18, undefined]);
  expect([lengthOf(0x41, ...ones(4), 0x7f), lengthOf(0x42, ...ones(9), 0x7f)]).toEqual([6, 11]);
  expect([lengthOf(0x41, ...ones(5), 0), lengthOf(0x42, ...ones(10), 0)]).toEqual([undefined, undefined]);
});
