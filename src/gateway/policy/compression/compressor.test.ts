import { afterEach, expect, jest, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { until } from "../../../lib/testing/until.ts";
import { CODERS, CODINGS } from "./codings.ts";
import { Compressor } from "./compressor.ts";

for (const coding of CODINGS) {
  test(`a failure of ${coding} is reported once, and no output follows`, async () => {
    const told: string[] = [];
    const coder = CODERS[coding];
    const stream = coder.open();
    const compressor = new Compressor({ ...coder, open: () => stream }, false, {
      output: () => told.push("output") > 0,
      room: () => told.push("room"),
      ended: () => told.push("ended"),
      broken: () => told.push("broken"),
    });
    compressor.write(Buffer.from("some text"));
    await until(() => told.includes("output"));
    told.length = 0;
    stream.destroy(new Error("bad state"));
    await until(() => told.length > 0);
    // The bytes are accepted and dropped: the source learns of the failure in another way.
    expect(compressor.write(Buffer.alloc(1_000_000))).toBe(true);
    compressor.goOn();
    compressor.end();
    compressor.destroy();
    await new Promise(setImmediate);
    expect(told).toEqual(["broken"]);
  });
}

/** Bytes that do not become fewer. */
function noise(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** A compressor whose host takes output or not. */
function create(isLive = false) {
  const told: string[] = [];
  const pieces: Uint8Array[] = [];
  const host = { hasRoom: true };
  const compressor = new Compressor(CODERS.gzip, isLive, {
    output(bytes) {
      pieces.push(Uint8Array.from(bytes));
      return host.hasRoom;
    },
    room: () => void told.push("room"),
    ended: () => void told.push("ended"),
    broken: () => void told.push("broken"),
  });
  return { told, pieces, host, compressor };
}

test.each([true, false])("output follows input before the end of the body (it is live: %p)", async (isLive) => {
  const { told, pieces, compressor } = create(isLive);
  for (const text of ["one", "two"]) {
    const before = pieces.length;
    expect(compressor.write(Buffer.from(text))).toBe(true);
    // oxlint-disable-next-line no-await-in-loop -- one piece after the other
    await until(() => pieces.length > before && Buffer.concat(pieces).length > 10);
  }
  compressor.end();
  await until(() => told.length > 0);
  expect([told, gunzipSync(Buffer.concat(pieces)).toString()]).toEqual([["ended"], "onetwo"]);
});

test("a source is paused from 65,536 waiting bytes on, and told once when there is room", async () => {
  const { told, pieces, compressor } = create();
  const sent = [noise(10), noise(65_535), noise(1), noise(5)];
  // The first piece is under way, so that the others wait.
  expect(sent.map((piece) => compressor.write(piece))).toEqual([true, true, false, false]);
  await until(() => told.length > 0);
  expect(told).toEqual(["room"]);
  compressor.end();
  await until(() => told.length > 1);
  expect(told).toEqual(["room", "ended"]);
  expect(gunzipSync(Buffer.concat(pieces)).equals(Buffer.concat(sent))).toBe(true);
});

test("a host that takes no more output pauses the source until it goes on", async () => {
  const { told, pieces, host, compressor } = create();
  compressor.goOn();
  host.hasRoom = false;
  compressor.write(noise(200_000));
  await until(() => pieces.length > 0);
  expect(compressor.write(noise(10))).toBe(false);
  const held = pieces.length;
  for (let i = 0; i < 5; i++) {
    // oxlint-disable-next-line no-await-in-loop -- turns of the event loop
    await new Promise(setImmediate);
  }
  expect([pieces.length, told]).toEqual([held, []]);
  host.hasRoom = true;
  compressor.goOn();
  expect(told).toEqual(["room"]);
  compressor.end();
  await until(() => told.includes("ended"));
  expect(gunzipSync(Buffer.concat(pieces)).length).toBe(200_010);
});

test("a source that has ended is not told of room", async () => {
  const { told, compressor } = create();
  compressor.write(noise(10));
  expect(compressor.write(noise(100_000))).toBe(false);
  compressor.end();
  await until(() => told.length > 0);
  expect(told).toEqual(["ended"]);
});

test("a compressor that is discarded while its host takes no output does not go on", async () => {
  const { told, pieces, host, compressor } = create();
  host.hasRoom = false;
  compressor.write(noise(200_000));
  await until(() => pieces.length > 0);
  expect(compressor.write(noise(10))).toBe(false);
  compressor.destroy();
  compressor.goOn();
  expect(told).toEqual([]);
});

test("a compressor that is discarded takes everything, and gives nothing", async () => {
  const { told, pieces, compressor } = create();
  compressor.write(noise(100_000));
  compressor.destroy();
  compressor.destroy();
  expect([compressor.write(noise(100_000)), compressor.end()]).toEqual([true, undefined]);
  for (let i = 0; i < 5; i++) {
    // oxlint-disable-next-line no-await-in-loop -- turns of the event loop
    await new Promise(setImmediate);
  }
  expect([told, pieces]).toEqual([[], []]);
});

afterEach(() => {
  jest.useRealTimers();
});

test("no timer is left after the end of a body, or after a body that is given up", async () => {
  jest.useFakeTimers();
  const { told, compressor } = create();
  compressor.write(Buffer.from("text"));
  expect(jest.getTimerCount()).toBe(1);
  compressor.end();
  // The compression is not stopped by fake timers.
  while (!told.includes("ended")) await new Promise(setImmediate);
  expect(jest.getTimerCount()).toBe(0);
  const { compressor: other } = create();
  other.write(Buffer.from("text"));
  other.destroy();
  expect(jest.getTimerCount()).toBe(0);
});
