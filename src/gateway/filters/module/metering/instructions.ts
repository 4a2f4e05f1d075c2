/**
 * Every instruction of the WebAssembly core specification 3.0 that a filter can have, and the older exception handling
 * that compilers still emit. Each has the format of its operands and its cost. Other opcodes are refused.
 */

/** The operands after an opcode, and their meaning for the walk through a function. */
export const Immediate = {
  unknown: 0,
  none: 1,
  block: 2,
  loop: 3,
  if: 4,
  else: 5,
  end: 6,
  /** `try` of the older exception handling, and its `catch`, `catch_all`, `delegate`. */
  try: 7,
  catchTag: 8,
  catchAll: 9,
  delegate: 10,
  tryTable: 11,
  /** A branch to a label, which can also continue with the next instruction. */
  branch: 12,
  branchIf: 13,
  branchTable: 14,
  /** The next instruction is not reached. */
  return: 15,
  unreachable: 16,
  throwTag: 17,
  rethrow: 18,
  function: 19,
  tailFunction: 20,
  typeAndTable: 21,
  tailTypeAndTable: 22,
  type: 23,
  tailType: 24,
  /** A local, table or data segment: one index that the runtime checks. */
  index: 25,
  global: 26,
  select: 27,
  memory: 28,
  memoryLane: 29,
  lane: 30,
  memorySize: 31,
  memoryGrow: 32,
  i32: 33,
  i64: 34,
  bytes4: 35,
  bytes8: 36,
  bytes16: 37,
  heapType: 38,
  /** Operations whose last operand is a length, for which the code takes fuel. */
  fillMemory: 39,
  copyMemory: 40,
  initMemory: 41,
  tableLength: 42,
  tablesLength: 43,
  prefix: 44,
  garbageCollected: 45,
  threads: 46,
} as const;

type ImmediateName = keyof typeof Immediate;

/** First opcode, last opcode, operands, cost. One unit of cost is a simple instruction; see COST_PER_FUEL. */
type InstructionRow = readonly [first: number, last: number, immediate: ImmediateName, cost: number];

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
  [0x00, 0x00, "unreachable", 1],
  [0x01, 0x01, "none", 1],
  [0x02, 0x02, "block", 1],
  [0x03, 0x03, "loop", 1],
  [0x04, 0x04, "if", 1],
  [0x05, 0x05, "else", 0],
  [0x06, 0x06, "try", 1],
  [0x07, 0x07, "catchTag", 0],
  [0x08, 0x08, "throwTag", THROW],
  [0x09, 0x09, "rethrow", THROW],
  [0x0a, 0x0a, "unreachable", THROW], // throw_ref
  [0x0b, 0x0b, "end", 0],
  [0x0c, 0x0c, "branch", 1],
  [0x0d, 0x0d, "branchIf", 1],
  [0x0e, 0x0e, "branchTable", 2],
  [0x0f, 0x0f, "return", 1],
  [0x10, 0x10, "function", CALL],
  [0x11, 0x11, "typeAndTable", CALL],
  [0x12, 0x12, "tailFunction", CALL],
  [0x13, 0x13, "tailTypeAndTable", CALL],
  [0x14, 0x14, "type", CALL],
  [0x15, 0x15, "tailType", CALL],
  [0x18, 0x18, "delegate", 0],
  [0x19, 0x19, "catchAll", 0],
  [0x1a, 0x1b, "none", 1], // drop, select
  [0x1c, 0x1c, "select", 1],
  [0x1f, 0x1f, "tryTable", 1],
  [0x20, 0x22, "index", 1], // local.get, local.set, local.tee
  [0x23, 0x24, "global", 1],
  [0x25, 0x26, "index", ACCESS], // table.get, table.set
  [0x28, 0x3e, "memory", ACCESS],
  [0x3f, 0x3f, "memorySize", 1],
  [0x40, 0x40, "memoryGrow", BULK],
  [0x41, 0x41, "i32", 1],
  [0x42, 0x42, "i64", 1],
  [0x43, 0x43, "bytes4", 1],
  [0x44, 0x44, "bytes8", 1],
  [0x45, 0x6c, "none", 1],
  [0x6d, 0x70, "none", SLOW], // i32.div_s to i32.rem_u
  [0x71, 0x7e, "none", 1],
  [0x7f, 0x82, "none", SLOW], // i64.div_s to i64.rem_u
  [0x83, 0x90, "none", 1],
  [0x91, 0x91, "none", SLOW], // f32.sqrt
  [0x92, 0x97, "none", SLOW], // f32.add to f32.max
  [0x98, 0x9e, "none", 1],
  [0x9f, 0xa5, "none", SLOW], // f64.sqrt to f64.max
  [0xa6, 0xc4, "none", 1],
  [0xd0, 0xd0, "heapType", 1],
  [0xd1, 0xd1, "none", 1],
  [0xd2, 0xd2, "function", ACCESS], // ref.func
  [0xd3, 0xd3, "garbageCollected", 0],
  [0xd4, 0xd4, "none", 1],
  [0xd5, 0xd6, "branchIf", 1],
  [0xfb, 0xfb, "garbageCollected", 0],
  [0xfc, 0xfd, "prefix", 0],
  [0xfe, 0xfe, "threads", 0],
];

const AFTER_FC: readonly InstructionRow[] = [
  [0x00, 0x07, "none", 1],
  [0x08, 0x08, "initMemory", BULK],
  [0x09, 0x09, "index", 1],
  [0x0a, 0x0a, "copyMemory", BULK],
  [0x0b, 0x0b, "fillMemory", BULK],
  [0x0c, 0x0c, "tablesLength", BULK], // table.init
  [0x0d, 0x0d, "index", 1],
  [0x0e, 0x0e, "tablesLength", BULK], // table.copy
  [0x0f, 0x0f, "tableLength", TABLE_GROW], // table.grow
  [0x10, 0x10, "index", 1],
  [0x11, 0x11, "tableLength", BULK], // table.fill
];

const AFTER_FD: readonly InstructionRow[] = [
  [0x00, 0x0b, "memory", ACCESS],
  [0x0c, 0x0d, "bytes16", 1],
  [0x0e, 0x14, "none", 1],
  [0x15, 0x22, "lane", 1],
  [0x23, 0x53, "none", 1],
  [0x54, 0x5b, "memoryLane", ACCESS],
  [0x5c, 0x5d, "memory", ACCESS],
  [0x5e, 0x99, "none", 2],
  [0x9b, 0xa1, "none", 2],
  [0xa3, 0xa4, "none", 2],
  [0xa7, 0xae, "none", 2],
  [0xb1, 0xb1, "none", 2],
  [0xb5, 0xba, "none", 2],
  [0xbc, 0xc1, "none", 2],
  [0xc3, 0xc4, "none", 2],
  [0xc7, 0xce, "none", 2],
  [0xd1, 0xd1, "none", 2],
  [0xd5, 0xe1, "none", 2],
  [0xe3, 0xed, "none", SLOW],
  [0xef, 0xff, "none", SLOW],
  [0x100, 0x113, "none", 2],
];

/** The kind of the immediates and the cost of each instruction, by its opcode. */
export interface InstructionTable {
  readonly immediates: Uint8Array;
  readonly costs: Uint16Array;
}

function tableOf(rows: readonly InstructionRow[], size: number): InstructionTable {
  const table = { immediates: new Uint8Array(size), costs: new Uint16Array(size) };
  for (const [first, last, immediate, cost] of rows) {
    table.immediates.fill(Immediate[immediate], first, last + 1);
    table.costs.fill(cost, first, last + 1);
  }
  return table;
}

export const PLAIN_TABLE = tableOf(PLAIN, 0x100);
/** Indexed by the number after 0xfc. */
export const FC_TABLE = tableOf(AFTER_FC, 0x12);
/** Indexed by the number after 0xfd. */
export const FD_TABLE = tableOf(AFTER_FD, 0x114);
