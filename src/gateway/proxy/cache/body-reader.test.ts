import { expect, test } from "bun:test";
import { type Exchange } from "../../exchange/exchange.ts";
import { sendBody } from "./body-reader.ts";

const PIECE = 65_536;

/** A client that stops after each piece whose number is in `pauses`, and the pieces that it gets. */
function clientOf(pauses: readonly number[] = []) {
  const pieces: [from: number, to: number][] = [];
  let ends = 0;
  const response = {
    data(_bytes: Uint8Array, from: number, to: number): boolean {
      if (pieces.push([from, to]) > 9) throw new Error("too many pieces");
      return !pauses.includes(pieces.length);
    },
    end: () => void (ends += 1),
  };
  // A body reader uses only these members.
  const exchange = { response } as unknown as Exchange;
  return { exchange, pieces, ends: () => ends };
}

test.each([
  [0, 0, []],
  [7, 7, []],
  [1, 6, [[1, 6]]],
  [3, 3 + PIECE, [[3, 3 + PIECE]]],
  [
    3,
    4 + PIECE,
    [
      [3, 3 + PIECE],
      [3 + PIECE, 4 + PIECE],
    ],
  ],
] as const)("the bytes from %d to %d are sent in pieces of 64 KiB", (from, to, expected) => {
  const { exchange, pieces, ends } = clientOf();
  sendBody(exchange, new Uint8Array(2 * PIECE), from, to);
  expect([pieces, ends()]).toEqual([expected as unknown as typeof pieces, 1]);
});

test("a client that pauses gets the next piece when it can take more, and one that left gets none", () => {
  const { exchange, pieces, ends } = clientOf([1, 2, 3]);
  sendBody(exchange, new Uint8Array(3 * PIECE), 0, 3 * PIECE);
  expect([pieces.length, ends()]).toEqual([1, 0]);
  for (const [length, end] of [
    [2, 0],
    [3, 0],
    [3, 1],
    [3, 1],
  ]) {
    exchange.onDrain?.();
    expect([pieces.length, ends()]).toEqual([length ?? 0, end ?? 0]);
  }
  const left = clientOf([1]);
  sendBody(left.exchange, new Uint8Array(3 * PIECE), 0, 3 * PIECE);
  left.exchange.onCancel?.();
  left.exchange.onDrain?.();
  expect([left.pieces.length, left.ends()]).toEqual([1, 0]);
});
