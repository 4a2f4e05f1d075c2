/** The chunked coding alone, in requests and responses: however the input is cut, the output is the same. */
import fc from "fast-check";
import { ChunkedDecoder } from "../../../src/gateway/http1/chunked.ts";
import { type Random } from "../random.ts";
import { latin1, type Target } from "../target.ts";

const MAX_TRAILERS = 512;
const MAX_BODY = 10_000;

function decode(input: Buffer, sizes: readonly number[]): string {
  const decoder = new ChunkedDecoder(MAX_TRAILERS, MAX_BODY);
  let body = "";
  let at = 0;
  let used = 0;
  const sink = {
    onChunk(chunk: Uint8Array, start: number, end: number): void {
      if (start < 0 || start > end || end > chunk.length) throw new Error(`a chunk from ${start} to ${end}`);
      body += Buffer.from(chunk.subarray(start, end)).toString("latin1");
    },
  };
  for (const size of sizes) {
    if (decoder.done || decoder.error !== "") break;
    const piece = input.subarray(at, at + size);
    const end = decoder.decode(piece, 0, sink);
    if (end < 0 || end > piece.length) throw new Error(`the end at ${end} of ${piece.length}`);
    used = at + end;
    at += size;
  }
  if (body.length > MAX_BODY) throw new Error(`a body of ${body.length} bytes`);
  if (decoder.trailers.length > MAX_TRAILERS + 1) throw new Error(`trailers of ${decoder.trailers.length} bytes`);
  if (decoder.done && decoder.error !== "") throw new Error("both done and at fault");
  return JSON.stringify([
    decoder.done,
    decoder.error,
    decoder.tooLarge,
    decoder.done ? decoder.trailers : "",
    body,
    used,
  ]);
}

function check(input: Buffer, random: Random): undefined {
  const whole = decode(input, input.length === 0 ? [] : [input.length]);
  const parts = decode(input, random.cuts(input.length, 200));
  const single = decode(
    input,
    Array.from(input, () => 1),
  );
  if (whole !== parts || whole !== single) throw new Error(`whole: ${whole}\nin parts: ${parts}\nin bytes: ${single}`);
}

const extension = fc.constantFrom("", ";a", ";a=b", ' ;\ta = "\\"" ;b', ";a=", ";", '"');
const chunk = fc
  .tuple(fc.string({ minLength: 1, maxLength: 40 }), extension)
  .map(([text, ext]) => `${latin1(text).length.toString(16)}${ext}\r\n${text}\r\n`);

export const CHUNKED: Target = {
  name: "chunked",
  seeds: [
    "0\r\n\r\n",
    "5\r\nhello\r\n0\r\n\r\n",
    '5;a="b";c\r\nhello\r\nA ; d\r\n0123456789\r\n0;e\r\nX: y\r\nZ: \r\n\r\nrest',
    "FFFFFFFFFFFFF\r\n",
    `0\r\n${"X: y\r\n".repeat(90)}\r\n`,
  ].map(latin1),
  words: [
    "\r\n",
    "\n",
    "\r",
    "0\r\n",
    "0\r\n\r\n",
    "5\r\nhello\r\n",
    ";",
    "=",
    '"',
    "\\",
    " ",
    "\t",
    "a",
    "F",
    "-",
    "\0",
    "X: y\r\n",
  ].map(latin1),
  structured: fc
    .tuple(
      fc.array(chunk, { maxLength: 6 }),
      fc.constantFrom("0\r\n\r\n", "0\r\nX: y\r\n\r\n", "00;a\r\n\r\n", "0\r\n"),
    )
    .map(([chunks, end]) => latin1(chunks.join("") + end)),
  check,
};
