import { ByteReader } from "./byte-reader.ts";
import { hex, ModuleRefused } from "./refused.ts";

/** The content of one section: from its first byte to the byte after its last one. */
export interface Section {
  readonly start: number;
  readonly end: number;
}

/** The ids of sections in a module's binary format. */
export const SECTION = {
  custom: 0,
  type: 1,
  import: 2,
  function: 3,
  table: 4,
  memory: 5,
  tag: 13,
  global: 6,
  export: 7,
  start: 8,
  element: 9,
  dataCount: 12,
  code: 10,
  data: 11,
} as const;

/** The order of sections in a file. The tag section is a later addition, between memory and global. */
export const SECTION_ORDER: readonly number[] = [1, 2, 3, 4, 5, 13, 6, 7, 8, 9, 12, 10, 11];

const MAGIC = [0x00, 0x61, 0x73, 0x6d];
const VERSION = [0x01, 0x00, 0x00, 0x00];
/** Layer 1 in the last two bytes: the component model, which is another format with the same preamble. */
const COMPONENT_LAYER = 0x01;

function checkHeader(bytes: Uint8Array): void {
  if (MAGIC.some((byte, i) => bytes[i] !== byte)) {
    throw new ModuleRefused("it is not a WebAssembly module: it does not begin with the bytes 00 61 73 6d", 0);
  }
  if (bytes[6] === COMPONENT_LAYER) throw new ModuleRefused("it is a component; a filter must be a core module", 4);
  if (VERSION.some((byte, i) => bytes[4 + i] !== byte)) {
    throw new ModuleRefused("it is not of version 1 of the binary format", 4);
  }
}

/** The sections of a module by id, without custom sections. Throws ModuleRefused. */
export function readSections(bytes: Uint8Array): ReadonlyMap<number, Section> {
  checkHeader(bytes);
  const reader = new ByteReader(bytes, MAGIC.length + VERSION.length);
  const sections = new Map<number, Section>();
  let reached = -1;
  while (reader.offset < bytes.length) {
    const offset = reader.offset;
    const id = reader.byte();
    const length = reader.u32();
    if (length > bytes.length - reader.offset) {
      const rest = bytes.length - reader.offset;
      throw new ModuleRefused(`section ${id} announces ${length} bytes, and ${rest} bytes follow`, offset);
    }
    const section = { start: reader.offset, end: reader.offset + length };
    // A custom section is dropped, but its name must be valid.
    if (id === SECTION.custom) new ByteReader(bytes, section.start, section.end).name();
    reader.skip(length);
    if (id === SECTION.custom) continue;
    const rank = SECTION_ORDER.indexOf(id);
    if (rank === -1) throw new ModuleRefused(`it has an unknown section ${hex(id)}`, offset);
    if (rank <= reached) throw new ModuleRefused(`section ${id} is repeated or out of order`, offset);
    reached = rank;
    sections.set(id, section);
  }
  return sections;
}
