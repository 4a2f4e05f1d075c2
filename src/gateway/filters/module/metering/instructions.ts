/**
 * Every instruction of the WebAssembly core specification 3.0 that a filter can have, and the older exception handling
 * that compilers still emit. Each has the format of its operands and its cost. Other opcodes are refused.
 */

/** The operands after an opcode, and their meaning for the walk through a function. */
const IMMEDIATES = [
  "unknown",
  "none",
  "block",
  "loop",
  "if",
  "else",
  "end",
  /** `try` of the older exception handling, and its `catch`, `catch_all`, `delegate`. */
  "try",
  "catchTag",
  "catchAll",
  "delegate",
  "tryTable",
  /** A branch to a label, which can also continue with the next instruction. */
  "branch",
  "branchIf",
  "branchTable",
  /** The next instruction is not reached. */
  "return",
  "unreachable",
  "throwTag",
  "rethrow",
  "function",
  "tailFunction",
  "typeAndTable",
  "tailTypeAndTable",
  "type",
  "tailType",
  /** A local, table or data segment: one index that the runtime checks. */
  "index",
  "global",
  "select",
  "memory",
  "memoryLane",
  "lane",
  "memorySize",
  "memoryGrow",
  "i32",
  "i64",
  "bytes4",
  "bytes8",
  "bytes16",
  "heapType",
  /** Operations whose last operand is a length, for which the code takes fuel. */
  "fillMemory",
  "copyMemory",
  "initMemory",
  "tableLength",
  "tablesLength",
  "prefix",
  "garbageCollected",
  "threads",
] as const;

type ImmediateName = (typeof IMMEDIATES)[number];

/** The index of each name in the list. */
export const Immediate = Object.fromEntries(IMMEDIATES.map((name, index) => [name, index])) as Record<
  ImmediateName,
  number
>; // The keys are the names.

/**
 * Opcodes from `first` up to the next row, their operands and their cost, which is 0 if left out. One unit of cost is a
 * simple instruction; see COST_PER_FUEL.
 */
type InstructionRow = readonly [first: number, immediate: ImmediateName, cost?: number];

/** An access can miss every cache, and the next access can depend on it: 180 to 270 ns (bench filters). */
const ACCESS = 64;
/** A division takes 10 to 40 cycles, and so does arithmetic with subnormal numbers on some processors. */
const SLOW = 8;
const CALL = 4;
/** The runtime creates an exception and unwinds the stack: 450 ns. */
const THROW = 1024;
const BULK = 16;
/** The runtime copies a table that grows: up to 16 us. */
const TABLE_GROW = 4096;

const PLAIN: readonly InstructionRow[] = [
  [0x00, "unreachable", 1],
  [0x01, "none", 1],
  [0x02, "block", 1],
  [0x03, "loop", 1],
  [0x04, "if", 1],
  [0x05, "else"],
  [0x06, "try", 1],
  [0x07, "catchTag"],
  [0x08, "throwTag", THROW],
  [0x09, "rethrow", THROW],
  [0x0a, "unreachable", THROW], // throw_ref
  [0x0b, "end"],
  [0x0c, "branch", 1],
  [0x0d, "branchIf", 1],
  [0x0e, "branchTable", 2],
  [0x0f, "return", 1],
  [0x10, "function", CALL],
  [0x11, "typeAndTable", CALL],
  [0x12, "tailFunction", CALL],
  [0x13, "tailTypeAndTable", CALL],
  [0x14, "type", CALL],
  [0x15, "tailType", CALL],
  [0x16, "unknown"],
  [0x18, "delegate"],
  [0x19, "catchAll"],
  [0x1a, "none", 1], // drop, select
  [0x1c, "select", 1],
  [0x1d, "unknown"],
  [0x1f, "tryTable", 1],
  [0x20, "index", 1], // local.get, local.set, local.tee
  [0x23, "global", 1],
  [0x25, "index", ACCESS], // table.get, table.set
  [0x27, "unknown"],
  [0x28, "memory", ACCESS],
  [0x3f, "memorySize", 1],
  [0x40, "memoryGrow", BULK],
  [0x41, "i32", 1],
  [0x42, "i64", 1],
  [0x43, "bytes4", 1],
  [0x44, "bytes8", 1],
  [0x45, "none", 1],
  [0x6d, "none", SLOW], // i32.div_s to i32.rem_u
  [0x71, "none", 1],
  [0x7f, "none", SLOW], // i64.div_s to i64.rem_u
  [0x83, "none", 1],
  [0x91, "none", SLOW], // f32.sqrt to f32.max
  [0x98, "none", 1],
  [0x9f, "none", SLOW], // f64.sqrt to f64.max
  [0xa6, "none", 1],
  [0xc5, "unknown"],
  [0xd0, "heapType", 1],
  [0xd1, "none", 1],
  [0xd2, "function", ACCESS], // ref.func
  [0xd3, "garbageCollected"],
  [0xd4, "none", 1],
  [0xd5, "branchIf", 1],
  [0xd7, "unknown"],
  [0xfb, "garbageCollected"],
  [0xfc, "prefix"],
  [0xfe, "threads"],
  [0xff, "unknown"],
];

const AFTER_FC: readonly InstructionRow[] = [
  [0x00, "none", 1],
  [0x08, "initMemory", BULK],
  [0x09, "index", 1],
  [0x0a, "copyMemory", BULK],
  [0x0b, "fillMemory", BULK],
  [0x0c, "tablesLength", BULK], // table.init
  [0x0d, "index", 1],
  [0x0e, "tablesLength", BULK], // table.copy
  [0x0f, "tableLength", TABLE_GROW], // table.grow
  [0x10, "index", 1],
  [0x11, "tableLength", BULK], // table.fill
];

const AFTER_FD: readonly InstructionRow[] = [
  [0x00, "memory", ACCESS],
  [0x0c, "bytes16", 1],
  [0x0e, "none", 1],
  [0x15, "lane", 1],
  [0x23, "none", 1],
  [0x54, "memoryLane", ACCESS],
  [0x5c, "memory", ACCESS],
  [0x5e, "none", 2],
  [0x9a, "unknown"],
  [0x9b, "none", 2],
  [0xa2, "unknown"],
  [0xa3, "none", 2],
  [0xa5, "unknown"],
  [0xa7, "none", 2],
  [0xaf, "unknown"],
  [0xb1, "none", 2],
  [0xb2, "unknown"],
  [0xb5, "none", 2],
  [0xbb, "unknown"],
  [0xbc, "none", 2],
  [0xc2, "unknown"],
  [0xc3, "none", 2],
  [0xc5, "unknown"],
  [0xc7, "none", 2],
  [0xcf, "unknown"],
  [0xd1, "none", 2],
  [0xd2, "unknown"],
  [0xd5, "none", 2],
  [0xe2, "unknown"],
  [0xe3, "none", SLOW],
  [0xee, "unknown"],
  [0xef, "none", SLOW],
  [0x100, "none", 2],
];

/** The kind of the immediates and the cost of each instruction, by its opcode. */
export interface InstructionTable {
  readonly immediates: Uint8Array;
  readonly costs: Uint16Array;
}

function tableOf(rows: readonly InstructionRow[], size: number): InstructionTable {
  const table = { immediates: new Uint8Array(size), costs: new Uint16Array(size) };
  for (const [first, immediate, cost = 0] of rows) {
    table.immediates.fill(Immediate[immediate], first);
    table.costs.fill(cost, first);
  }
  return table;
}

export const PLAIN_TABLE = tableOf(PLAIN, 0x100);
/** Indexed by the number after 0xfc. */
export const FC_TABLE = tableOf(AFTER_FC, 0x12);
/** Indexed by the number after 0xfd. */
export const FD_TABLE = tableOf(AFTER_FD, 0x114);
