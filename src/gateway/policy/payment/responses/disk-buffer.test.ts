import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { until } from "../../../../lib/testing/until.ts";
import { ResponseFile } from "./response-file.ts";
import { DiskBuffer, type DiskBufferHost } from "./disk-buffer.ts";

const BUFFER = 131_072;
const MOST_UNWRITTEN = 262_144;
const STEP = 4_194_304;

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A host with `disk` bytes of disk, and the calls to it. */
function hostOf(disk = Number.POSITIVE_INFINITY) {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-buffer-"));
  folders.push(folder);
  const path = join(folder, "body");
  const told = { opened: 0, closed: 0, forgone: 0, written: 0, drained: 0, broken: 0, reserved: [] as number[] };
  const gate = { open: Promise.resolve() };
  const host: DiskBufferHost = {
    async open() {
      told.opened += 1;
      await gate.open;
      return ResponseFile.create(path, () => (told.closed += 1));
    },
    forgo: () => void (told.forgone += 1),
    reserve: (bytes) => {
      told.reserved.push(bytes);
      return bytes <= disk;
    },
    written: (bytes) => void (told.written += bytes),
    onDrain: () => void (told.drained += 1),
    onBroken: () => void (told.broken += 1),
  };
  return { host, told, gate, path };
}

function send(diskBuffer: DiskBuffer, bytes: Uint8Array): boolean {
  return diskBuffer.data(bytes, 0, bytes.length);
}

test.each([0, 1, BUFFER - 1, BUFFER, BUFFER + 1, 2 * BUFFER, 3 * BUFFER + 7])(
  "a body of %d bytes is in the file unchanged, whatever its pieces",
  async (length) => {
    for (const piece of [length, 50_000, BUFFER]) {
      const { host, told, path } = hostOf();
      const body = randomBytes(length);
      const diskBuffer = new DiskBuffer(host, -1);
      const whole = Buffer.concat([Buffer.from("xx"), body, Buffer.from("y")]);
      for (let at = 0; at < length; at += piece) diskBuffer.data(whole, at + 2, Math.min(at + piece, length) + 2);
      const file = await diskBuffer.finish();
      expect([file.size, told.written, told.broken, told.forgone]).toEqual([length, length, 0, 0]);
      expect(readFileSync(path).equals(body)).toBe(true);
      file.release();
      await until(() => told.closed === 1);
    }
  },
);

test("the file is created when there is more than a buffer, and a shorter body waits for the end", async () => {
  const { host, told } = hostOf();
  const diskBuffer = new DiskBuffer(host, -1);
  send(diskBuffer, new Uint8Array(BUFFER));
  expect(told.opened).toBe(0);
  send(diskBuffer, new Uint8Array(1));
  expect(told.opened).toBe(1);
  await until(() => told.written === BUFFER);
  (await diskBuffer.finish()).release();
  expect([told.opened, told.written]).toEqual([1, BUFFER + 1]);
});

test("the sender is paused when two buffers wait, and resumed below that, once", async () => {
  const { host, told, gate } = hostOf();
  const opening = Promise.withResolvers<void>();
  gate.open = opening.promise;
  const diskBuffer = new DiskBuffer(host, -1);
  expect(send(diskBuffer, new Uint8Array(MOST_UNWRITTEN - 1))).toBe(true);
  expect(send(diskBuffer, new Uint8Array(1))).toBe(false);
  expect(told.drained).toBe(0);
  opening.resolve();
  await until(() => told.drained === 1);
  expect(send(diskBuffer, new Uint8Array(10))).toBe(true);
  (await diskBuffer.finish()).release();
  expect(told.drained).toBe(1);
});

test("the sender is resumed once, when less than two buffers wait", async () => {
  const { host, told } = hostOf();
  const writtenAtDrain: number[] = [];
  const diskBuffer = new DiskBuffer({ ...host, onDrain: () => void writtenAtDrain.push(told.written) }, -1);
  expect(send(diskBuffer, new Uint8Array(3 * BUFFER))).toBe(false);
  (await diskBuffer.finish()).release();
  expect(writtenAtDrain).toEqual([2 * BUFFER]);
});

test("a body that is dropped during a write counts once as written", async () => {
  const { host, told } = hostOf();
  const writing = Promise.withResolvers<void>();
  const going = Promise.withResolvers<void>();
  const open = async (): Promise<ResponseFile> => {
    const file = await host.open();
    const append = file.append.bind(file);
    file.append = async (bytes) => {
      writing.resolve();
      await going.promise;
      await append(bytes);
    };
    return file;
  };
  const diskBuffer = new DiskBuffer({ ...host, open }, -1);
  send(diskBuffer, new Uint8Array(2 * BUFFER));
  await writing.promise;
  diskBuffer.drop();
  going.resolve();
  await until(() => told.closed === 1);
  expect([told.written, told.drained]).toEqual([2 * BUFFER, 0]);
});

test("disk is reserved by the announced length, or in steps, or by the byte if a step is too much", async () => {
  const announced = hostOf();
  const first = new DiskBuffer(announced.host, 1000);
  send(first, new Uint8Array(1000));
  expect(announced.told.reserved).toEqual([1000]);
  send(first, new Uint8Array(1));
  expect(announced.told.reserved).toEqual([1000, 1001 + STEP]);
  first.drop();
  const unknown = hostOf(STEP + 10);
  const second = new DiskBuffer(unknown.host, -1);
  expect(unknown.told.reserved).toEqual([]);
  send(second, new Uint8Array(10));
  send(second, new Uint8Array(10));
  expect(unknown.told.reserved).toEqual([STEP + 10]);
  for (let sent = 20; sent < STEP + 10; sent += 10_000)
    send(second, new Uint8Array(Math.min(10_000, STEP + 10 - sent)));
  expect([unknown.told.reserved.length, unknown.told.broken]).toEqual([1, 0]);
  expect(send(second, new Uint8Array(1))).toBe(true);
  expect(unknown.told.reserved.slice(1)).toEqual([2 * STEP + 11, STEP + 11]);
  expect(second.finish()).rejects.toThrow("not wanted");
  await until(() => unknown.told.broken === 1);
  const none = hostOf(999);
  const third = new DiskBuffer(none.host, 1000);
  expect(none.told).toMatchObject({ forgone: 1, broken: 0 });
  await Promise.resolve();
  expect(none.told.broken).toBe(1);
  send(third, new Uint8Array(5));
  expect([none.told.written, none.told.opened]).toEqual([5, 0]);
  new DiskBuffer(hostOf(0).host, 0).drop();
});

test("a dropped body frees its memory at once, and its file", async () => {
  const early = hostOf();
  const first = new DiskBuffer(early.host, 10);
  send(first, new Uint8Array(10));
  first.drop();
  first.drop();
  expect(early.told).toMatchObject({ written: 10, forgone: 1, opened: 0, broken: 0 });
  const late = hostOf();
  const second = new DiskBuffer(late.host, -1);
  send(second, new Uint8Array(2 * BUFFER));
  second.drop();
  expect([late.told.written, late.told.forgone]).toEqual([2 * BUFFER, 0]);
  await until(() => late.told.closed === 1);
  expect([late.told.written, late.told.drained, late.told.broken]).toEqual([2 * BUFFER, 0, 0]);
  send(second, new Uint8Array(3));
  expect(late.told.written).toBe(2 * BUFFER + 3);
});

test("a finished body stays for its new owner, also if its buffer is dropped", async () => {
  const { host, told } = hostOf();
  const diskBuffer = new DiskBuffer(host, -1);
  send(diskBuffer, new Uint8Array(10));
  const file = await diskBuffer.finish();
  diskBuffer.drop();
  await new Promise(setImmediate);
  expect(await file.read(0)).toHaveLength(10);
  file.release();
  await until(() => told.closed === 1);
});

test("a file that cannot be created or written breaks the buffer", async () => {
  const { host, told } = hostOf();
  const diskBuffer = new DiskBuffer({ ...host, open: () => Promise.reject(new Error("ENOSPC")) }, -1);
  send(diskBuffer, new Uint8Array(BUFFER + 1));
  const finished = diskBuffer.finish();
  expect(finished).rejects.toThrow("not wanted");
  await until(() => told.broken === 1);
  expect(told.written).toBe(BUFFER + 1);
});
