import { expect, test } from "bun:test";
import { type Exchange } from "../../exchange/exchange.ts";
import { CacheRequest } from "./cache-request.ts";
import { Pieces, Reader } from "./reader.ts";

/** A reader whose client takes everything, except after a call number of `pauses`. */
function readerOf(pauses: readonly number[] = []): { reader: Reader; got: string[] } {
  const got: string[] = [];
  const response = {
    data: (bytes: Uint8Array, start: number, end: number) => {
      got.push(Buffer.from(bytes.subarray(start, end)).toString("latin1"));
      return !pauses.includes(got.length);
    },
    end: (trailers: string) => void got.push(`end ${trailers}`),
  };
  // A reader uses only the response.
  const exchange = { response } as unknown as Exchange;
  return { reader: new Reader(exchange, new CacheRequest(""), false), got };
}

/** Adds a text of which only the part from `start` to `end` belongs to the body. */
function add(pieces: Pieces, text: string): void {
  pieces.add(Buffer.from(`<${text}>`, "latin1"), 1, text.length + 1);
}

test("a body that arrives byte by byte is kept in blocks, and complete", () => {
  const pieces = new Pieces();
  const early = readerOf();
  let body = "";
  for (let i = 0; i < 100_000; i++) {
    const byte = String.fromCharCode(97 + (i % 26));
    body += byte;
    add(pieces, byte);
    early.reader.read(pieces);
  }
  const late = readerOf();
  late.reader.read(pieces);
  expect(early.got).toHaveLength(100_000);
  expect(late.got.length).toBeLessThan(10);
  expect([early.got.join("") === body, late.got.join("") === body]).toEqual([true, true]);
  expect(Buffer.from(pieces.joined()).toString("latin1") === body).toBe(true);
  expect(pieces.bytes).toBe(100_000);
});

test("a chunk that fills the rest of a block stays in it, and a larger one begins another", () => {
  for (const [more, isSame] of [
    [0, true],
    [1, false],
  ] as const) {
    const pieces = new Pieces();
    add(pieces, "first");
    add(pieces, "a");
    const joint = pieces.find(5);
    const room = (joint?.bytes.length ?? 0) - 1;
    add(pieces, "b".repeat(room + more));
    expect([room > 0, pieces.find(6) === joint]).toEqual([true, isSame]);
    expect(pieces.joined()).toHaveLength(6 + room + more);
  }
});

test("a reader that pauses continues with the next byte, also within a block that has grown", () => {
  const pieces = new Pieces();
  const { reader, got } = readerOf([2]);
  add(pieces, "first");
  for (const text of ["a", "b", "c"]) {
    add(pieces, text);
    reader.read(pieces);
  }
  expect(got).toEqual(["first", "a"]);
  reader.drained();
  reader.read(pieces);
  pieces.isWhole = true;
  pieces.trailers = "x: 1\r\n";
  reader.read(pieces);
  expect(got).toEqual(["first", "a", "bc", "end x: 1\r\n"]);
});

test("a client that takes more within a call gets each byte once", () => {
  const pieces = new Pieces();
  const { reader, got } = readerOf([1]);
  const { response } = reader.exchange;
  const data = response.data.bind(response);
  response.data = (bytes, start, end) => {
    const takesMore = data(bytes, start, end);
    reader.drained();
    reader.read(pieces);
    return takesMore;
  };
  for (const text of ["one", "two".repeat(3000)]) add(pieces, text);
  reader.read(pieces);
  expect(got.map(({ length }) => length)).toEqual([3, 9000]);
});

test("only blocks that all readers have read are removed", () => {
  const pieces = new Pieces();
  for (const length of [5000, 6000, 7000]) add(pieces, "x".repeat(length));
  pieces.forget(5000);
  expect(pieces.bytes).toBe(13_000);
  pieces.forget(10_999);
  expect(pieces.bytes).toBe(13_000);
  pieces.forget(18_000);
  expect([pieces.bytes, pieces.next]).toEqual([0, 18_000]);
  add(pieces, "rest");
  const { reader, got } = readerOf();
  reader.at = 18_000;
  reader.read(pieces);
  expect(got).toEqual(["rest"]);
});
