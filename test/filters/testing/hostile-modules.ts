/** Filters that mean harm, as bytes, for both ABIs. */
import { assemble, I32, op, type Parts, u32 } from "../../../src/gateway/filters/module/testing/assembler.ts";

/** The code of a callback that should never come to an end; `local` is the first local variable of its own, which are two. */
type Code = (local: number) => readonly number[];

const ZERO = op.i32(0);
const FOREVER = [...op.br(0), ...op.end];
const loop =
  (body: readonly number[]): Code =>
  () => [...op.loop, ...body, ...FOREVER];
const MEGABYTES = (n: number): number[] => op.i32(n << 20);

const FILL_ALL = [...ZERO, ...op.i32(1), ...MEGABYTES(31), ...op.memoryFill];

/** What a module of either ABI can do without the gateway. */
const CODES: Readonly<Record<string, readonly [Code, Parts?]>> = {
  "an empty loop": [loop([])],
  "loops in loops": [
    () => [...Array.from({ length: 20 }, () => op.loop).flat(), ...op.br(9), ...Array<number>(20).fill(0x0b)],
  ],
  "memory.fill": [loop([...ZERO, ...op.i32(1), ...MEGABYTES(30), ...op.memoryFill]), { memory: 496 }],
  "memory.copy": [loop([...ZERO, ...MEGABYTES(15), ...MEGABYTES(15), ...op.memoryCopy]), { memory: 496 }],
  "memory.grow": [loop([...op.i32(1), ...op.memoryGrow, ...op.drop])],
  "table.grow": [loop([0xd0, 0x70, ...op.i32(1), 0xfc, 15, 0, ...op.drop]), { tables: [[0x70, 0, 1]] }],
  "loads that wait for each other": [
    (local) => [...FILL_ALL, ...op.loop, ...Array.from({ length: 16 }, () => nextLoad(local)).flat(), ...FOREVER],
    { memory: 496 },
  ],
  "a catch_all around a loop": [() => [0x06, 0x40, ...op.loop, ...op.br(0), 0x0b, 0x19, 0x0b]],
  "a trap at once": [() => op.unreachable],
  "an access behind the memory": [() => [...op.i32(-1), ...op.i32Load, ...op.drop]],
};

function nextLoad(local: number): number[] {
  return [
    [...op.get(local), ...op.get(local), ...op.i32Load, ...op.i32Add, ...op.i32(1_664_525), 0x6c],
    [...op.i32(1_013_904_223), ...op.i32Add, ...op.i32(0x1e_ff_fc_0), 0x71, ...op.set(local)],
  ].flat();
}

/** Hostile filters of the own ABI. */
export const HOSTILE_OWN: Readonly<Record<string, Uint8Array>> = {
  ...Object.fromEntries(Object.entries(CODES).map(([name, [code, parts]]) => [name, own(code(0), parts)])),
  "endless recursion": own([...op.call(0), ...op.drop]),
  "a tail call of itself": own(op.returnCall(0)),
  "a host function in a loop": withImport("get_method", []),
  "a host function of much text in a loop": withImport("get_path", [op.i32(0), op.i32(65_536)]),
  "a host function with a wrong pointer": withImport("get_path", [op.i32(-8), op.i32(65_536)]),
  "an unknown result": own([...op.i32(9), ...op.return]),
  "a park that was not asked for": own([...op.i32(3), ...op.return]),
};

function own(code: readonly number[], parts: Parts = {}): Uint8Array {
  const locals = [[2, I32]] as const;
  return assemble({
    memory: 1,
    ...parts,
    functions: [{ export: "on_request", locals, code: [...code, ...op.unreachable] }],
  });
}

/** Writes to 31 MiB and traps. */
export const FILLS_AND_TRAPS = {
  "a trap after 31 MiB": own(FILL_ALL, { memory: 496 }),
};

/** Calls a function of the gateway for ever. */
function withImport(name: string, parameters: readonly (readonly number[])[]): Uint8Array {
  return assemble({
    memory: 2,
    imports: [["env", name, parameters.length === 0 ? 1 : 3]],
    functions: [
      {
        export: "on_request",
        code: [...op.loop, ...parameters.flat(), ...op.call(0), ...op.drop, ...FOREVER, ...op.unreachable],
      },
    ],
  });
}

/** Modules that the gateway must not load. */
export const REFUSED: Readonly<Record<string, Uint8Array>> = {
  "a start function that loops": assemble({
    functions: [
      { type: 0, code: [...op.loop, ...FOREVER] },
      { export: "on_request", code: ZERO },
    ],
    start: 0,
  }),
  "too much memory": assemble({ memory: 2048, functions: [{ export: "on_request", code: ZERO }] }),
  "shared memory": assemble({ memory: [0x03, 1, 1], functions: [{ export: "on_request", code: ZERO }] }),
  "64-bit memory": assemble({ memory: [0x04, 1], functions: [{ export: "on_request", code: ZERO }] }),
  "a table without end": assemble({
    tables: [[0x70, 0, ...u32(10_000_000)]],
    functions: [{ export: "on_request", code: ZERO }],
  }),
  "an import that is not there": assemble({
    imports: [["env", "system", 2]],
    functions: [{ export: "on_request", code: ZERO }],
  }),
  "no module": Buffer.from("#!/bin/sh\n"),
  "half a module": assemble({ functions: [{ export: "on_request", code: ZERO }] }).slice(0, -5),
};
