import { expect, test } from "bun:test";
import { abiOf } from "./abi.ts";
import { meter } from "./metering/meter.ts";
import { prepare } from "./prepare.ts";
import { readShape } from "./reading/read-shape.ts";
import { assemble, HEADER, I32, onRequest, op, type Parts, section, text, u32 } from "./testing/assembler.ts";
import { MEMORY_BYTES, refusalOf } from "./testing/metered.ts";

const MAX_LOCALS = 50_000;
const MAX_MODULE_BYTES = 16 * 1024 * 1024;
const MAX_NESTING = 65_536;

const OK = op.i32(0);

function functionOf(code: readonly number[], parts: Parts = {}): Uint8Array {
  return onRequest([...code, ...OK], parts);
}

function raw(...bytes: (readonly number[])[]): Uint8Array {
  return Uint8Array.from([...HEADER, ...bytes.flat()]);
}

const ONE_TYPE = section(1, [1, 0x60, 0, 0]);
const ONE_FUNCTION = [...ONE_TYPE, ...section(3, [1, 0])];

const REFUSED: readonly (readonly [what: string, module: Uint8Array, reason: RegExp])[] = [
  ["no bytes", new Uint8Array(), /not a WebAssembly module/],
  ["text", new TextEncoder().encode("(module)"), /not a WebAssembly module.*at byte 0/],
  ["a component", Uint8Array.from([0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0]), /is a component/],
  ["version 2", Uint8Array.from([0, 0x61, 0x73, 0x6d, 2, 0, 0, 0]), /not of version 1/],
  ["a header cut off", Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0]), /not of version 1/],
  ["a section cut off", raw([1, 100, 1, 0x60]), /section 1 announces 100 bytes, and 2 bytes follow \(at byte 8\)/],
  ["a section without length", raw([1]), /the file ends too early/],
  ["an unknown section", raw(section(14, [0])), /unknown section 0x0e/],
  ["sections out of order", raw(section(3, [0]), section(1, [0])), /section 1 is repeated or out of order/],
  ["a section twice", raw(section(1, [0]), section(1, [0])), /section 1 is repeated/],
  ["bytes behind a section's end", raw(section(1, [0, 0])), /section 1 has bytes behind its end/],
  ["a list with a false count", raw(section(1, [0xff, 0xff, 0xff, 0xff, 0x0f])), /4294967295 types are announced/],
  ["a number of 33 bits", raw(section(1, [0xff, 0xff, 0xff, 0xff, 0x1f])), /more than 32 bits/],
  ["an endless number", raw(section(1, [0x80, 0x80, 0x80, 0x80, 0x80, 0])), /more than 32 bits/],
  ["a constant of 33 bits", functionOf([0x41, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x1a]), /more than 32 bits/],
  ["an endless constant", functionOf([0x42, ...Array<number>(10).fill(0x80), 0, 0x1a]), /more than 64 bits/],
  ["a name that is not UTF-8", raw(section(1, [0]), section(7, [1, 1, 0xff, 0, 0])), /a name is not UTF-8/],
  ["a struct type", raw(section(1, [1, 0x5f, 0])), /garbage-collected/],
  ["a recursive group of types", raw(section(1, [1, 0x4e, 0])), /garbage-collected/],
  ["a type anyref", raw(section(1, [1, 0x60, 1, 0x6e, 0])), /garbage-collected/],
  ["an i31 reference", functionOf([...OK, 0xfb, 0x1c, 0x1a]), /garbage-collected.*at byte/],
  ["ref.eq", functionOf([0xd0, 0x70, 0xd0, 0x70, 0xd3, 0x1a]), /garbage-collected/],
  ["an unknown type", raw(section(1, [1, 0x60, 1, 0x10, 0])), /unknown type 0x10/],
  ["a 64-bit memory", assemble({ memory: [0x04, 1] }), /it has a memory with 64-bit addresses/],
  ["a shared memory", assemble({ memory: [0x03, 1, 1] }), /it has a memory that threads share/],
  ["a memory of small pages", assemble({ memory: [0x08, 1, 0] }), /it has a memory with unknown flags 0x08/],
  ["a memory below its minimum", assemble({ memory: [0x01, 2, 1] }), /maximum of 1, below its minimum of 2/],
  ["two memories", raw(section(5, [2, 0, 1, 0, 1])), /has 2 memories/],
  ["an access to memory 1", functionOf([...OK, 0x28, 0x42, 0x01, 0x00, 0x1a]), /accesses a memory by number/],
  ["memory.size of memory 1", functionOf([0x3f, 1, 0x1a]), /uses memory 1/],
  ["memory.fill of memory 1", functionOf([...OK, ...OK, ...OK, 0xfc, 0x0b, 1]), /uses memory 1/],
  [
    "memory.grow without a memory",
    assemble({ functions: [{ code: [...OK, 0x40, 0] }] }),
    /uses a memory, and does not define one/,
  ],
  ["an atomic instruction", functionOf([0xfe, 0x03, 0x00]), /atomic instructions/],
  ["a memory above the limit", assemble({ memory: 513 }), /needs 33619968 bytes.*memory_limit_bytes is 33554432/],
  ["an imported memory", imported([0x02, 0x00, 1]), /imports a memory, "env.x"/],
  ["an imported table", imported([0x01, 0x70, 0x00, 1]), /imports a table, "env.x"/],
  ["an imported global", imported([0x03, I32, 0]), /imports a global, "env.x"/],
  ["an imported tag", imported([0x04, 0, 0]), /imports a tag, "env.x"/],
  ["a table of 65,537 entries", assemble({ tables: [[0x70, 0x00, ...u32(65_537)]] }), /tables of 65537 entries/],
  ["two tables of 40,000", assemble({ tables: twice([0x70, 0x00, ...u32(40_000)]) }), /tables of 80000 entries/],
  ["a 64-bit table", assemble({ tables: [[0x70, 0x04, 1]] }), /it has a table with 64-bit addresses/],
  ["a select of an unknown type", functionOf([...OK, ...OK, ...OK, 0x1c, 1, 0x10, 0x1a]), /unknown type 0x10/],
  ["a heap type of 34 bits", functionOf([0xd0, 0x80, 0x80, 0x80, 0x80, 0x20, 0x1a]), /more than 33 bits/],
  ["an endless heap type", functionOf([0xd0, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 0x1a]), /more than 33 bits/],
  [
    "bytes behind the last function",
    raw(ONE_FUNCTION, section(10, [1, 2, 0, 0x0b, 0])),
    /^the code section has bytes behind its end/,
  ],
  ["an unknown instruction", functionOf([0x16]), /unknown instruction 0x16 \(at byte \d+\)/],
  ["wide arithmetic", functionOf([0xfc, 19]), /unknown instruction 0xfc 0x13/],
  ["an unknown vector instruction", functionOf([0xfd, 0x9a, 0x01]), /unknown instruction 0xfd 0x9a/],
  [
    "a call of metering's own function",
    functionOf([...OK, ...op.call(1), 0x1a]),
    /uses function 1, and there is only 1/,
  ],
  ["the fuel", functionOf([...op.i32(9), ...op.globalSet(0)]), /uses global 0, and there are only 0/],
  ["an export of the fuel", functionOf([], { exports: [["f", 3, 0]] }), /uses global 0/],
  ["metering's function in a table", functionOf([], tableOf([0, 0x41, 0, 0x0b, 1, 1])), /uses function 1/],
  ["a reference to metering", functionOf([], tableOf([4, 0x41, 0, 0x0b, 1, 0xd2, 1, 0x0b])), /uses function 1/],
  ["a type that is added", functionOf([...OK, 0x11, 4, 0]), /uses type 4, and there are only 4/],
  ["a block of a type that is added", functionOf([0x02, 4, 0x0b]), /block of the unknown type 4/],
  ["an export named as the fuel's", functionOf([], { exports: [["turnpike:fuel", 0, 0]] }), /exports "turnpike:fuel"/],
  [
    "an export named as the memory's",
    functionOf([], { exports: [["turnpike:memory", 2, 0]] }),
    /a name that the gateway/,
  ],
  ["an export of an unknown kind", functionOf([], { exports: [["f", 5, 0]] }), /exports "f", which is of an unknown/],
  ["a branch to nowhere", functionOf(op.br(3)), /branches to label 3, and there are only 1/],
  ["an else without an if", functionOf([0x05]), /an else without an if/],
  ["a catch without a try", functionOf([0x19]), /a catch without a try/],
  ["a data segment that is longer than its section", raw(section(11, [1, 1, 5, 0])), /ends too early/],
  ["a function that does not end", raw(ONE_FUNCTION, section(10, [1, 2, 0, 0x02])), /ends too early/],
  ["a function with bytes behind it", raw(ONE_FUNCTION, section(10, [1, 3, 0, 0x0b, 0x01])), /where its length says/],
  [
    "a function that ends in the next one",
    raw(ONE_TYPE, section(3, [2, 0, 0]), section(10, [2, 2, 0, 0x01, 0x0b])),
    /where its length says/,
  ],
  ["a function that is too long", raw(ONE_FUNCTION, section(10, [1, 90, 0, 0x0b])), /ends too early/],
  ["functions without bodies", raw(ONE_FUNCTION), /declares 1 functions, and has bodies for 0/],
  ["too many local variables", functionWithLocals(), /more than 50000 local variables/],
  ["locals beyond all numbers", functionWithLocals([0xffffffff, 0xffffffff]), /more than 50000 local variables/],
  ["blocks in blocks", functionOf(nested(MAX_NESTING)), /nests more than 65536 blocks/],
  ["exceptions of 17 values", exceptionsOf(17), /exceptions of 17 values/],
  ["an unknown data segment", assemble({ memory: 1, data: [[3, 0]] }), /data segment of the unknown kind 0x03/],
  ["an unknown element segment", assemble({ elements: [[8, 0]] }), /element segment of the unknown kind 0x08/],
  ...[0x5f, 0x5e, 0x50, 0x4f, 0x4e].map(
    (form) =>
      [`a type of the form ${form}`, raw(section(1, [1, form, 0, 0])), /^it uses garbage-collected types/] as const,
  ),
  ["a type of an unknown form", raw(section(1, [1, 0x61, 0, 0])), /unknown form of type 0x61 \(at byte 11\)/],
  ["a function of a type that is not there", raw(ONE_TYPE, section(3, [1, 1])), /^it uses type 1, and there is only 1/],
  ["an import of a type that is not there", imported([0x00, 1]), /^it uses type 1, and there is only 1/],
  ["an import of an unknown kind", imported([0x09, 0]), /imports a thing of unknown kind, "env.x" \(at byte 23\)/],
  [
    "a table of an unknown form",
    assemble({ tables: [[0x40, 1, 0x70, 0x00, 1, 0xd0, 0x70, 0x0b]] }),
    /table of an unknown form/,
  ],
  ["a tag of an unknown kind", assemble({ tags: [[1, 0]] }), /it has a tag of an unknown kind/],
  ["a tag of a type that is not there", assemble({ tags: [[0, 4]] }), /^it uses type 4/],
  ["a global of an unknown kind", assemble({ globals: [[I32, 2, ...OK, 0x0b]] }), /neither constant nor variable/],
  ["65,537 globals", raw(section(6, [...u32(65_537), ...new Uint8Array(65_537)])), /has 65537 globals; at most 65536/],
  ["an export of a function that is not there", functionOf([], { exports: [["f", 0, 1]] }), /^it uses function 1/],
  ["a start function that is not there", functionOf([], { start: 1 }), /^it uses function 1/],
  ["elements that are not functions", functionOf([], { elements: [[1, 1, 0]] }), /whose elements are not functions/],
  ["data for memory 1", assemble({ memory: 1, data: [[2, 1, ...OK, 0x0b, 0]] }), /^it uses memory 1/],
  ["a call in a constant expression", globalOf([0x10, 0]), /instruction 0x10 in a constant expression/],
  ["a global that is not there in a constant expression", globalOf([0x23, 1]), /^it uses global 1/],
  ["a function that is not there in a constant expression", globalOf([0xd2, 0]), /^it uses function 0/],
  ["an object in a constant expression", globalOf([0xfb, 0]), /^it uses garbage-collected types/],
  ["vector arithmetic in a constant expression", globalOf([0xfd, 0x0d]), /instruction 0xfd in a constant expression/],
  [
    "a section that ends in a number",
    raw(section(1, [0x80])),
    /^a section or function ends too early|^the file ends too early/,
  ],
  [
    "a table of a minimum above its maximum",
    assemble({ tables: [[0x70, 0x01, 2, 1]] }),
    /a table with a maximum of 1, below/,
  ],
  ["a shared table", assemble({ tables: [[0x70, 0x03, 1, 1]] }), /a table that threads share/],
  ["a function of 7 MB", straightLine(1_200_000), /function 0 has \d+ bytes with its metering; at most 7654321/],
];

function imported(description: readonly number[]): Uint8Array {
  return raw(ONE_TYPE, section(2, [1, ...text("env"), ...text("x"), ...description]));
}

/** A module with a global that begins with the value of an expression. */
function globalOf(expression: readonly number[]): Uint8Array {
  return assemble({ globals: [[I32, 0, ...expression, 0x0b]] });
}

function tableOf(element: readonly number[]): Parts {
  return { tables: [[0x70, 0x00, 2]], elements: [element] };
}

function twice<T>(value: T): T[] {
  return [value, value];
}

function functionWithLocals(groups: readonly number[] = [MAX_LOCALS, 1]): Uint8Array {
  return assemble({ functions: [{ locals: groups.map((count) => [count, I32] as const), code: OK }] });
}

function nested(depth: number): number[] {
  return [...Array.from({ length: depth }, () => op.block).flat(), ...Array<number>(depth).fill(0x0b)];
}

function exceptionsOf(values: number): Uint8Array {
  return assemble({ types: [[Array<number>(values).fill(I32), []]], tags: [[0, 0]] });
}

function straightLine(count: number): Uint8Array {
  const code = Array.from({ length: count }, () => [...OK, ...op.drop, 0x01, 0x01, 0x01]).flat();
  return onRequest([...code, ...OK]);
}

test.each(REFUSED)("%s is refused, with the reason", (_what, module, reason) => {
  expect(refusalOf(module)).toMatch(reason);
});

test("a module above the size limit is refused before it is read", () => {
  expect(() => prepare(new Uint8Array(MAX_MODULE_BYTES + 1), MEMORY_BYTES)).toThrow(/16777217 bytes; at most 16777216/);
});

test("a module that ends anywhere too early is refused, or is a smaller module", () => {
  const whole = onRequest([...op.loop, ...op.block, 0x41, 0x80, 0x01, ...op.brIf(0), ...op.end, ...op.end, ...OK]);
  for (let length = 0; length < whole.length; length++) {
    const cut = whole.subarray(0, length);
    const refusal = refusalOf(cut);
    if (refusal === undefined) expect(() => abiOf(readShape(cut))).toThrow();
  }
});

/** -2^31, 2^31 - 1, -2^63 and 2^63 - 1, each of which is dropped. */
const LEAST_AND_LARGEST = [
  [0x41, 0x80, 0x80, 0x80, 0x80, 0x78, 0x1a],
  [0x41, 0xff, 0xff, 0xff, 0xff, 0x07, 0x1a],
  [0x42, ...Array<number>(9).fill(0x80), 0x7f, 0x1a],
  [0x42, ...Array<number>(9).fill(0xff), 0x00, 0x1a],
].flat();

const TAKEN: readonly (readonly [what: string, module: Uint8Array])[] = [
  ["an empty module", raw()],
  ["custom sections", raw(section(0, [...text("name"), 1, 2, 3]), ONE_TYPE, section(0, text("x")))],
  ["a table without a maximum", assemble({ tables: [[0x70, 0x00, 1]] })],
  ["a table that begins with a value", assemble({ tables: [[0x40, 0, 0x70, 0x00, 1, 0xd0, 0x70, 0x0b]] })],
  ["passive data", functionOf([...OK, ...OK, ...OK, 0xfc, 8, 0, 0, 0xfc, 9, 0], { dataCount: 1, data: [[1, 1, 7]] })],
  ["data with the index of its memory", assemble({ memory: 1, data: [[2, 0, ...OK, 0x0b, 1, 7]] })],
  ["elements with the index of their table", functionOf([], tableOf([2, 0, ...OK, 0x0b, 0, 1, 0]))],
  ["elements that are only declared", functionOf([0xd2, 0, 0x1a], { elements: [[3, 0, 1, 0]] })],
  ["50,000 local variables", functionWithLocals([MAX_LOCALS])],
  ["blocks in blocks up to the limit", functionOf(nested(1000))],
  ["exceptions of 16 values", exceptionsOf(16)],
  ["65,536 globals", assemble({ globals: Array.from({ length: 65_536 }, () => [I32, 0, ...OK, 0x0b]) })],
  [
    "tables of 65,536 entries",
    assemble({
      tables: [
        [0x70, 0x00, ...u32(65_535)],
        [0x70, 0x01, 1, 1],
      ],
    }),
  ],
  ["a section without memories", raw(section(5, [0]))],
  ["a memory of its minimum", assemble({ memory: [0x01, 2, 2] })],
  ["a memory of the limit", assemble({ memory: 512 })],
  ["constants of all kinds", constants()],
  ["the least and the largest constants", functionOf(LEAST_AND_LARGEST)],
  [
    "elements that are expressions",
    functionOf([], { tables: [[0x70, 0x00, 2]], elements: [[4, ...OK, 0x0b, 2, 0xd2, 0, 0x0b, 0xd0, 0x70, 0x0b]] }),
  ],
  [
    "passive elements, and those with a type",
    functionOf([], {
      elements: [
        [1, 0, 1, 0],
        [5, 0x70, 1, 0xd2, 0, 0x0b],
        [7, 0x70, 1, 0xd2, 0, 0x0b],
      ],
    }),
  ],
  [
    "elements with a table and a type",
    functionOf([], { tables: [[0x70, 0x00, 2]], elements: [[6, 0, ...OK, 0x0b, 0x70, 1, 0xd2, 0, 0x0b]] }),
  ],
  ["a tail call", assemble({ functions: [{ code: op.returnCall(0) }] })],
  ["a vector", functionOf([0xfd, 0x0c, ...Array<number>(16).fill(0), 0xfd, 0x15, 3, 0x1a])],
  [
    "a lane of a vector in memory",
    functionOf([...OK, 0xfd, 0x0c, ...Array<number>(16).fill(0), 0xfd, 0x54, 0, 0, 15, 0xfd, 0x15, 3, 0x1a]),
  ],
  ["an exception and try_table", functionOf(tryTable(), { tags: [[0, 0]] })],
  ["an exception and try", functionOf([0x06, 0x40, 0x08, 0, 0x07, 0, 0x19, 0x0b], { tags: [[0, 0]] })],
  ["try and delegate", functionOf([0x06, 0x40, 0x06, 0x40, 0x18, 0, 0x19, 0x0b])],
  ["references to functions", functionOf([0xd2, 0, 0x14, 1, 0x1a], { elements: [[3, 0, 1, 0]] })],
  ["an extended constant", assemble({ globals: [[I32, 0, 0x41, 1, 0x41, 2, 0x6a, 0x0b]] })],
  ["saturating conversions", functionOf([0x43, 0, 0, 0, 0, 0xfc, 0, 0x1a])],
  [
    "metering inside unreachable code",
    functionOf([...op.block, ...op.br(0), ...op.loop, ...op.br(0), ...op.end, ...op.end]),
  ],
];

/** A module with a global of each type. */
function constants(): Uint8Array {
  return assemble({
    globals: [
      [I32, 0, 0x41, 1, 0x41, 2, 0x6a, 0x41, 3, 0x6b, 0x41, 4, 0x6c, 0x0b],
      [0x7e, 0, 0x42, 1, 0x42, 2, 0x7c, 0x42, 3, 0x7d, 0x42, 4, 0x7e, 0x0b],
      [0x7d, 0, 0x43, 0, 0, 0, 0, 0x0b],
      [0x7c, 0, 0x44, 0, 0, 0, 0, 0, 0, 0, 0, 0x0b],
      [0x7b, 0, 0xfd, 0x0c, ...new Uint8Array(16), 0x0b],
      [0x70, 0, 0xd0, 0x70, 0x0b],
      [0x6f, 0, 0xd0, 0x6f, 0x0b],
      [I32, 0, 0x23, 0, 0x0b],
    ],
  });
}

function tryTable(): number[] {
  return [...op.block, 0x1f, 0x40, 1, 2, 0, 0x08, 0, ...op.end, ...op.end];
}

test.each(TAKEN)("%s passes, and what metering makes of it is valid", async (_what, module) => {
  const { bytes } = meter(readShape(module), MEMORY_BYTES);
  expect(await WebAssembly.compile(bytes)).toBeInstanceOf(WebAssembly.Module);
});
