import { expect, test } from "bun:test";
import { ByteReader } from "./byte-reader.ts";
import { checkIndex, readHeapType, readLimits, readValueType, typeText } from "./value-types.ts";

/** The result of a read, or the message of its refusal. */
function outcomeOf<T>(read: (reader: ByteReader) => T, ...bytes: readonly number[]): T | string {
  try {
    return read(new ByteReader(Uint8Array.from(bytes)));
  } catch (error) {
    return String(error instanceof Error ? error.message : error);
  }
}

function codesWith(isMeant: (outcome: number | string) => boolean): number[] {
  const outcomes = Array.from({ length: 256 }, (_, code) =>
    outcomeOf((reader) => readValueType(reader, 1), code, 0x70),
  );
  return outcomes.flatMap((outcome, code) => (isMeant(outcome) ? [code] : []));
}

test("of all codes of types, numbers, vectors and references to uncollected objects are read", () => {
  expect(codesWith((outcome) => typeof outcome === "number")).toEqual(
    // Two codes of references before a heap type, then noexn, func, extern, exn, nofunc and noextern, then the numbers.
    [0x63, 0x64, 0x69, 0x6f, 0x70, 0x72, 0x73, 0x74, 0x7b, 0x7c, 0x7d, 0x7e, 0x7f],
  );
});

test("of all codes of types, those of collected objects are refused for their memory, and others as unknown", () => {
  expect(codesWith((outcome) => String(outcome).includes("garbage-collected"))).toEqual([
    0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x71,
  ]);
  expect(outcomeOf((reader) => readValueType(reader, 1), 0x65)).toContain("unknown type 0x65");
});

test("a reference has a heap type behind it: an abstract one, or the index of a type", () => {
  const read = (...bytes: number[]): number | string => outcomeOf((reader) => readValueType(reader, 2), ...bytes);
  expect([read(0x63, 0x01), read(0x64, 0x6f)]).toEqual([0x63, 0x64]);
  expect(read(0x64, 0x02)).toContain("it uses type 2, and there are only 2");
  expect(outcomeOf((reader) => readHeapType(reader, 1), 0x01)).toContain("it uses type 1, and there is only 1");
  expect(read(0x64, 0x6e)).toContain("garbage-collected");
  expect(read(0x63)).toContain("the file ends too early");
  expect(outcomeOf(() => checkIndex("global", 0, 0, 0))).toContain("it uses global 0, and there are only 0");
});

const limitsOf = (...bytes: number[]): unknown => outcomeOf((reader) => readLimits(reader, "table"), ...bytes);

test("limits: a maximum that is not below the minimum, no threads, no 64-bit addresses", () => {
  expect(limitsOf(0x00, 3)).toEqual({ minimum: 3, maximum: undefined });
  expect(limitsOf(0x01, 3, 3)).toEqual({ minimum: 3, maximum: 3 });
  expect(limitsOf(0x01, 3, 2)).toContain("it has a table with a maximum of 2, below its minimum of 3");
  for (const flags of [0x02, 0x03, 0x06]) expect(limitsOf(flags, 1, 1)).toContain("that threads share");
  for (const flags of [0x04, 0x05]) expect(limitsOf(flags, 1, 1)).toContain("with 64-bit addresses");
  expect(limitsOf(0x08, 1, 1)).toContain("it has a table with unknown flags 0x08");
});

test("a function type is written with the names of its types", () => {
  expect(typeText({ params: [0x7f, 0x7e, 0x7d, 0x7c, 0x7b], results: [] })).toBe("(i32, i64, f32, f64, v128) -> ()");
  expect(typeText({ params: [], results: [0x70] })).toBe("() -> ref");
  expect(typeText({ params: [], results: [0x7f, 0x64] })).toBe("() -> (i32, ref)");
});
