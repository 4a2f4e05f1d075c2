import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readlinkSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BufferPool } from "../../lib/memory/buffer-pool.ts";
import { BodyHold } from "./body-hold.ts";

const IN_MEMORY = 262_144;

function pool(bytes: number): BufferPool {
  return new BufferPool({ bufferSize: 1, bufferCount: bytes, reserve: 0 });
}

function create({ memory = 1_000_000, disk = 1_000_000 } = {}) {
  const buffers = pool(memory);
  const files = pool(disk);
  return { hold: new BodyHold(buffers, files), buffers, files };
}

/** Takes at most `count` pieces. */
function drained(hold: BodyHold, count = Number.POSITIVE_INFINITY): Buffer {
  const pieces: Uint8Array[] = [];
  hold.drain((bytes, start, end) => pieces.push(bytes.slice(start, end)) < count);
  return Buffer.concat(pieces);
}

test("bytes beyond the limit of memory wait in a file, and all come back in their order", () => {
  const { hold, buffers, files } = create();
  const sent = randomBytes(IN_MEMORY + 150_000);
  expect(hold.empty).toBe(true);
  expect(hold.push(Uint8Array.from(sent.subarray(0, IN_MEMORY)))).toBe(true);
  expect([buffers.used, files.used]).toEqual([IN_MEMORY, 0]);
  expect(hold.push(sent.subarray(IN_MEMORY, IN_MEMORY + 1))).toBe(true);
  expect(hold.push(sent.subarray(IN_MEMORY + 1))).toBe(true);
  expect([buffers.used, files.used, hold.empty]).toEqual([IN_MEMORY, 150_000, false]);
  const first = drained(hold, 1);
  expect([first.length, buffers.used]).toEqual([IN_MEMORY, 0]);
  const second = drained(hold, 1);
  expect([second.length, hold.empty]).toEqual([65_536, false]);
  // In the file, so that it stays behind the bytes there.
  expect(hold.push(Buffer.from("end"))).toBe(true);
  expect(files.used).toBe(150_003);
  const third = drained(hold);
  expect(Buffer.concat([first, second, third]).equals(Buffer.concat([sent, Buffer.from("end")]))).toBe(true);
  expect([hold.empty, files.used, drained(hold).length]).toEqual([true, 0, 0]);
});

/** The files of bodies that this process has open, and their bytes. */
function openFiles(): { readonly count: number; readonly bytes: number } {
  let count = 0;
  let bytes = 0;
  for (const fd of readdirSync("/proc/self/fd")) {
    try {
      const path = `/proc/self/fd/${fd}`;
      if (!readlinkSync(path).includes("/turnpike-body-")) continue;
      count++;
      bytes += statSync(path).size;
    } catch {
      // The descriptor of the folder itself is closed by now.
    }
  }
  return { count, bytes };
}

function fileBytes(): number {
  return openFiles().bytes;
}

test("a body whose file was read to its end is stored again from the beginning of the file", () => {
  const { hold, files } = create({ memory: 0 });
  const before = fileBytes();
  for (const text of ["first", "second"]) {
    expect(hold.push(Buffer.from(text))).toBe(true);
    expect([files.used, fileBytes()]).toEqual([text.length, before + text.length]);
    expect(drained(hold).toString()).toBe(text);
    expect([hold.empty, files.used, fileBytes()]).toEqual([true, 0, before]);
  }
  hold.clear();
});

test("bytes for which memory has no room wait in a file", () => {
  const { hold, buffers, files } = create({ memory: 1000 });
  hold.push(new Uint8Array(1001));
  expect([buffers.used, files.used]).toEqual([0, 1001]);
});

test("bytes for which the disk has no room are not stored", () => {
  const { hold, files } = create({ memory: 0, disk: 10 });
  expect(hold.push(Buffer.from("0123456789"))).toBe(true);
  expect(hold.push(Buffer.from("x"))).toBe(false);
  expect(files.used).toBe(10);
  expect(drained(hold).toString()).toBe("0123456789");
});

test("the file of a body has no name in the folder of temporary files; without that folder, bytes are not stored", () => {
  const before = process.env["TMPDIR"];
  const folder = mkdtempSync(join(tmpdir(), "turnpike-hold-"));
  process.env["TMPDIR"] = folder;
  const { hold, files } = create({ memory: 0 });
  try {
    expect(hold.push(Buffer.from("kept"))).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
    const other = create({ memory: 0 });
    expect([other.hold.push(Buffer.from("lost")), other.files.used, other.hold.empty]).toEqual([false, 0, true]);
    expect([drained(hold).toString(), files.used]).toEqual(["kept", 0]);
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
    rmSync(folder, { recursive: true, force: true });
    hold.clear();
  }
});

test("a body that is dropped frees its memory and its file", () => {
  const { hold, buffers, files } = create();
  const { count } = openFiles();
  hold.push(new Uint8Array(IN_MEMORY));
  hold.push(new Uint8Array(5000));
  expect(openFiles().count).toBe(count + 1);
  hold.clear();
  expect(openFiles().count).toBe(count);
  expect([buffers.used, files.used, hold.empty, drained(hold).length]).toEqual([0, 0, true, 0]);
  // In memory again.
  hold.push(new Uint8Array(5000));
  expect([buffers.used, files.used]).toEqual([5000, 0]);
  hold.clear();
  hold.clear();
  expect([buffers.used, files.used]).toEqual([0, 0]);
});
