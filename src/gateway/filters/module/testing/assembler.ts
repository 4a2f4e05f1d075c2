import { ByteWriter } from "../metering/byte-writer.ts";
import { SECTION, SECTION_ORDER } from "../reading/sections.ts";

export const HEADER: readonly number[] = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
export const I32 = 0x7f;
export const I64 = 0x7e;

/** The parts of a module for a test, each as the bytes of an entry or as numbers. They are not checked. */
export interface Parts {
  /** Parameters and results of each type; by default () -> (), () -> i32, (i32) -> i32, (i32, i32) -> i32. */
  readonly types?: readonly (readonly [params: readonly number[], results: readonly number[]])[];
  /** Module, name and type index. */
  readonly imports?: readonly (readonly [module: string, name: string, type: number])[];
  readonly functions?: readonly TestFunction[];
  /** Bytes of each table. */
  readonly tables?: readonly (readonly number[])[];
  /** Bytes of each memory's limits, or its pages. */
  readonly memory?: number | readonly number[];
  readonly tags?: readonly (readonly number[])[];
  /** Bytes of each global. */
  readonly globals?: readonly (readonly number[])[];
  /** Exports in addition to those of functions: name, kind, index. */
  readonly exports?: readonly (readonly [name: string, kind: number, index: number])[];
  readonly start?: number;
  readonly elements?: readonly (readonly number[])[];
  readonly dataCount?: number;
  readonly data?: readonly (readonly number[])[];
}

export interface TestFunction {
  /** The type index; by default 1, () -> i32. */
  readonly type?: number;
  readonly export?: string;
  /** Number and type of each group of local variables. */
  readonly locals?: readonly (readonly [count: number, type: number])[];
  /** The instructions, without the last `end`. */
  readonly code: readonly number[];
}

const TYPES: NonNullable<Parts["types"]> = [
  [[], []],
  [[], [I32]],
  [[I32], [I32]],
  [[I32, I32], [I32]],
];

/** The bytes of a module. */
export function assemble(parts: Parts): Uint8Array {
  const { imports = [], functions = [], memory } = parts;
  const memories = memory === undefined ? [] : [typeof memory === "number" ? [0x00, ...u32(memory)] : memory];
  const exported = functions.flatMap((fn, i) =>
    fn.export === undefined ? [] : [[fn.export, 0, imports.length + i] as const],
  );
  const sections = new Map<number, Uint8Array>([
    [SECTION.type, list(parts.types ?? TYPES, typeEntry)],
    [SECTION.import, list(imports, ([module, name, type]) => [...text(module), ...text(name), 0, ...u32(type)])],
    [SECTION.function, list(functions, ({ type = 1 }) => u32(type))],
    [SECTION.table, list(parts.tables ?? [], (bytes) => bytes)],
    [SECTION.memory, list(memories, (bytes) => bytes)],
    [SECTION.tag, list(parts.tags ?? [], (bytes) => bytes)],
    [SECTION.global, list(parts.globals ?? [], (bytes) => bytes)],
    [
      SECTION.export,
      list([...exported, ...(parts.exports ?? [])], ([name, kind, index]) => [...text(name), kind, ...u32(index)]),
    ],
    [SECTION.element, list(parts.elements ?? [], (bytes) => bytes)],
    [SECTION.code, list(functions, bodyEntry)],
    [SECTION.data, list(parts.data ?? [], (bytes) => bytes)],
  ]);
  if (parts.start !== undefined) sections.set(SECTION.start, Uint8Array.from(u32(parts.start)));
  if (parts.dataCount !== undefined) sections.set(SECTION.dataCount, Uint8Array.from(u32(parts.dataCount)));
  const out = new ByteWriter().raw(HEADER);
  for (const id of SECTION_ORDER) {
    const content = sections.get(id);
    if (content !== undefined && content.length > 0 && (content[0] !== 0 || id === SECTION.start)) {
      out.byte(id).sized(content);
    }
  }
  return out.done().slice();
}

/** A module for the Turnpike ABI whose on_request has this code. */
export function onRequest(code: readonly number[], parts: Parts = {}): Uint8Array {
  const functions = [{ export: "on_request", code }, ...(parts.functions ?? [])];
  return assemble({ memory: 1, ...parts, functions });
}

export function section(id: number, content: readonly number[]): number[] {
  return [id, ...u32(content.length), ...content];
}

export function u32(value: number): number[] {
  return [...new ByteWriter().u32(value).done()];
}

export function s32(value: number): number[] {
  return [...new ByteWriter().s32(value).done()];
}

export function text(value: string): number[] {
  return [...new ByteWriter().name(value).done()];
}

function list<T>(items: readonly T[], entry: (item: T) => ArrayLike<number>): Uint8Array {
  const out = new ByteWriter().u32(items.length);
  for (const item of items) out.raw(entry(item));
  return out.done();
}

function typeEntry([params, results]: readonly [readonly number[], readonly number[]]): number[] {
  return [0x60, ...u32(params.length), ...params, ...u32(results.length), ...results];
}

function bodyEntry({ locals = [], code }: TestFunction): Uint8Array {
  const body = new ByteWriter().u32(locals.length);
  for (const [count, type] of locals) body.u32(count).byte(type);
  body.raw(code).byte(0x0b);
  return new ByteWriter().sized(body.done()).done();
}

/** Instructions by name, as bytes. */
export const op = {
  unreachable: [0x00],
  nop: [0x01],
  block: [0x02, 0x40],
  loop: [0x03, 0x40],
  if: [0x04, 0x40],
  else: [0x05],
  end: [0x0b],
  return: [0x0f],
  drop: [0x1a],
  i32Add: [0x6a],
  i32Sub: [0x6b],
  i32Load: [0x28, 0x02, 0x00],
  i32Store: [0x36, 0x02, 0x00],
  memorySize: [0x3f, 0x00],
  memoryGrow: [0x40, 0x00],
  memoryCopy: [0xfc, 0x0a, 0x00, 0x00],
  memoryFill: [0xfc, 0x0b, 0x00],
  br: (label: number) => [0x0c, ...u32(label)],
  brIf: (label: number) => [0x0d, ...u32(label)],
  call: (index: number) => [0x10, ...u32(index)],
  returnCall: (index: number) => [0x12, ...u32(index)],
  get: (local: number) => [0x20, ...u32(local)],
  set: (local: number) => [0x21, ...u32(local)],
  tee: (local: number) => [0x22, ...u32(local)],
  globalGet: (index: number) => [0x23, ...u32(index)],
  globalSet: (index: number) => [0x24, ...u32(index)],
  i32: (value: number) => [0x41, ...s32(value)],
} as const;
