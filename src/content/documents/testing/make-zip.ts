import { deflateRawSync } from "node:zlib";

/** Unusual properties of an entry. */
export interface EntryFaults {
  /** The size after decompression that the directory states. */
  readonly size?: number;
  readonly isEncrypted?: boolean;
  readonly isStored?: boolean;
  /** Compressed bytes in place of those of the content. */
  readonly packed?: Uint8Array;
}

export interface MadeEntry extends EntryFaults {
  readonly name: string;
  readonly content: string | Uint8Array;
}

function isList(entries: Entries): entries is readonly MadeEntry[] {
  return Array.isArray(entries);
}

type Entries = Readonly<Record<string, string | Uint8Array>> | readonly MadeEntry[];

const named = (all: Readonly<Record<string, string | Uint8Array>>): MadeEntry[] =>
  Object.entries(all).map(([name, content]) => ({ name, content }));

/** A zip file with these entries. */
export function makeZip(entries: Entries): Uint8Array<ArrayBuffer> {
  const list = isList(entries) ? entries : named(entries);
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const entry of list) {
    const name = Buffer.from(entry.name);
    const content = Buffer.from(entry.content);
    const packed = entry.packed ?? (entry.isStored === true ? content : deflateRawSync(content));
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE((entry.isEncrypted === true ? 1 : 0) | 0x800, 2);
    fields.writeUInt16LE(entry.isStored === true ? 0 : 8, 4);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(entry.size ?? content.length, 18);
    fields.writeUInt16LE(name.length, 22);
    parts.push(Buffer.from("PK\x03\x04"), fields, name, Buffer.from(packed));
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    directory.push(Buffer.from("PK\x01\x02\x14\x00"), fields, rest, name);
    at += 30 + name.length + packed.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(list.length, 8);
  end.writeUInt16LE(list.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(at, 16);
  return Uint8Array.from(Buffer.concat([...parts, central, end]));
}

const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/** A part with relationships: by id, the type and the target, and whether it is external. */
export function relationships(
  all: Readonly<Record<string, readonly [type: string, target: string, mode?: "External"]>>,
): string {
  const rows = Object.entries(all).map(
    ([id, [type, target, mode]]) =>
      `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"${mode === undefined ? "" : ` TargetMode="${mode}"`}/>`,
  );
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${rows.join("")}</Relationships>`;
}

const MAIN_TYPES = {
  word: ["word/document.xml", "wordprocessingml.document"],
  xl: ["xl/workbook.xml", "spreadsheetml.sheet"],
  ppt: ["ppt/presentation.xml", "presentationml.presentation"],
} as const;

/** The parts that every file of Office Open XML has. */
export function officeParts(folder: keyof typeof MAIN_TYPES): Record<string, string> {
  const [main, type] = MAIN_TYPES[folder];
  return {
    "[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/${main}" ContentType="application/vnd.openxmlformats-officedocument.${type}.main+xml"/></Types>`,
    "_rels/.rels": relationships({ r1: ["officeDocument", main] }),
  };
}

const WORD =
  `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="${OFFICE}" ` +
  `xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ` +
  `xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"`;

/** A DOCX file with this body, and further parts. */
export function makeDocx(body: string, parts: Readonly<Record<string, string>> = {}): Uint8Array<ArrayBuffer> {
  return makeZip({
    ...officeParts("word"),
    "word/document.xml": `<?xml version="1.0"?><w:document ${WORD}><w:body>${body}</w:body></w:document>`,
    ...parts,
  });
}

/** A part of a DOCX file with this root. */
export function wordPart(root: string, content: string): string {
  return `<w:${root} ${WORD}>${content}</w:${root}>`;
}
