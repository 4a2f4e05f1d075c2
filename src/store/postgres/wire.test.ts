import { expect, test } from "bun:test";
import { Duplex } from "node:stream";
import { type Socket } from "node:net";
import fc from "fast-check";
import { fieldsOf, valuesOf, Wire } from "./wire.ts";

/** A socket that sends what a test gives it. */
class Speaker extends Duplex {
  override _read(): void {}
  override _write(_chunk: unknown, _encoding: unknown, done: () => void): void {
    done();
  }
  say(bytes: Buffer): void {
    this.emit("data", bytes);
  }
}

function wireOver(speaker: Speaker): Wire {
  // Wire uses only members that every duplex stream has.
  return new Wire(speaker as unknown as Socket);
}

function encoded(type: string, body: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

test("messages are the same, however they are split into pieces", () => {
  const message = fc.record({ type: fc.constantFrom("D", "C", "Z", "T"), body: fc.uint8Array({ maxLength: 300 }) });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 20 }), fc.array(fc.integer({ min: 1, max: 400 })), (sent, cuts) => {
      const speaker = new Speaker();
      const wire = wireOver(speaker);
      const heard: string[] = [];
      wire.onMessage = ({ type, body }) => heard.push(type + body.toString("hex"));
      let rest = Buffer.concat(sent.map(({ type, body }) => encoded(type, body)));
      for (const cut of [...cuts, rest.length]) {
        if (rest.length === 0) break;
        speaker.say(rest.subarray(0, cut));
        rest = rest.subarray(cut);
      }
      if (rest.length > 0) speaker.say(rest);
      expect(heard).toEqual(sent.map(({ type, body }) => type + Buffer.from(body).toString("hex")));
      expect(wire.ended).toBe(false);
    }),
  );
});

test("no bytes make the wire throw, and inconsistent rows are rejected", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 5 }), (pieces) => {
      const speaker = new Speaker();
      const wire = wireOver(speaker);
      let ends = 0;
      wire.onEnd = () => (ends += 1);
      wire.onMessage = ({ body }) => {
        fieldsOf(body);
        valuesOf(body);
      };
      for (const piece of pieces) speaker.say(Buffer.from(piece));
      expect(ends).toBe(wire.ended ? 1 : 0);
    }),
  );
});

test("no message is delivered after the end", () => {
  const speaker = new Speaker();
  const wire = wireOver(speaker);
  let heard = 0;
  const said: string[] = [];
  wire.onEnd = (error) => said.push(error.message);
  wire.onMessage = () => {
    heard += 1;
    wire.finish(Buffer.alloc(0));
  };
  speaker.say(Buffer.concat([encoded("Z", Buffer.from("I")), encoded("Z", Buffer.from("I"))]));
  speaker.say(encoded("Z", Buffer.from("I")));
  expect([heard, said.length]).toEqual([1, 1]);
});

function row(count: number, ...parts: readonly number[]): Buffer {
  return Buffer.from([0, count, ...parts]);
}

test("values of a row end with the row", () => {
  expect(valuesOf(row(0))).toEqual([]);
  expect(valuesOf(Buffer.from([0]))).toBeUndefined();
  expect(valuesOf(row(2, 0, 0, 0, 1, 0x61, 255, 255, 255, 255))).toEqual(["a", null]);
  expect(valuesOf(row(2, 0, 0, 0, 0, 0, 0, 0, 1, 0x62))).toEqual(["", "b"]);
  expect(valuesOf(row(1, 0, 0, 0))).toBeUndefined();
  expect(valuesOf(row(1, 0, 0, 0, 2, 0x61))).toBeUndefined();
  expect(valuesOf(row(2, 0, 0, 0, 1, 0x61))).toBeUndefined();
});

test.each([
  [3, true],
  [4, false],
  [16 * 1024 * 1024, false],
  [16 * 1024 * 1024 + 1, true],
])("a message that claims %d bytes ends the connection: %p", (length, ends) => {
  const speaker = new Speaker();
  const wire = wireOver(speaker);
  const heard: string[] = [];
  wire.onMessage = ({ type }) => heard.push(type);
  const head = Buffer.from("D\0\0\0\0");
  head.writeInt32BE(length, 1);
  speaker.say(head);
  expect([wire.ended, heard]).toEqual([ends, length === 4 ? ["D"] : []]);
});

test.each(["end", "close", "error"])("a lost connection (%s) is reported once, and closed", (event) => {
  const speaker = new Speaker();
  const wire = wireOver(speaker);
  const said: string[] = [];
  wire.onEnd = (error) => said.push(error.message);
  speaker.emit(event, Object.assign(new Error("lost"), { code: "ECONNRESET" }));
  speaker.emit("close");
  wire.finish(Buffer.from("x"));
  const how = { end: "ended", close: "closed", error: "ECONNRESET" }[event];
  expect([said.length, wire.ended, speaker.destroyed]).toEqual([1, true, true]);
  expect(said[0]).toContain(`the connection was lost (${how})`);
});
