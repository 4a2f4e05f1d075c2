import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { until } from "../../../../lib/testing/until.ts";
import { ResponseFile } from "./response-file.ts";
import { type ResponseRecord, decodeTail, encodeTail, tailLength } from "./response-format.ts";

/** The limits as they are documented: a test states them, so that no change of one goes unnoticed. */
const FOOTER_BYTES = 32;
const READ_BYTES = 131_072;

const folder = mkdtempSync(join(tmpdir(), "turnpike-answer-file-"));
afterAll(() => rmSync(folder, { recursive: true }));

const RECORD = {
  key: "k",
  until: 7,
  head: { status: 200, reason: "OK", fields: "A: é\r\n", bodyLength: -1 },
  trailers: "",
} satisfies ResponseRecord;

test("written bytes are read back unchanged, piece by piece, and whole when the file is opened again", async () => {
  const path = join(folder, "whole");
  const closed: string[] = [];
  const file = await ResponseFile.create(path, () => closed.push("first"));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const body = Buffer.alloc(2 * READ_BYTES + 3, "0123456789");
  await file.append(body.subarray(0, READ_BYTES + 1));
  await file.append(body.subarray(READ_BYTES + 1));
  expect([file.size, file.sum]).toEqual([body.length, crc32(body)]);
  expect(await file.read(0)).toHaveLength(READ_BYTES);
  expect(await file.read(1, 5)).toEqual(body.subarray(1, 6));
  expect(await file.read(body.length - 2)).toEqual(body.subarray(-2));
  await file.seal(encodeTail({ record: RECORD, bodySize: file.size, bodySum: file.sum }));
  file.retain();
  file.release();
  expect(await file.read(0, 1)).toEqual(body.subarray(0, 1));
  file.release();
  await until(() => closed.length === 1);
  const opened = await ResponseFile.openWhole(path, () => closed.push("second"));
  expect(opened?.tail).toEqual({ record: RECORD, bodySize: body.length, bodySum: crc32(body) });
  expect([opened?.file.size, opened?.file.sum]).toEqual([body.length, crc32(body)]);
  expect(await opened?.file.read(body.length - 1)).toEqual(body.subarray(-1));
  truncateSync(path, 10);
  expect(opened?.file.read(5, 6)).rejects.toThrow("shorter than it was");
  expect(await opened?.file.read(5, 5)).toEqual(body.subarray(5, 10));
  opened?.file.release();
  await until(() => closed.length === 2);
});

test("an existing file is not written to, and a missing one is not found", async () => {
  const path = join(folder, "there");
  writeFileSync(path, "x");
  let closed = 0;
  const onClosed = (): void => void (closed += 1);
  expect(ResponseFile.create(path, onClosed)).rejects.toThrow("EEXIST");
  await until(() => closed === 1);
  expect(await ResponseFile.openWhole(join(folder, "none"), onClosed)).toBeUndefined();
  expect(closed).toBe(2);
  expect(ResponseFile.openWhole(join(path, "below"), onClosed)).rejects.toThrow("ENOTDIR");
  await until(() => closed === 3);
  expect(await ResponseFile.openWhole(path, onClosed)).toBeUndefined();
  await until(() => closed === 4);
  expect(readFileSync(path, "utf8")).toBe("x");
});

test("a tail is read back unchanged, with and without a gRPC status", () => {
  for (const head of [RECORD.head, { ...RECORD.head, grpcStatus: 5 }, { ...RECORD.head, status: 599 }]) {
    const tail = { record: { ...RECORD, head }, bodySize: 5_000_000_000, bodySum: 0xffff_ffff };
    const bytes = encodeTail(tail);
    expect(tailLength(bytes.subarray(-FOOTER_BYTES), 5_000_000_000 + bytes.length)).toBe(bytes.length);
    expect(decodeTail(bytes)).toEqual(tail);
  }
});

test("an impossible footer is rejected", () => {
  const bytes = encodeTail({ record: RECORD, bodySize: 10, bodySum: 1 });
  const total = 10 + bytes.length;
  const footer = bytes.subarray(-FOOTER_BYTES);
  expect(tailLength(footer, total)).toBe(bytes.length);
  expect([tailLength(footer, total + 1), tailLength(footer, total - 1)]).toEqual([undefined, undefined]);
  expect(tailLength(footer.subarray(1), total)).toBeUndefined();
  const other = Buffer.from(footer);
  other[7] = 0x32;
  expect(tailLength(other, total)).toBeUndefined();
  const long = Buffer.from(footer);
  const most = 4 * 1024 * 1024;
  long.writeUInt32LE(most, 8);
  expect(tailLength(long, 10 + most + FOOTER_BYTES)).toBe(most + FOOTER_BYTES);
  long.writeUInt32LE(most + 1, 8);
  expect(tailLength(long, 10 + most + 1 + FOOTER_BYTES)).toBeUndefined();
  const damaged = Buffer.from(bytes);
  damaged[3] = 0;
  expect(decodeTail(damaged)).toBeUndefined();
});

test.each([199, 600])("a record with the status %d is rejected", (status) => {
  const tail = encodeTail({ record: { ...RECORD, head: { ...RECORD.head, status } }, bodySize: 0, bodySum: 0 });
  expect(() => decodeTail(tail)).toThrow();
});
