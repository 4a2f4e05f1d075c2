import { expect, test } from "bun:test";
import fc from "fast-check";
import { BufferPool } from "../../lib/memory/buffer-pool.ts";
import { plentyOfBuffers } from "../../lib/testing/plenty.ts";
import { Outgoing, sendGathered } from "./outgoing.ts";
import { FakeWire } from "./testing/fake-wire.ts";

const CONNECTIONS = 3;

interface Line {
  readonly wire: FakeWire;
  readonly out: Outgoing;
  readonly given: Buffer[];
  blocked: number;
}

function lines(): Line[] {
  return Array.from({ length: CONNECTIONS }, () => {
    const wire = new FakeWire();
    const line: Line = {
      wire,
      out: new Outgoing(wire, { onBlocked: () => line.blocked++ }, plentyOfBuffers()),
      given: [],
      blocked: 0,
    };
    return line;
  });
}

/** Bytes that depend on their index, so that a swap or a loss is found. */
function pattern(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let i = 0; i < length; i++) bytes[i] = (i * 31 + seed * 17 + (i >> 8)) & 0xff;
  return bytes;
}

const size = fc.oneof(
  fc.integer({ min: 0, max: 300 }),
  fc.integer({ min: 10_000, max: 70_000 }),
  fc.integer({ min: 98_000, max: 99_000 }),
  fc.integer({ min: 131_000, max: 140_000 }),
);
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constantFrom("text", "bytes"), on: fc.nat(CONNECTIONS - 1), size }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom("end", "drain", "flush"),
      on: fc.nat(CONNECTIONS - 1),
      size: fc.constant(0),
    }),
  },
);
const takes = fc.array(fc.array(fc.integer({ min: 0, max: 150_000 }), { maxLength: 6 }), {
  minLength: CONNECTIONS,
  maxLength: CONNECTIONS,
});

function run(line: Line, kind: string, chunk: Buffer): void {
  const { out, given } = line;
  if (kind === "text" || kind === "bytes") given.push(chunk);
  if (kind === "text") out.text(chunk.toString("latin1"));
  else if (kind === "bytes") out.bytes(chunk);
  else if (kind === "end") sendGathered();
  else if (kind === "flush") out.flush();
  else out.drain();
}

test("every connection's bytes are sent completely and in order, even if each write takes few", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), takes, (steps, taken) => {
      const all = lines();
      for (const [i, line] of all.entries()) line.wire.takes = [...(taken[i] ?? [])];
      for (const [i, { kind, on, size: length }] of steps.entries()) {
        // `on` is below the number of lines.
        run(all[on] as Line, kind, pattern(length, i));
      }
      sendGathered();
      for (const { wire, out, given } of all) {
        wire.takes = [];
        out.flush();
        expect(out.drain()).toBe(true);
        expect(out.blocked).toBe(false);
        const wanted = Buffer.concat(given);
        expect(out.bytesWritten).toBe(wanted.length);
        expect(wire.bytes.equals(wanted)).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
});

test("a chunk of 8 KiB is sent at once, and one of 32 KiB also behind gathered bytes: in one write below 96 KiB", () => {
  const { wire, out, writes } = counted();
  const given: Buffer[] = [];
  const write = (length: number): number => {
    const chunk = pattern(length, given.length);
    given.push(chunk);
    out.bytes(chunk);
    return writes();
  };
  expect([8192, 8191, 32_767, 32_768, 8191, 98_303, 8191, 98_304].map(write)).toEqual([1, 1, 1, 2, 2, 3, 3, 5]);
  expect(wire.bytes.equals(Buffer.concat(given))).toBe(true);
});

test("the place of bytes that are sent before the end of the turn is used again", () => {
  const { out, writes } = counted();
  const other = counted();
  other.out.text("from before");
  for (let sent = 0; sent < 10; sent++) {
    out.text("head");
    out.bytes(pattern(60_000, sent));
  }
  expect([writes(), other.writes()]).toEqual([10, 0]);
  sendGathered();
  expect([other.wire.text, other.writes()]).toEqual(["from before", 1]);
});

test("bytes that overflow the shared buffer of a slow connection are sent before later bytes", () => {
  const wire = new FakeWire();
  const out = new Outgoing(wire, { onBlocked() {} }, plentyOfBuffers());
  wire.takes = [10];
  const given = [pattern(90_000, 1), pattern(60_000, 2), pattern(500, 3)];
  for (const chunk of given) out.bytes(chunk);
  sendGathered();
  out.drain();
  expect(wire.bytes.equals(Buffer.concat(given))).toBe(true);
});

test("onBlocked is called once, and again after the connection was drained", () => {
  const [line] = lines();
  if (line === undefined) throw new Error("no line");
  const { wire, out } = line;
  wire.takes = [3];
  out.bytes(pattern(100_000, 1));
  out.text("more");
  expect(line.blocked).toBe(1);
  expect(out.backlogBytes).toBe(100_001);
  expect(out.drain()).toBe(true);
  wire.takes = [0];
  out.bytes(pattern(100_000, 2));
  expect(line.blocked).toBe(2);
});

test("gathered bytes of a closed connection are discarded and reach no other connection", () => {
  const [first, second] = lines();
  if (first === undefined || second === undefined) throw new Error("no lines");
  first.out.text("for the first");
  first.wire.terminate();
  first.out.discard();
  second.out.text("for the second");
  sendGathered();
  expect(first.wire.text).toBe("");
  expect(second.wire.text).toBe("for the second");
});

test("without a free buffer, waiting bytes are discarded, and the connection stays blocked", () => {
  const pool = new BufferPool({ bufferSize: 65_536, bufferCount: 2, reserve: 0 });
  const wire = new FakeWire();
  const told: boolean[] = [];
  const out = new Outgoing(wire, { onBlocked: () => told.push(out.exhausted) }, pool);
  wire.takes = [10, 0];
  out.bytes(pattern(130_000, 1));
  expect([told, out.blocked, pool.used]).toEqual([[false], true, 2 * 65_536]);
  out.bytes(pattern(10_000, 2));
  out.text("nor this");
  expect([told, out.blocked, out.drain(), pool.used]).toEqual([[false, true], true, false, 0]);
  expect(wire.bytes.length).toBe(10);
});

test("a closed connection returns its buffers", () => {
  const pool = plentyOfBuffers();
  const wire = new FakeWire();
  const out = new Outgoing(wire, { onBlocked() {} }, pool);
  wire.takes = [1, 5];
  out.bytes(pattern(100_000, 1));
  out.drain();
  expect(pool.used).toBe(2 * 65_536);
  out.discard();
  expect(pool.used).toBe(0);
});

/** Ends this turn of the event loop. */
const nextTurn = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

/** A connection whose number of writes is known. */
function counted() {
  const wire = new FakeWire();
  wire.takes = Array.from({ length: 100 }, () => 1_000_000);
  const out = new Outgoing(wire, { onBlocked() {} }, plentyOfBuffers());
  return { wire, out, writes: () => 100 - wire.takes.length };
}

test("connections send the bytes of several events in one write each, at the end of the turn", async () => {
  const one = counted();
  const other = counted();
  const given: Buffer[] = [];
  for (let event = 0; event < 20; event++) {
    given.push(pattern(100 + event, event));
    one.out.bytes(pattern(100 + event, event));
    other.out.text("x");
  }
  await Promise.resolve();
  expect([one.writes(), other.writes()]).toEqual([0, 0]);
  await nextTurn();
  expect([one.writes(), other.writes()]).toEqual([1, 1]);
  expect([one.wire.bytes.equals(Buffer.concat(given)), other.wire.text]).toEqual([true, "x".repeat(20)]);
});

test("a full buffer is sent before the end of the turn, and a closed connection sends nothing at its end", async () => {
  const { wire, out, writes } = counted();
  out.text("begun");
  for (let event = 0; event < 5; event++) out.bytes(pattern(30_000, event));
  expect([writes(), out.bytesLost]).toEqual([1, 0]);
  out.discard();
  await nextTurn();
  expect([writes(), wire.bytes.length, out.bytesLost]).toEqual([1, 120_005, 30_000]);
});
