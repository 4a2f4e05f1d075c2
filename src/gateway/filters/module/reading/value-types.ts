import { type ByteReader } from "./byte-reader.ts";
import { hex, ModuleRefused } from "./refused.ts";

/** The code of the value type i32 in the binary format. */
export const I32 = 0x7f;
const I64 = 0x7e;
const F32 = 0x7d;
const F64 = 0x7c;
const V128 = 0x7b;
const REF_NULL = 0x63;
const REF = 0x64;

const NAMES: Readonly<Record<number, string>> = {
  [I32]: "i32",
  [I64]: "i64",
  [F32]: "f32",
  [F64]: "f64",
  [V128]: "v128",
};

/** Abstract heap types: functions, host references, exceptions. Others are garbage-collected objects. */
const HEAP_TYPES: ReadonlySet<number> = new Set([0x70, 0x6f, 0x69, 0x73, 0x72, 0x74]);
const COLLECTED_TYPES: ReadonlySet<number> = new Set([0x6e, 0x6d, 0x6c, 0x6b, 0x6a, 0x71]);

/** The type of a function. Each value type is its first byte in the binary format. */
export interface FunctionType {
  readonly params: readonly number[];
  readonly results: readonly number[];
}

/** `(i32, i32) -> i32` */
export function typeText({ params, results }: FunctionType): string {
  return `(${listText(params)}) -> ${results.length === 1 ? listText(results) : `(${listText(results)})`}`;
}

function listText(types: readonly number[]): string {
  return types.map((type) => NAMES[type] ?? "ref").join(", ");
}

/** The error for a module with garbage-collected types. `offset` is in bytes of the file. */
export function garbageCollected(offset: number): ModuleRefused {
  return new ModuleRefused("it uses garbage-collected types, whose memory has no limit", offset);
}

/** Reads a value type. Returns its first byte. */
export function readValueType(reader: ByteReader, typeCount: number): number {
  const offset = reader.offset;
  const code = reader.byte();
  if (code >= V128 && code <= I32) return code;
  if (code === REF || code === REF_NULL) {
    readHeapType(reader, typeCount);
    return code;
  }
  checkHeapType(code, offset);
  return code;
}

/** Reads the target of a reference: a type index, or an abstract heap type. */
export function readHeapType(reader: ByteReader, typeCount: number): void {
  const offset = reader.offset;
  const value = reader.s33();
  if (value < 0) checkHeapType(value + 0x80, offset);
  else checkIndex("type", value, typeCount, offset);
}

function checkHeapType(code: number, offset: number): void {
  if (HEAP_TYPES.has(code)) return;
  if (COLLECTED_TYPES.has(code)) throw garbageCollected(offset);
  throw new ModuleRefused(`it has an unknown type ${hex(code)}`, offset);
}

/** Metering adds types, functions and globals behind the module's, which its own indexes must not reach. */
export function checkIndex(what: string, index: number, count: number, offset: number): void {
  if (index >= count) {
    throw new ModuleRefused(`it uses ${what} ${index}, and there ${count === 1 ? "is" : "are"} only ${count}`, offset);
  }
}

/** The size of a memory in pages, or of a table in entries. `maximum` is undefined without a limit. */
export interface Limits {
  readonly minimum: number;
  readonly maximum: number | undefined;
}

const HAS_MAXIMUM = 0x01;
const IS_SHARED = 0x02;
const IS_64_BIT = 0x04;

/** Reads the sizes of a memory or table. */
export function readLimits(reader: ByteReader, what: "memory" | "table"): Limits {
  const offset = reader.offset;
  const flags = reader.byte();
  if (flags > 0x07) throw new ModuleRefused(`it has a ${what} with unknown flags ${hex(flags)}`, offset);
  if (flags & IS_SHARED) throw new ModuleRefused(`it has a ${what} that threads share`, offset);
  if (flags & IS_64_BIT) throw new ModuleRefused(`it has a ${what} with 64-bit addresses`, offset);
  const minimum = reader.u32();
  const maximum = flags & HAS_MAXIMUM ? reader.u32() : undefined;
  if (maximum !== undefined && maximum < minimum) {
    throw new ModuleRefused(`it has a ${what} with a maximum of ${maximum}, below its minimum of ${minimum}`, offset);
  }
  return { minimum, maximum };
}
