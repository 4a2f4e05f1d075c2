import { type ByteReader } from "./byte-reader.ts";
import { skipConstantExpression } from "./constant-expression.ts";
import { type ModuleShape } from "./module-shape.ts";
import { hex, ModuleRefused } from "./refused.ts";
import { SECTION } from "./sections.ts";
import { checkIndex, readValueType } from "./value-types.ts";

type ReadSection = (id: number, read: (reader: ByteReader) => void, absent: undefined) => void;

/** Checks the contents of a module for its tables and its memory. */
export function checkSegments(shape: ModuleShape, section: ReadSection): void {
  section(SECTION.element, (reader) => checkElements(reader, shape), undefined);
  section(SECTION.dataCount, (reader) => void reader.u32(), undefined);
  section(SECTION.data, (reader) => checkData(reader, shape), undefined);
}

/** Bits of an element segment's first number. */
const IS_PASSIVE = 0x01;
/** An active segment with this bit names its table. Another segment with this bit is only declared. */
const HAS_INDEX = 0x02;
const HAS_EXPRESSIONS = 0x04;

function checkElements(reader: ByteReader, shape: ModuleShape): void {
  const count = reader.count("element segments");
  for (let i = 0; i < count; i++) {
    const offset = reader.offset;
    const flags = reader.u32();
    if (flags > 7) throw new ModuleRefused(`it has an element segment of the unknown kind ${hex(flags)}`, offset);
    if (!(flags & IS_PASSIVE)) {
      if (flags & HAS_INDEX) reader.u32();
      skipConstantExpression(reader, shape);
    }
    if (flags & (IS_PASSIVE | HAS_INDEX)) readElementKind(reader, shape, (flags & HAS_EXPRESSIONS) !== 0);
    checkItems(reader, shape, (flags & HAS_EXPRESSIONS) !== 0);
  }
}

function readElementKind(reader: ByteReader, shape: ModuleShape, hasExpressions: boolean): void {
  const offset = reader.offset;
  if (hasExpressions) readValueType(reader, shape.types.length);
  else if (reader.byte() !== 0)
    throw new ModuleRefused("it has an element segment whose elements are not functions", offset);
}

function checkItems(reader: ByteReader, shape: ModuleShape, areExpressions: boolean): void {
  const count = reader.count("elements");
  for (let i = 0; i < count; i++) {
    if (areExpressions) {
      skipConstantExpression(reader, shape);
      continue;
    }
    const offset = reader.offset;
    checkIndex("function", reader.u32(), shape.functions.length, offset);
  }
}

function checkData(reader: ByteReader, shape: ModuleShape): void {
  const count = reader.count("data segments");
  for (let i = 0; i < count; i++) {
    const offset = reader.offset;
    const flags = reader.u32();
    if (flags > 2) throw new ModuleRefused(`it has a data segment of the unknown kind ${hex(flags)}`, offset);
    if (flags === 2) checkMemoryIndex(reader);
    if (flags !== 1) skipConstantExpression(reader, shape);
    reader.skip(reader.u32());
  }
}

/** Reads the index of a memory. A filter has one memory, with index 0. */
export function checkMemoryIndex(reader: ByteReader): void {
  const offset = reader.offset;
  const index = reader.u32();
  if (index !== 0) throw new ModuleRefused(`it uses memory ${index}; a filter has one memory, number 0`, offset);
}
