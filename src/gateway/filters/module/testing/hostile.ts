import { assemble, I32, I64, onRequest, op, type Parts, u32 } from "./assembler.ts";

export const FOREVER = [...op.br(0), ...op.end, ...op.unreachable];
export const ZERO = op.i32(0);

/** A module whose on_request repeats `body` in an endless loop. */
export function forever(body: readonly number[], parts: Parts = {}): Uint8Array {
  return onRequest([...op.loop, ...body, ...FOREVER], parts);
}

/** A module whose only function is on_request, with this code. */
export function callsItself(code: readonly number[]): Uint8Array {
  return assemble({ functions: [{ export: "on_request", code }] });
}

const TRY_THROW = [0x06, 0x40, 0x08, 0, 0x19, 0x0b];
const MEGABYTE = op.i32(1 << 20);

const NEXT_LOAD = [
  [...op.get(0), ...op.get(0), ...op.i32Load, ...op.i32Add, ...op.i32(1_664_525), 0x6c],
  [...op.i32(1_013_904_223), ...op.i32Add, ...op.i32(0x1e_ff_fc_0), 0x71, ...op.set(0)],
].flat();

/** Writes to the whole memory first, because pages that were never written are one and the same. */
const CHASE = {
  export: "on_request",
  locals: [[1, I32]],
  code: [
    [...ZERO, ...op.i32(1), ...op.i32(31 << 20), ...op.memoryFill, ...op.loop],
    ...Array.from({ length: 16 }, () => NEXT_LOAD),
    FOREVER,
  ].flat(),
} as const;

/** Modules for the Turnpike ABI that would run forever. */
export const HOSTILE: readonly (readonly [what: string, module: Uint8Array])[] = [
  ["an empty loop", forever([])],
  [
    "loops in loops",
    onRequest([
      ...Array.from({ length: 50 }, () => op.loop).flat(),
      ...op.br(25),
      ...Array<number>(50).fill(0x0b),
      ...ZERO,
    ]),
  ],
  ["a loop that a branch table closes", onRequest([...op.loop, ...ZERO, 0x0e, 1, 0, 0, ...op.end, ...op.unreachable])],
  [
    "a loop in unreachable code that is reached",
    onRequest([...op.loop, ...op.block, ...op.br(1), ...op.end, ...op.end, ...op.unreachable]),
  ],
  ["a tail call of itself", callsItself(op.returnCall(0))],
  [
    "tail calls of each other",
    assemble({ functions: [{ export: "on_request", code: op.returnCall(1) }, { code: op.returnCall(0) }] }),
  ],
  ["calls in a loop", forever([...op.call(1), ...op.drop], { functions: [{ code: ZERO }] })],
  [
    "calls with 50,000 local variables",
    forever([...op.call(1), ...op.drop], { functions: [{ locals: [[50_000, I64]], code: ZERO }] }),
  ],
  ["memory.fill of a megabyte", forever([...ZERO, ...ZERO, ...MEGABYTE, ...op.memoryFill], { memory: 16 })],
  ["memory.copy of a megabyte", forever([...ZERO, ...op.i32(1 << 20), ...MEGABYTE, ...op.memoryCopy], { memory: 32 })],
  ["loads across 31 MiB, each from the address in the last one", assemble({ memory: 496, functions: [CHASE] })],
  ["memory.grow", forever([...op.i32(1), ...op.memoryGrow, ...op.drop])],
  [
    "table.fill",
    forever([...ZERO, 0xd2, 0, ...op.i32(60_000), 0xfc, 17, 0], {
      tables: [[0x70, 0, ...u32(60_000)]],
      elements: [[3, 0, 1, 0]],
    }),
  ],
  ["table.grow", forever([0xd0, 0x70, ...op.i32(1), 0xfc, 15, 0, ...op.drop], { tables: [[0x70, 0, 1]] })],
  ["exceptions", forever(TRY_THROW, { tags: [[0, 0]] })],
  ["a catch_all around its own trap", onRequest([0x06, 0x40, ...op.loop, ...op.br(0), 0x0b, 0x19, 0x0b, ...ZERO])],
  ["a long straight line", forever(Array.from({ length: 100_000 }, () => [...ZERO, ...op.drop]).flat())],
  ["divisions", forever(Array.from({ length: 15 }, () => [...op.i32(7), ...op.i32(3), 0x6e, ...op.drop]).flat())],
];
