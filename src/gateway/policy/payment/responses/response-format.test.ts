import { describe, expect, test } from "bun:test";
import { TurnpikeError } from "../../../../lib/errors.ts";
import {
  decodeTail,
  encodeTail,
  FOOTER_BYTES,
  readWhole,
  type ResponseRecord,
  tailLength,
  wholeOf,
} from "./response-format.ts";

const HEAD = { status: 206, reason: "Part", fields: "Content-Type: text/plain\r\n", bodyLength: -1 };
const RECORD: ResponseRecord = { key: "payment", until: 61_000, head: HEAD, trailers: "X: y\r\n" };
const PIECES = [Buffer.from("the "), Buffer.from("goods")];

test("a response is read back with its record, in whatever pieces its body was", () => {
  for (const pieces of [PIECES, [Buffer.concat(PIECES)], [Buffer.alloc(0), ...PIECES]]) {
    const read = readWhole(wholeOf(pieces, RECORD));
    expect([read?.record, read?.body.toString()]).toEqual([RECORD, "the goods"]);
  }
  expect(readWhole(wholeOf([], RECORD))?.body).toHaveLength(0);
  const call = { ...RECORD, head: { ...HEAD, grpcStatus: 5 } };
  expect(readWhole(wholeOf(PIECES, call))?.record).toEqual(call);
});

test("of a head only the members that a client gets are stored", () => {
  const head = { ...HEAD, error: new TurnpikeError("internal", "secret") };
  expect(wholeOf(PIECES, { ...RECORD, head }).toString("latin1")).not.toContain("secret");
});

test("a response of which any byte was changed is refused", () => {
  const whole = wholeOf(PIECES, RECORD);
  // Of the length, the digits behind the point do not count. The last four bytes are spare.
  const sizeAt = whole.length - FOOTER_BYTES + 16;
  for (let i = 0; i < whole.length - 4; i++) {
    if (i >= sizeAt && i < sizeAt + 6) continue;
    const changed = Buffer.from(whole);
    changed.writeUInt8((changed[i] ?? 0) ^ 1, i);
    expect([i, readWhole(changed)]).toEqual([i, undefined]);
  }
  for (const cut of [0, 1, FOOTER_BYTES, whole.length - 1]) expect(readWhole(whole.subarray(cut + 1))).toBeUndefined();
  for (const length of [0, 1, FOOTER_BYTES]) expect(readWhole(whole.subarray(0, length))).toBeUndefined();
});

describe("a footer", () => {
  const tail = encodeTail({ record: RECORD, bodySize: 1000, bodySum: 7 });
  const footer = tail.subarray(-FOOTER_BYTES);

  test("tells the length of the record, if the file has the length that it states", () => {
    expect(tailLength(footer, 1000 + tail.length)).toBe(tail.length);
    for (const change of [-1, 1]) expect(tailLength(footer, 1000 + tail.length + change)).toBeUndefined();
    expect(tailLength(footer.subarray(1), 1000 + tail.length)).toBeUndefined();
    expect(decodeTail(tail)).toEqual({ record: RECORD, bodySize: 1000, bodySum: 7 });
  });

  /** The length that a footer leads to if it states a record of `length` bytes. */
  function stated(length: number): number | undefined {
    const changed = Buffer.from(footer);
    changed.writeUInt32LE(length, 8);
    return tailLength(changed, 1000 + length + FOOTER_BYTES);
  }

  test("of a record of more than 4 MiB is refused", () => {
    const most = 4 * 1024 * 1024;
    expect([stated(most), stated(most + 1)]).toEqual([most + FOOTER_BYTES, undefined]);
  });

  test("with a sound sum and a record of another form fails", () => {
    for (const status of [199, 600, 200.5]) {
      const record = { ...RECORD, head: { ...HEAD, status } };
      expect(() => decodeTail(encodeTail({ record, bodySize: 0, bodySum: 0 }))).toThrow();
    }
  });
});
