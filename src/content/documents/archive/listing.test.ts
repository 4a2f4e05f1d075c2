import { expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { makeZip } from "../testing/make-zip.ts";
import { failureOf, readBytes } from "../testing/read-bytes.ts";

/** A tar file with files of this many bytes. */
function makeTar(files: Readonly<Record<string, number>>): Buffer {
  const blocks = Object.entries(files).flatMap(([name, size]) => {
    const header = Buffer.alloc(512);
    header.write(name.slice(0, 100), 0);
    header.write(`${size.toString(8).padStart(11, "0")} ${(1_767_322_800).toString(8)}`, 124);
    header.write("        0", 148);
    header.write("ustar\0", 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    return [header, Buffer.alloc(Math.ceil(size / 512) * 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

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

test("damaged archives are refused", async () => {
  expect(await failureOf(gzipSync("x".repeat(1_000)).subarray(0, 20))).toBe("it is a damaged gzip file");
  const tar = makeTar({ a: 1, b: 1 });
  tar[1024 + 3] = 7;
  expect(await failureOf(tar)).toBe("it is a damaged tar file");
});
