import { ByteReader } from "../reading/byte-reader.ts";
import { ByteWriter } from "./byte-writer.ts";
import { type Edits } from "./edits.ts";
import { FunctionWalk } from "./function-walk.ts";
import { MAX_FUNCTION_BYTES, MAX_METERED_BYTES, MAX_TABLE_ENTRIES, PAGE_BYTES, START_FUEL } from "../reading/limits.ts";
import { addedBodies, MeteringCode, type MeterIndexes } from "./metering-code.ts";
import { EXTERNAL, type ModuleShape } from "../reading/module-shape.ts";
import { ModuleRefused } from "../reading/refused.ts";
import { SECTION, SECTION_ORDER } from "../reading/sections.ts";
import { I32, type Limits } from "../reading/value-types.ts";

/** The names under which a metered module exports its counter of fuel and its memory. */
export const FUEL_EXPORT = "turnpike:fuel";
export const MEMORY_EXPORT = "turnpike:memory";

export interface Metered {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The number of function bodies, and of loops, that were read. */
  readonly functions: number;
  readonly loops: number;
}

const I32_CONST = 0x41;
const END = 0x0b;
const FUNCTION_FORM = 0x60;
const VARIABLE = 1;
const HAS_MAXIMUM = 1;

/**
 * Adds metering to a module, so that its fuel limits the time it takes and `memoryBytes` limits its memory. Everything
 * is added after the module's own entries, so no index in the module changes. Custom sections are dropped, because they
 * hold offsets of the old code. Throws ModuleRefused. Decision 0701.
 */
export function meter(shape: ModuleShape, memoryBytes: number): Metered {
  const memory = memoryPages(shape, memoryBytes);
  const indexes: MeterIndexes = {
    fuelGlobal: shape.globalCount,
    type: shape.types.length,
    chargeBytes: shape.functions.length,
    chargeEntries: shape.functions.length + 1,
    grow: shape.functions.length + 2,
  };
  const added = addedBodies(indexes, memory?.maximum);
  const code = meterCode(shape, indexes, added);
  const sections = new Map<number, Uint8Array>([
    [SECTION.type, extended(shape, SECTION.type, 1, Uint8Array.of(FUNCTION_FORM, 1, I32, 1, I32))],
    [SECTION.function, extended(shape, SECTION.function, added.length, repeated(indexes.type, added.length))],
    [SECTION.table, tableSection(shape)],
    [SECTION.memory, memorySection(memory)],
    [SECTION.global, extended(shape, SECTION.global, 1, fuelGlobal())],
    [SECTION.export, extended(shape, SECTION.export, shape.memory === undefined ? 1 : 2, addedExports(shape, indexes))],
    [SECTION.code, code.bytes],
  ]);
  const out = new ByteWriter().raw(shape.bytes.subarray(0, 8));
  for (const id of SECTION_ORDER) {
    const content = sections.get(id) ?? ownContent(shape, id);
    if (content.length > 0) out.byte(id).sized(content);
  }
  return { bytes: out.done(), functions: code.functions, loops: code.loops };
}

interface Pages {
  readonly minimum: number;
  readonly maximum: number;
}

/** The number of pages with which a module begins, and the most that it can have. */
function memoryPages(shape: ModuleShape, memoryBytes: number): Pages | undefined {
  if (shape.memory === undefined) return undefined;
  const cap = Math.floor(memoryBytes / PAGE_BYTES);
  const { minimum, maximum = cap } = shape.memory;
  if (minimum > cap) {
    const needs = `${minimum * PAGE_BYTES} bytes of memory`;
    throw new ModuleRefused(`it needs ${needs} to start, and memory_limit_bytes is ${memoryBytes}`);
  }
  return { minimum, maximum: Math.min(maximum, cap) };
}

function ownContent(shape: ModuleShape, id: number): Uint8Array {
  const section = shape.sections.get(id);
  return section === undefined ? new Uint8Array() : shape.bytes.subarray(section.start, section.end);
}

/** A section that is a counted list, extended by `count` entries. */
function extended(shape: ModuleShape, id: number, count: number, entries: Uint8Array): Uint8Array {
  const own = ownContent(shape, id);
  if (own.length === 0) return new ByteWriter().u32(count).raw(entries).done();
  const reader = new ByteReader(own);
  const ownCount = reader.u32();
  const out = new ByteWriter().u32(ownCount + count);
  return out.raw(own.subarray(reader.offset)).raw(entries).done();
}

function repeated(value: number, times: number): Uint8Array {
  const out = new ByteWriter();
  for (let i = 0; i < times; i++) out.u32(value);
  return out.done();
}

function fuelGlobal(): Uint8Array {
  return new ByteWriter().byte(I32).byte(VARIABLE).byte(I32_CONST).s32(START_FUEL).byte(END).done();
}

function addedExports(shape: ModuleShape, indexes: MeterIndexes): Uint8Array {
  const taken = shape.exports.find(({ name }) => name === FUEL_EXPORT || name === MEMORY_EXPORT);
  if (taken !== undefined) throw new ModuleRefused(`it exports "${taken.name}", a name that the gateway needs`);
  const out = new ByteWriter().name(FUEL_EXPORT).byte(EXTERNAL.indexOf("global")).u32(indexes.fuelGlobal);
  if (shape.memory !== undefined) out.name(MEMORY_EXPORT).byte(EXTERNAL.indexOf("memory")).u32(0);
  return out.done();
}

function memorySection(memory: Pages | undefined): Uint8Array {
  if (memory === undefined) return new Uint8Array();
  return new ByteWriter().u32(1).byte(HAS_MAXIMUM).u32(memory.minimum).u32(memory.maximum).done();
}

/** Tables can grow into the rest of the limit, in equal shares. */
function tableSection({ tables, bytes }: ModuleShape): Uint8Array {
  if (tables.length === 0) return new Uint8Array();
  const atStart = tables.reduce((sum, { limits }) => sum + limits.minimum, 0);
  if (atStart > MAX_TABLE_ENTRIES) {
    throw new ModuleRefused(`it has tables of ${atStart} entries; at most ${MAX_TABLE_ENTRIES} are allowed`);
  }
  const share = Math.floor((MAX_TABLE_ENTRIES - atStart) / tables.length);
  const most = ({ minimum, maximum = minimum + share }: Limits) => Math.min(maximum, minimum + share);
  const out = new ByteWriter().u32(tables.length);
  for (const { type, limits, initial } of tables) {
    if (initial !== undefined) out.byte(0x40).byte(0x00);
    out
      .raw(bytes.subarray(...type))
      .byte(HAS_MAXIMUM)
      .u32(limits.minimum)
      .u32(most(limits));
    if (initial !== undefined) out.raw(bytes.subarray(...initial));
  }
  return out.done();
}

function meterCode(shape: ModuleShape, indexes: MeterIndexes, added: readonly Uint8Array[]) {
  const { bytes, sections, imports, functions, types } = shape;
  const bodies = functions.length - imports.length;
  const section = sections.get(SECTION.code) ?? { start: 0, end: 0 };
  const reader = new ByteReader(bytes, section.start, section.end);
  const count = section.end === 0 ? 0 : reader.count("function bodies");
  if (count !== bodies) throw new ModuleRefused(`it declares ${bodies} functions, and has bodies for ${count}`);
  const inserted = new MeteringCode(indexes);
  const walk = new FunctionWalk(reader, shape);
  const out = new ByteWriter().u32(count + added.length);
  for (let i = 0; i < count; i++) {
    const number = imports.length + i;
    const length = reader.u32();
    const start = reader.offset;
    if (length > section.end - start) throw reader.truncated(start);
    // Type indices were checked when the functions were read.
    walk.body(types[functions[number] as number] as ModuleShape["types"][number], start + length);
    writeBody(out, bytes.subarray(start, start + length), { start, number, edits: walk.edits, inserted });
    if (out.length > MAX_METERED_BYTES) {
      throw new ModuleRefused(`it has more than ${MAX_METERED_BYTES} bytes with its metering`);
    }
  }
  if (reader.offset !== section.end)
    throw new ModuleRefused("the code section has bytes behind its end", reader.offset);
  for (const body of added) out.sized(body);
  return { bytes: out.done(), functions: count, loops: walk.loops };
}

interface BodyEdits {
  readonly start: number;
  readonly number: number;
  readonly edits: Edits;
  readonly inserted: MeteringCode;
}

function writeBody(out: ByteWriter, body: Uint8Array, { start, number, edits, inserted }: BodyEdits): void {
  const { offsets, removed, kinds, amounts } = edits;
  let length = body.length;
  for (let i = 0; i < offsets.length; i++) {
    length += inserted.of(kinds[i] ?? 0, amounts[i] ?? 0).length - (removed[i] ?? 0);
  }
  if (length > MAX_FUNCTION_BYTES) {
    const size = `has ${length} bytes with its metering; at most ${MAX_FUNCTION_BYTES} are allowed`;
    throw new ModuleRefused(`function ${number} ${size}`, start);
  }
  out.u32(length);
  let copied = 0;
  for (let i = 0; i < offsets.length; i++) {
    const at = (offsets[i] ?? 0) - start;
    out.raw(body.subarray(copied, at)).raw(inserted.of(kinds[i] ?? 0, amounts[i] ?? 0));
    copied = at + (removed[i] ?? 0);
  }
  out.raw(body.subarray(copied));
}
