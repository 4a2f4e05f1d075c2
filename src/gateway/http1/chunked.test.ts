import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ChunkedDecoder, chunkHead } from "./chunked.ts";

interface Decoded {
  readonly body: string;
  readonly used: number;
  readonly decoder: ChunkedDecoder;
}

/** Decodes `text` in reads of the given sizes, repeated in this order. */
function decode(
  text: string,
  cuts: readonly number[] = [1_000_000],
  limits = { trailers: 1000, body: 1_000_000 },
): Decoded {
  const decoder = new ChunkedDecoder(limits.trailers, limits.body);
  const bytes = Buffer.from(text, "latin1");
  let body = "";
  let used = 0;
  const sink = {
    onChunk(chunk: Uint8Array, start: number, end: number): void {
      body += Buffer.from(chunk).toString("latin1", start, end);
    },
  };
  for (let at = 0, i = 0; at < bytes.length && !decoder.done && decoder.error === ""; i++) {
    const read = bytes.subarray(at, at + (cuts[i % cuts.length] ?? 1));
    used = at + decoder.decode(read, 0, sink);
    at += read.length;
  }
  return { body, used, decoder };
}

const anyByte = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 300,
});
const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 10 });

test("chunked data is decoded completely, however it is split, and the bytes after it stay", () => {
  const extension = fc.constantFrom(
    "",
    ";a",
    ";ab=cd",
    ' ;a="b;c"',
    ';\ta = "\\"\x80\t" ; b',
    " \t; a;b=!;c",
    ';a  =  b  ;  c  =  "d"  ; e',
  );
  fc.assert(
    fc.property(
      fc.array(fc.tuple(anyByte, extension, fc.boolean(), fc.nat(5)), { maxLength: 8 }),
      fc.constantFrom("", "A: b\r\n", "X-Sum: 1\r\nY: \r\n"),
      cuts,
      (chunks, trailers, sizes) => {
        const coded = chunks
          .map(([text, ext, upper, zeros]) => {
            const hex = text.length.toString(16);
            return `${"0".repeat(zeros)}${upper ? hex.toUpperCase() : hex}${ext}\r\n${text}\r\n`;
          })
          .join("");
        const text = `${coded}0\r\n${trailers}\r\n`;
        const { body, used, decoder } = decode(`${text}GET / HTTP/1.1`, sizes);
        expect([decoder.error, decoder.done, decoder.trailers]).toEqual(["", true, trailers]);
        expect(body).toBe(chunks.map(([chunk]) => chunk).join(""));
        expect(used).toBe(text.length);
      },
    ),
    { numRuns: 300 },
  );
});

test("a split body is decoded like one in a single read, whether it is valid or not", () => {
  const piece = fc.constantFrom(
    "0",
    "1",
    "5",
    "a",
    "\r\n",
    "\r",
    "\n",
    ";x",
    ";",
    '"',
    "=",
    " ",
    "hello",
    "X: y\r\n",
    "\0",
    "0\r\n\r\n",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), cuts, (pieces, sizes) => {
      const whole = decode(pieces.join(""));
      const parts = decode(pieces.join(""), sizes);
      expect([parts.decoder.done, parts.decoder.error, parts.body]).toEqual([
        whole.decoder.done,
        whole.decoder.error,
        whole.body,
      ]);
    }),
    { numRuns: 1000 },
  );
});

describe("a body is refused", () => {
  test.each([
    ["without a size", "\r\nhello", "bad chunk size"],
    ["with an extension in a size's place", ";a=b\r\n", "bad chunk size"],
    ["with a space before the size", " 5\r\nhello\r\n", "bad chunk size"],
    ["with a space behind the size", "5 \r\nhello\r\n", "malformed chunk extension"],
    ["with a tab behind the size", "5\t\r\nhello\r\n", "malformed chunk extension"],
    ["with a space and a digit behind the size", "5 5\r\nhello\r\n", "malformed chunk extension"],
    ["with a semicolon and no extension", "5;\r\nhello\r\n", "malformed chunk extension"],
    ["with a semicolon too many", "5;a;\r\nhello\r\n", "malformed chunk extension"],
    ["with two semicolons", "5;;a\r\nhello\r\n", "malformed chunk extension"],
    ["with an extension without a name", "5;=b\r\nhello\r\n", "malformed chunk extension"],
    ["with an extension's equals sign and no value", "5;a=\r\nhello\r\n", "malformed chunk extension"],
    ["with two equals signs", "5;a==b\r\nhello\r\n", "malformed chunk extension"],
    ["with a bracket in place of an extension", "5;[ ;a\r\nhello\r\n", "malformed chunk extension"],
    ["with a bracket in an extension's name", "5;a[=b\r\nhello\r\n", "malformed chunk extension"],
    ["with a quote inside an extension's value", '5;a=b"c"\r\nhello\r\n', "malformed chunk extension"],
    ["with text behind a quoted value", '5;a="b"c\r\nhello\r\n', "malformed chunk extension"],
    ["with a quoted value that does not end", '5;a="b\r\nhello\r\n', "malformed chunk extension"],
    ["with an escape that does not end", '5;a="b\\\r\nhello\r\n', "malformed chunk extension"],
    ["with a space behind an extension", "5;a \r\nhello\r\n", "malformed chunk extension"],
    ["with two names", "5;a b\r\nhello\r\n", "malformed chunk extension"],
    ["with a comma between extensions", "5;a,b\r\nhello\r\n", "malformed chunk extension"],
    ["with a sign", "+5\r\nhello\r\n", "bad chunk size"],
    ["with a negative size", "-5\r\nhello\r\n", "bad chunk size"],
    ["with 0x", "0x5\r\nhello\r\n", "bad chunk size"],
    ["with a letter beyond f", "5g\r\nhello\r\n", "bad chunk size"],
    ["with an underscore", "1_0\r\nhello\r\n", "bad chunk size"],
    ["with a bare LF behind the size", "5\nhello\r\n", "bad chunk size"],
    ["with a NUL behind the size", "5\0\r\nhello\r\n", "bad chunk size"],
    ["with a bare CR behind the size", "5\rhello\r\n", "bare CR after a chunk size"],
    ["with two CRs behind the size", "5\r\r\nhello\r\n", "bare CR after a chunk size"],
    ["with a size of fourteen digits", "00000000000005\r\n", "chunk size too large"],
    ["with a bare LF in an extension", "5;a\nhello\r\n", "control character in a chunk extension"],
    ["with a NUL in an extension", "5;a\0\r\n", "control character in a chunk extension"],
    ["with a bare CR in an extension", "5;a\rb\r\n", "bare CR after a chunk size"],
    ["with endless extensions", `5;${"a".repeat(5000)}`, "chunk extensions too large"],
    ["with endless extensions on many chunks", "1;abcdefghijklmno\r\nx\r\n".repeat(300), "chunk extensions too large"],
    ["longer than its chunk's size", "5\r\nhelloo\r\n", "chunk longer than its size"],
    ["with a bare LF behind a chunk", "5\r\nhello\n0\r\n\r\n", "chunk longer than its size"],
    ["with a bare CR behind a chunk", "5\r\nhello\r0\r\n\r\n", "bare CR after a chunk"],
    ["with a bare LF in the trailers", "0\r\nA: b\n\r\n", "bare LF in trailers"],
    ["with a bare LF for the last line", "0\r\n\n", "bare LF in trailers"],
    ["with endless trailers", `0\r\n${"A: b\r\n".repeat(200)}`, "trailers too large"],
    ["with one endless trailer", `0\r\n${"A".repeat(1001)}`, "trailers too large"],
  ])("%s", (_name, text, error) => {
    for (const sizes of [[1], [3], [100_000]]) {
      const { decoder } = decode(text, sizes);
      expect([decoder.error, decoder.done, decoder.tooLarge]).toEqual([error, false, false]);
    }
  });

  test("when its chunks announce more bytes than the limit, before any byte beyond it", () => {
    const { body, decoder } = decode("5\r\nhello\r\n6\r\nworld!\r\n", [4], { trailers: 100, body: 10 });
    expect([decoder.tooLarge, decoder.error, body]).toEqual([true, "the body is larger than 10 bytes", "hello"]);
    expect(decode("5\r\nhello\r\n5\r\nworld\r\n0\r\n\r\n", [4], { trailers: 100, body: 10 }).decoder.done).toBe(true);
    expect(decode("fffffffffffff\r\n").decoder.tooLarge).toBe(true);
  });

  test("and the rest of it is not decoded", () => {
    const { decoder } = decode("zz\r\n");
    let heard = 0;
    expect(decoder.decode(Buffer.from("5\r\nhello\r\n0\r\n\r\n"), 0, { onChunk: () => heard++ })).toBe(0);
    expect([heard, decoder.done]).toEqual([0, false]);
  });
});

/** All 256 bytes, each as a character. */
const allBytes = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));

test("of all bytes, only hexadecimal digits continue a size, and only CR, semicolon and white space end it", () => {
  const sound = allBytes.filter((char) => decode(`1${char}`).decoder.error === "");
  expect(sound.join("")).toBe("\t\r 0123456789;ABCDEFabcdef");
  for (const digit of "09afAF") {
    const length = Number.parseInt(`1${digit}`, 16);
    expect(decode(`1${digit}\r\n${"x".repeat(length)}\r\n0\r\n\r\n`).decoder.done).toBe(true);
  }
});

test("of all bytes, a quoted value contains no control character except tab", () => {
  const sound = allBytes.filter((char) => decode(`1;a="${char}`).decoder.error === "");
  expect(sound.join("")).toBe(allBytes.filter((char) => char === "\t" || (char >= " " && char !== "\x7f")).join(""));
});

test("sizes, extensions and trailers may be as long as their limits, but no byte longer", () => {
  const size = `${"0".repeat(12)}1\r\nx\r\n`;
  expect(decode(`${size}${size}0\r\n\r\n`).decoder.done).toBe(true);
  for (const [excess, extensionError, trailerError] of [
    [0, "", ""],
    [1, "chunk extensions too large", "trailers too large"],
  ] as const) {
    // The semicolon does not count.
    const extended = `1;${"a".repeat(4095 + excess)}\r\nx\r\n0;a\r\n\r\n`;
    expect(decode(extended).decoder.error).toBe(extensionError);
    const trailed = `0\r\nA: ${"b".repeat(993 + excess)}\r\n\r\n`;
    expect(decode(trailed).decoder.error).toBe(trailerError);
  }
});

test("a chunk's head is its length in hexadecimal digits", () => {
  expect([1, 15, 16, 65_536].map(chunkHead)).toEqual(["1\r\n", "f\r\n", "10\r\n", "10000\r\n"]);
});
