import { expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { makeZip } from "../testing/make-zip.ts";
import { failureOf, readBytes } from "../testing/read-bytes.ts";
import { TarLister } from "./tar.ts";

interface Entry {
  readonly name: string;
  readonly body?: string;
  /** The field of its size. */
  readonly size?: string;
  readonly type?: string;
  readonly prefix?: string;
  readonly magic?: string;
  readonly seconds?: number;
}

function entryOf({ name, body = "", size, type = "0", prefix = "", magic = "ustar", seconds = 1_767_322_800 }: Entry) {
  const header = Buffer.alloc(512);
  header.write(name.slice(0, 100), 0);
  header.write("0000644", 100);
  header.write(
    `${size ?? body.length.toString(8).padStart(11, "0")} ${seconds.toString(8).padStart(11, "0")}`,
    124,
    "latin1",
  );
  header.write(`        ${type}`, 148);
  header.write(magic, 257);
  header.write(prefix, 345);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return Buffer.concat([header, Buffer.from(body), Buffer.alloc(-body.length & 511)]);
}

/** A tar file with files of this many bytes. */
function makeTar(files: Readonly<Record<string, number>>): Buffer {
  const entries = Object.entries(files).map(([name, size]) => entryOf({ name, body: "\0".repeat(size) }));
  return Buffer.concat([...entries, Buffer.alloc(1024)]);
}

const LINK = "././@LongLink";
const LONG = "l".repeat(600);

test.each<[what: string, entries: readonly Entry[], names: readonly string[]]>([
  ["of 100 characters", [{ name: "n".repeat(100) }], ["n".repeat(100)]],
  ["with a prefix", [{ name: "c", prefix: "a/b" }], ["a/b/c"]],
  ["with a prefix of 155 characters", [{ name: "c", prefix: `${"p".repeat(155)}q` }], [`${"p".repeat(155)}/c`]],
  ["of a format without prefixes", [{ name: "c", prefix: "a/b", magic: "" }], ["c"]],
  ["of GNU", [{ name: LINK, type: "L", body: `${LONG}\0` }, { name: "l" }, { name: "m" }], [LONG, "m"]],
  [
    "of pax",
    [{ name: "h", type: "x", body: "13 mtime=1.5\n10 path=p\n9 uid=1\n" }, { name: "n" }, { name: "m" }],
    ["p", "m"],
  ],
  ["beside other fields of pax", [{ name: "h", type: "x", body: "14 xpath=1.5\n" }, { name: "n" }], ["n"]],
  ["beside what is for all files", [{ name: "g", type: "g", body: "10 path=p\n" }, { name: "n" }], ["n"]],
  [
    "beside the target of a link",
    [
      { name: LINK, type: "K", body: LONG },
      { name: "n", type: "2" },
    ],
    ["n"],
  ],
  [
    "of at most 65,536 bytes",
    [{ name: LINK, type: "L", body: "l".repeat(65_536) }, { name: "n" }],
    ["l".repeat(65_536)],
  ],
])("names %s in a tar file", (_what, entries, names) => {
  const tar = Buffer.concat([...entries.map(entryOf), Buffer.alloc(1024), entryOf({ name: "after the end" })]);
  for (const length of [tar.length, 512, 700]) {
    const lister = new TarLister();
    for (let at = 0; at < tar.length; at += length) lister.write(tar.subarray(at, at + length));
    expect(lister.files.map(({ name }) => name)).toEqual([...names]);
    expect(lister.isEnded).toBe(true);
  }
});

test("sizes and dates in a tar file may be missing, and sizes may be in base 256", () => {
  const lister = new TarLister();
  const large = `\x80${"\0".repeat(9)}\x02\x01`;
  lister.write(entryOf({ name: "a", size: " ".repeat(11), seconds: 0 }));
  lister.write(entryOf({ name: "b", size: large, body: "b".repeat(513), seconds: 1 }));
  expect(lister.files).toEqual([
    { name: "a", size: 0 },
    { name: "b", size: 513, modified: new Date(1000) },
  ]);
});

test.each<[message: string, entry: Entry]>([
  ["it is a tar file with a name that is too long", { name: LINK, type: "L", body: "l".repeat(65_537) }],
  ["it is a damaged tar file", { name: "a", size: `\x80${"\0".repeat(3)}${"\x7f".repeat(8)}` }],
  ["it is a damaged tar file", { name: "a", size: "         -1" }],
])("%s", (message, entry) => {
  expect(() => new TarLister().write(entryOf(entry))).toThrow(message);
});

test("a zip archive is a list of its files, and none of its names is a path", async () => {
  const { markdown } = await readBytes(
    makeZip({ "a.txt": "hello", "folder/": "", "../../etc/passwd": "x", "b|c": "" }),
  );
  expect(markdown()).toBe(
    "A zip archive with 3 files.\n\n| Name | Bytes |\n| --- | --- |\n| a.txt | 5 |\n| ../../etc/passwd | 1 |\n| b\\|c | 0 |",
  );
});

test("tar files and compressed ones are listed with dates", async () => {
  const tar = makeTar({ "a.txt": 700, "b/c.txt": 0 });
  const rows =
    "| Name | Bytes | Modified |\n| --- | --- | --- |\n| a.txt | 700 | 2026-01-02 |\n| b/c.txt | 0 | 2026-01-02 |";
  expect((await readBytes(tar)).markdown()).toBe(`A tar archive with 2 files.\n\n${rows}`);
  expect((await readBytes(gzipSync(tar))).markdown()).toBe(`A compressed tar archive with 2 files.\n\n${rows}`);
});

test("a gzip file with one text has its size", async () => {
  const { markdown } = await readBytes(gzipSync("x".repeat(1_000)));
  expect(markdown()).toBe("A gzip archive with 1 file.\n\n| Name | Bytes |\n| --- | --- |\n| unnamed | 1000 |");
});

const NAME = Buffer.from("a.txt\0");

test.each<[flags: number, fields: Buffer, name: string]>([
  [8, NAME, "a.txt"],
  [8, NAME.subarray(5), "unnamed"],
  [4, Buffer.from([0, 0]), "unnamed"],
  [12, Buffer.concat([Buffer.from([2, 0, 1, 1]), NAME]), "a.txt"],
])("the name of a text in a gzip file with the flags %d", async (flags, fields, name) => {
  const bytes = gzipSync("x".repeat(1_000));
  bytes[3] = flags;
  const { markdown } = await readBytes(Buffer.concat([bytes.subarray(0, 10), fields, bytes.subarray(10)]));
  expect(markdown()).toEndWith(`| ${name} | 1000 |`);
});

test("all files of a large compressed tar file are listed", async () => {
  const { markdown } = await readBytes(gzipSync(makeTar({ a: 100_000, b: 100_000, c: 1 })));
  expect(markdown().match(/^\| \w \| \d+/gm)).toEqual(["| a | 100000", "| b | 100000", "| c | 1"]);
});

test("damaged archives are refused", async () => {
  expect(await failureOf(gzipSync("x".repeat(1_000)).subarray(0, 20))).toBe("it is a damaged gzip file");
  const tar = makeTar({ a: 1, b: 1 });
  tar[1024 + 3] = 7;
  expect(await failureOf(tar)).toBe("it is a damaged tar file");
});
