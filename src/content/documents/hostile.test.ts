import { expect, test } from "bun:test";
import { createDeflateRaw, createGzip } from "node:zlib";
import { Readable } from "node:stream";
import { makeDocx, type MadeEntry, makeZip, officeParts, relationships, wordPart } from "./testing/make-zip.ts";
import { failureOf, readBytes } from "./testing/read-bytes.ts";
import { messageOf } from "../../lib/caught.ts";
import { ZipFile } from "./zip/zip-file.ts";

const MEGABYTE = 1024 * 1024;

/** Compressed spaces of this many megabytes, which are never all in memory here. */
async function deflated(megabytes: number): Promise<Buffer> {
  const stream = createDeflateRaw({ level: 6 });
  const spaces = Buffer.alloc(MEGABYTE, " ");
  Readable.from(Array.from({ length: megabytes }, () => spaces)).pipe(stream);
  return Buffer.concat(await stream.toArray());
}

function docxOf(document: Omit<MadeEntry, "name">): Uint8Array {
  const parts = Object.entries(officeParts("word")).map(([name, content]) => ({ name, content }));
  return makeZip([...parts, { name: "word/document.xml", ...document }]);
}

const TOO_LONG = "it is a compressed file that expands too much";

test("documents that expand to more than the bounds are stopped, whatever size they state", async () => {
  const packed = await deflated(300);
  const bomb = (size: number): Uint8Array => docxOf({ content: "", packed, size });
  expect(await failureOf(bomb(300 * MEGABYTE))).toBe(TOO_LONG);
  expect(await failureOf(bomb(40 * MEGABYTE))).toBe("it has a part that is too large");
  expect(await failureOf(bomb(10))).toBe("it has a part that is longer than it says");
  const ratio = await deflated(60);
  expect(await failureOf(docxOf({ content: "", packed: ratio, size: 60 * MEGABYTE }))).toBe(TOO_LONG);
});

test("a part may be stored without compression, and has the size that the file states", async () => {
  const found: string[] = [];
  for (const size of [11, 12, 10]) {
    const zip = new ZipFile(makeZip([{ name: "a", content: "of the gate", isStored: true, size }]));
    found.push(await zip.bytes("a").then(String, messageOf));
  }
  expect(found).toEqual(["of the gate", "it is a damaged zip file", "it has a part that is longer than it says"]);
});

test("the parts of one file are stopped together", async () => {
  // Each part is within the bounds of its size and its ratio.
  const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(64 * 1024)));
  const part = Buffer.concat(
    Array.from({ length: 60 * 16 }, (_none, at) => (at % 200 === 0 ? noise : Buffer.alloc(64 * 1024, 32))),
  );
  const entries = Array.from({ length: 5 }, (_none, at) => ({ name: `${at}`, content: part }));
  const zip = new ZipFile(makeZip(entries));
  const read = async (): Promise<string> => {
    for (const { name } of entries) for await (const piece of zip.pieces(name)) if (piece.length === 0) return "";
    return "";
  };
  expect(await read().catch((error: unknown) => messageOf(error))).toBe(TOO_LONG);
});

test.each([
  ["tables", "<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>"],
  ["content controls", "<w:sdt><w:sdtContent>", "</w:sdtContent></w:sdt>"],
  ["unclosed elements", "<w:p>", ""],
])("%s that are nested 20,000 deep are refused", async (_what, open, close) => {
  expect(await failureOf(makeDocx(open.repeat(20_000) + close.repeat(20_000)))).toBe(
    "it has more than 256 nested elements",
  );
});

test("entities that a document declares are never expanded", async () => {
  const entities = Array.from({ length: 10 }, (_none, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`);
  const xml = `<!DOCTYPE x [<!ENTITY e0 "lol"><!ENTITY f SYSTEM "file:///etc/passwd">${entities.join("")}]>
    <w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>&e10;&f; text</w:t></w:r></w:p></w:body></w:document>`;
  const { text } = await readBytes(makeDocx("", { "word/document.xml": xml }));
  expect(text()).toBe("&e10;&f; text");
});

test("a part of one endless attribute, and one of endless elements, are refused", async () => {
  const huge = "x".repeat(9_000_000);
  expect(await failureOf(makeDocx(`<w:p w:x="${huge}"/>`))).toBe(TOO_LONG);
  const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(6_800_000))).toString("base64");
  expect(await failureOf(makeDocx(`<w:p w:x="${noise}"/>`))).toBe("it has a part that is too large");
  expect(await failureOf(makeDocx(`<w:p>${"<w:r/>".repeat(250_000)}</w:p>`))).toBe("it has a part that is too large");
});

test("relationships in circles and to other places are not followed", async () => {
  const rels = relationships({
    r1: ["officeDocument", "document.xml"],
    s: ["styles", "document.xml"],
    f: ["footnotes", "https://a.test/notes.xml", "External"],
    n: ["numbering", "../../../../etc/passwd"],
  });
  const body = `<w:p><w:r><w:t>text</w:t><w:footnoteReference w:id="1"/></w:r></w:p>`;
  const { text } = await readBytes(makeDocx(body, { "word/_rels/document.xml.rels": rels }));
  expect(text()).toStartWith("text[1]");
});

test("archives in an archive are listed and not opened", async () => {
  const inner = makeZip({ "a.txt": "x" });
  const outer = makeZip({ "inner.zip": inner, "again.zip": makeZip({ "inner.zip": inner }) });
  expect((await readBytes(outer)).text()).toContain("inner.zip");
});

test.each<[string, (file: Buffer) => Uint8Array, string]>([
  ["cut in the middle", (file) => file.subarray(0, file.length / 2), "it is a zip file that was cut off"],
  ["without its end", (file) => file.subarray(0, -10), "it is a zip file that was cut off"],
  ["with a wrong directory", (file) => file.fill(0xff, file.length - 10, file.length - 2), "it is a damaged zip file"],
  ["with damaged data", (file) => file.fill(0xff, 200, 260), "it is a damaged zip file"],
])("a file %s is refused", async (_what, harm, expected) => {
  expect(await failureOf(harm(Buffer.from(makeDocx("<w:p/>"))))).toBe(expected);
});

test("encrypted entries, names that occur twice, and entries that overlap are refused", async () => {
  const locked = docxOf({ content: "x", isEncrypted: true });
  expect(await failureOf(locked)).toBe("it requires a password");
  const twice = [
    { name: "word/document.xml", content: "a" },
    { name: "WORD/document.xml", content: "b" },
  ];
  expect(await failureOf(makeZip(twice))).toBe("it is a zip file with two entries of one name");
  const overlapping = Array.from({ length: 100 }, (_none, at) => ({
    name: `${at}`,
    content: "",
    packed: Buffer.alloc(1_000),
  }));
  const file = Buffer.from(makeZip(overlapping));
  const directory = file.indexOf("PK\x01\x02", 0, "latin1");
  const end = Buffer.from(file.subarray(-22));
  end.writeUInt32LE(1_100, 16);
  expect(await failureOf(Buffer.concat([file.subarray(0, 1_100), file.subarray(directory, -22), end]))).toBe(
    "it is a zip file whose entries overlap",
  );
});

test("sizes of 4 GiB, in 32 or in 64 bits, are refused before memory is taken", async () => {
  expect(await failureOf(docxOf({ content: "x", size: 0xffffffff }))).toBe(TOO_LONG);
  const packed = Buffer.from(makeDocx("<w:p/>"));
  // The packed size of the last entry, 20 bytes after its mark in the directory.
  packed.writeUInt32LE(0xffffffff, packed.lastIndexOf("PK\x01\x02", undefined, "latin1") + 20);
  expect(await failureOf(packed)).toBe("it is a zip file whose entries overlap");
  const beyond = Buffer.from(makeDocx("<w:p/>"));
  beyond.writeUInt32LE(0xffffffff, beyond.lastIndexOf("PK\x01\x02", undefined, "latin1") + 42);
  expect(await failureOf(beyond)).toBe("it is a damaged zip file");
});

/** A zip file whose end is described in 64 bits (APPNOTE 4.3.14), after a change of that record. */
function wide(zip: Uint8Array, change: (record: Buffer) => unknown = () => {}): Buffer {
  const end = Buffer.from(zip.subarray(-22));
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50);
  record.writeBigUInt64LE(BigInt(end.readUInt16LE(10)), 32);
  record.writeBigUInt64LE(BigInt(end.readUInt32LE(12)), 40);
  record.writeBigUInt64LE(BigInt(end.readUInt32LE(16)), 48);
  change(record);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50);
  end.fill(0xff, 8, 20);
  return Buffer.concat([zip.subarray(0, -22), record, locator, end]);
}

test("a zip file may be described in 64 bits, and stand after other bytes", async () => {
  const zip = wide(makeZip({ a: "first", b: "second" }));
  for (const file of [zip, Buffer.concat([Buffer.from("#!/bin/sh\n"), zip])]) {
    const read = new ZipFile(file);
    expect(read.entries.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(String(await read.bytes("b"))).toBe("second");
  }
});

const OFFSETS = { size: 24, packed: 20, at: 42 };

/** A zip file whose last entry has these numbers in 64 bits (APPNOTE 4.5.3), after other extra bytes. */
function wideEntry(names: readonly (keyof typeof OFFSETS)[], { before = "", kept = names.length } = {}): Buffer {
  const zip = Buffer.from(makeZip({ a: "first", b: "second" }));
  const [entry, end] = [zip.lastIndexOf("PK\x01\x02"), zip.length - 22];
  const field = Buffer.alloc(4 + 8 * kept);
  field.writeUInt16LE(1);
  field.writeUInt16LE(8 * kept, 2);
  for (const [index, name] of names.entries()) {
    const at = entry + OFFSETS[name];
    if (index < kept) field.writeBigUInt64LE(BigInt(zip.readUInt32LE(at)), 4 + 8 * index);
    zip.writeUInt32LE(0xffffffff, at);
  }
  const extra = Buffer.concat([Buffer.from(before), field]);
  zip.writeUInt16LE(extra.length, entry + 30);
  zip.writeUInt32LE(zip.readUInt32LE(end + 12) + extra.length, end + 12);
  return Buffer.concat([zip.subarray(0, end), extra, zip.subarray(end)]);
}

test.each([
  [["size"], {}],
  [["packed"], {}],
  [["at"], {}],
  [["size", "packed", "at"], {}],
  [["packed", "at"], { before: "\x02\0\x03\0abc" }],
] as const)("the numbers %j of an entry may have 64 bits: %j", async (names, options) => {
  expect(String(await new ZipFile(wideEntry(names, options)).bytes("b"))).toBe("second");
});

test.each([
  [["size", "packed"], 1, "entries overlap"],
  [["size"], 0, TOO_LONG],
] as const)("an entry that lacks one of the numbers %j is refused", async (names, kept, error) => {
  const reading = async () => await new ZipFile(wideEntry(names, { kept })).bytes("b");
  expect(await reading().catch((thrown: unknown) => messageOf(thrown))).toContain(error);
});

test.each<[what: string, file: () => Buffer]>([
  ["without its record", () => wide(makeZip({ a: "first" }), (record) => record.fill(0, 0, 4))],
  ["whose record is cut off", () => wide(makeZip({})).subarray(1)],
  [
    "with a directory of 2^60 bytes",
    () => wide(makeZip({ a: "first" }), (record) => record.writeBigUInt64LE(2n ** 60n, 40)),
  ],
  ["with a directory at 2^60", () => wide(makeZip({ a: "first" }), (record) => record.writeBigUInt64LE(2n ** 60n, 48))],
])("a zip file in 64 bits %s is damaged", (_what, file) => {
  expect(() => new ZipFile(file())).toThrow("it is a damaged zip file");
});

test("a part that a file refers to again and again is read within the bounds of the file", async () => {
  const main = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`;
  const text = Buffer.from(crypto.getRandomValues(new Uint8Array(300_000))).toString("hex");
  const slide = `<p:sld ${main}><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>`;
  const list = Array.from({ length: 2_000 }, () => '<p:sldId r:id="s"/>').join("");
  const found = await readBytes(
    makeZip({
      ...officeParts("ppt"),
      "ppt/presentation.xml": `<p:presentation ${main}><p:sldIdLst>${list}</p:sldIdLst></p:presentation>`,
      "ppt/_rels/presentation.xml.rels": relationships({ s: ["slide", "/ppt/slides/s.xml"] }),
      "ppt/slides/s.xml": slide,
    }),
  );
  expect(found.isPartial).toBe(true);
  expect(found.text().length).toBeLessThan(6_000_000);
});

test("styles that are based on each other end", async () => {
  const styles = wordPart(
    "styles",
    ["a", "b"]
      .map((id) => `<w:style w:styleId="${id}"><w:basedOn w:val="${id === "a" ? "b" : "a"}"/></w:style>`)
      .join(""),
  );
  const parts = {
    "word/_rels/document.xml.rels": relationships({ s: ["styles", "styles.xml"] }),
    "word/styles.xml": styles,
  };
  const body = '<w:p><w:pPr><w:pStyle w:val="a"/></w:pPr><w:r><w:t>text</w:t></w:r></w:p>';
  expect((await readBytes(makeDocx(body, parts))).text()).toBe("text");
});

test("a compressed archive that expands without end is listed up to a bound", async () => {
  const gzip = createGzip({ level: 1 });
  const zeros = Buffer.alloc(MEGABYTE);
  Readable.from(Array.from({ length: 140 }, () => zeros)).pipe(gzip);
  const { isPartial, text } = await readBytes(Buffer.concat(await gzip.toArray()));
  expect(isPartial).toBe(true);
  expect(text()).toContain("Some are not listed.");
});

test("files that state more than there is are refused", async () => {
  const file = Buffer.from(makeDocx("<w:p/>"));
  file.writeUInt16LE(0xffff, file.length - 22 + 10);
  expect(await failureOf(file)).toBe("it is a zip file with more than 20000 entries");
});

test("a sheet that repeats its cells without end has a bounded part of them", async () => {
  const name = "urn:oasis:names:tc:opendocument:xmlns:";
  const row =
    '<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell></table:table-row>';
  const content = `<office:document-content xmlns:office="${name}office:1.0" xmlns:table="${name}table:1.0" xmlns:text="${name}text:1.0"><office:body><office:spreadsheet><table:table table:name="T">${row.repeat(20)}</table:table></office:spreadsheet></office:body></office:document-content>`;
  const found = await readBytes(
    makeZip({ mimetype: "application/vnd.oasis.opendocument.spreadsheet", "content.xml": content }),
  );
  expect(found.isPartial).toBe(true);
  expect(found.text().length).toBeLessThan(3_000_000);
});

test("groups of RTF that are nested 100,000 deep are refused, and damaged files end", async () => {
  expect(await failureOf(`{\\rtf1 ${"{".repeat(100_000)}`)).toBe("it has more than 500 nested groups");
  expect(await failureOf(`{\\rtf1 text${"}".repeat(100_000)} more\\bin999999999 x`)).toBe("read: text more");
  expect(await failureOf(String.raw`{\rtf1 \u99999999999 \'zz \'4`)).toStartWith("read: ");
});

test("files that are only named like files are refused", async () => {
  expect(await failureOf("nothing that is known")).toBe("its bytes are not those of its type");
  const old = Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.alloc(600)]);
  expect(await failureOf(old)).toBe("it is a file of Office before 2007, which is not supported");
  expect(await failureOf(Buffer.concat([old, Buffer.from("EncryptedPackage", "utf16le")]))).toBe(
    "it requires a password",
  );
});
