import { ByteReader } from "./byte-reader.ts";
import { skipConstantExpression } from "./constant-expression.ts";
import { MAX_EXCEPTION_VALUES, MAX_GLOBALS } from "./limits.ts";
import { type Export, EXTERNAL, type ImportedFunction, type ModuleShape, type Table } from "./module-shape.ts";
import { hex, ModuleRefused } from "./refused.ts";
import { readSections, type Section, SECTION } from "./sections.ts";
import { checkSegments } from "./segments.ts";
import {
  checkIndex,
  type FunctionType,
  garbageCollected,
  type Limits,
  readLimits,
  readValueType,
} from "./value-types.ts";

type Mutable = { -readonly [Key in keyof ModuleShape]: ModuleShape[Key] };

/** Reads and checks everything except the code of a module. Throws ModuleRefused. */
export function readShape(bytes: Uint8Array): ModuleShape {
  const sections = readSections(bytes);
  const shape: Mutable = {
    bytes,
    sections,
    types: [],
    imports: [],
    functions: [],
    tables: [],
    memory: undefined,
    globalCount: 0,
    exports: [],
  };
  const section = <T>(id: number, read: (reader: ByteReader) => T, absent: T): T => {
    const found = sections.get(id);
    if (found === undefined) return absent;
    const reader = new ByteReader(bytes, found.start, found.end);
    const value = read(reader);
    if (reader.offset !== found.end) throw new ModuleRefused(`section ${id} has bytes behind its end`, reader.offset);
    return value;
  };
  shape.types = section(SECTION.type, readTypes, []);
  const imported: { types: readonly number[]; imports: readonly ImportedFunction[] } = { types: [], imports: [] };
  const { types, imports } = section(SECTION.import, (reader) => readImports(reader, shape.types), imported);
  shape.imports = imports;
  const typeCount = shape.types.length;
  shape.functions = [...types, ...section(SECTION.function, (reader) => readFunctions(reader, typeCount), [])];
  shape.globalCount = globalCountOf(bytes, sections);
  shape.tables = section(SECTION.table, (reader) => readTables(reader, shape), []);
  shape.memory = section(SECTION.memory, readMemory, undefined);
  section(SECTION.tag, (reader) => checkTags(reader, shape.types), undefined);
  section(SECTION.global, (reader) => checkGlobals(reader, shape), undefined);
  shape.exports = section(SECTION.export, (reader) => readExports(reader, shape), []);
  section(SECTION.start, (reader) => checkFunction(reader, shape), undefined);
  checkSegments(shape, section);
  return shape;
}

function readTypes(reader: ByteReader): FunctionType[] {
  const count = reader.count("types");
  const types: FunctionType[] = [];
  for (let i = 0; i < count; i++) {
    const offset = reader.offset;
    const form = reader.byte();
    if (form === 0x5f || form === 0x5e || form === 0x50 || form === 0x4f || form === 0x4e) {
      throw garbageCollected(offset);
    }
    if (form !== 0x60) throw new ModuleRefused(`it has an unknown form of type ${hex(form)}`, offset);
    types.push({ params: readValueTypes(reader, count), results: readValueTypes(reader, count) });
  }
  return types;
}

function readValueTypes(reader: ByteReader, typeCount: number): number[] {
  const count = reader.count("values of a type");
  const types: number[] = [];
  for (let i = 0; i < count; i++) types.push(readValueType(reader, typeCount));
  return types;
}

function readImports(reader: ByteReader, types: readonly FunctionType[]) {
  const count = reader.count("imports");
  const found: { types: number[]; imports: ImportedFunction[] } = { types: [], imports: [] };
  for (let i = 0; i < count; i++) {
    const module = reader.name();
    const name = reader.name();
    const offset = reader.offset;
    const kind = EXTERNAL[reader.byte()];
    if (kind !== "function") {
      throw new ModuleRefused(`it imports a ${kind ?? "thing of unknown kind"}, "${module}.${name}"`, offset);
    }
    const index = reader.u32();
    checkIndex("type", index, types.length, offset);
    found.types.push(index);
    // Checked above.
    found.imports.push({ module, name, type: types[index] as FunctionType });
  }
  return found;
}

function readFunctions(reader: ByteReader, typeCount: number): number[] {
  const count = reader.count("functions");
  const types: number[] = [];
  for (let i = 0; i < count; i++) {
    const offset = reader.offset;
    const index = reader.u32();
    checkIndex("type", index, typeCount, offset);
    types.push(index);
  }
  return types;
}

function readTables(reader: ByteReader, shape: ModuleShape): Table[] {
  const count = reader.count("tables");
  const tables: Table[] = [];
  for (let i = 0; i < count; i++) {
    const hasInitial = reader.bytes[reader.offset] === 0x40;
    if (hasInitial) {
      reader.skip(1);
      const offset = reader.offset;
      if (reader.byte() !== 0) throw new ModuleRefused("it has a table of an unknown form", offset);
    }
    const start = reader.offset;
    readValueType(reader, shape.types.length);
    const end = reader.offset;
    const limits = readLimits(reader, "table");
    const from = reader.offset;
    if (hasInitial) skipConstantExpression(reader, shape);
    tables.push({ type: [start, end], limits, initial: hasInitial ? [from, reader.offset] : undefined });
  }
  return tables;
}

function readMemory(reader: ByteReader): Limits | undefined {
  const offset = reader.offset;
  const count = reader.count("memories");
  if (count > 1) throw new ModuleRefused(`it has ${count} memories; a filter has one`, offset);
  return count === 0 ? undefined : readLimits(reader, "memory");
}

function checkTags(reader: ByteReader, types: readonly FunctionType[]): void {
  const count = reader.count("tags");
  for (let i = 0; i < count; i++) {
    const offset = reader.offset;
    if (reader.byte() !== 0) throw new ModuleRefused("it has a tag of an unknown kind", offset);
    const index = reader.u32();
    checkIndex("type", index, types.length, offset);
    const values = types[index]?.params.length ?? 0;
    if (values > MAX_EXCEPTION_VALUES) {
      throw new ModuleRefused(
        `it has exceptions of ${values} values; at most ${MAX_EXCEPTION_VALUES} are allowed`,
        offset,
      );
    }
  }
}

/** Reads only the count, because expressions before the section can refer to globals. */
function globalCountOf(bytes: Uint8Array, sections: ReadonlyMap<number, Section>): number {
  const section = sections.get(SECTION.global);
  if (section === undefined) return 0;
  const count = new ByteReader(bytes, section.start, section.end).count("globals");
  if (count <= MAX_GLOBALS) return count;
  throw new ModuleRefused(`it has ${count} globals; at most ${MAX_GLOBALS} are allowed`, section.start);
}

function checkGlobals(reader: ByteReader, shape: ModuleShape): void {
  const count = reader.count("globals");
  for (let i = 0; i < count; i++) {
    readValueType(reader, shape.types.length);
    const offset = reader.offset;
    if (reader.byte() > 1) throw new ModuleRefused("it has a global that is neither constant nor variable", offset);
    skipConstantExpression(reader, shape);
  }
}

function readExports(reader: ByteReader, shape: ModuleShape): Export[] {
  const count = reader.count("exports");
  const exports: Export[] = [];
  for (let i = 0; i < count; i++) {
    const name = reader.name();
    const offset = reader.offset;
    const kind = EXTERNAL[reader.byte()];
    if (kind === undefined) throw new ModuleRefused(`it exports "${name}", which is of an unknown kind`, offset);
    const index = reader.u32();
    if (kind === "function") checkIndex("function", index, shape.functions.length, offset);
    if (kind === "global") checkIndex("global", index, shape.globalCount, offset);
    exports.push({ name, kind, index });
  }
  return exports;
}

function checkFunction(reader: ByteReader, shape: ModuleShape): void {
  const offset = reader.offset;
  checkIndex("function", reader.u32(), shape.functions.length, offset);
}
