import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { maxEncodedLength, writeContentLength, writeField, writeFields, writeStatus } from "./encoder.ts";
import { STATIC_TABLE } from "./static-table.ts";
import { decodeBlock, type Pair, pairDecoder } from "./testing/decode.ts";

const TABLE_SIZE_ZERO = 0x20;

/** Returns the bytes that `writeFields` writes. The buffer has only the room that `maxEncodedLength` announces. */
function encodeFields(fields: string): Buffer {
  const target = Buffer.alloc(maxEncodedLength(fields) + 3, 0xee);
  const end = writeFields(target, 3, fields);
  expect(end).toBeLessThanOrEqual(target.length);
  expect(target.subarray(0, 3).toString("hex")).toBe("eeeeee");
  return target.subarray(3, end);
}

function decoded(block: Uint8Array): readonly Pair[] {
  const { error, fields } = decodeBlock(pairDecoder(), block);
  expect(error).toBe("");
  return fields;
}

function encodeField(name: string, value: string): string {
  const target = Buffer.alloc(400);
  return target.subarray(0, writeField(target, 0, name, value)).toString("hex");
}

const token = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,40}$/),
  fc.integer({ min: 120, max: 300 }).map((n) => "N".repeat(n)),
);
const value = fc
  .oneof(
    fc.stringMatching(/^[!-~\u0080-\u00ff]{0,60}$/),
    fc.integer({ min: 100, max: 600 }).map((n) => "v".repeat(n)),
  )
  .filter((text) => !text.startsWith(" "));
const knownName = fc.constantFrom(
  "Date",
  "Content-Type",
  "set-cookie",
  "Authorization",
  "Cookie",
  "server",
  "accept-encoding",
);
const lines = fc.array(fc.tuple(fc.oneof(token, knownName), value), { maxLength: 20 });

describe("the encoder", () => {
  test("writes every status so that it can be read back, and the usual ones in one byte", () => {
    for (let status = 100; status <= 599; status++) {
      const target = Buffer.alloc(8);
      const end = writeStatus(target, 1, status);
      expect(decoded(target.subarray(1, end))).toEqual([[":status", String(status)]]);
      expect(end - 1).toBe([200, 204, 206, 304, 400, 404, 500].includes(status) ? 1 : 5);
    }
  });

  test.each([
    [":method", "GET", "82"],
    [":path", "/index.html", "85"],
    [":path", "/x", "04022f78"],
    [":scheme", "https", "87"],
    ["accept-encoding", "gzip, deflate", "90"],
    ["accept-encoding", "br", "0f01026272"],
    ["server", "x", "0f270178"],
    ["x", "yz", "00017802797a"],
    ["x", "", "00017800"],
    ["authorization", "x", "1f080178"],
    ["proxy-authorization", "x", "1f220178"],
    ["cookie", "a", "1f110161"],
    ["set-cookie", "", "1f2800"],
  ])("writes %s: %s in the shortest form that keeps secrets out of every table", (name, text, hex) => {
    expect(encodeField(name, text)).toBe(hex);
  });

  test("gives field lines lower-case names, and removes the white space around values", () => {
    expect(decoded(encodeFields("Content-Type: text/html\r\nX-Tab:\t a b \t\r\nEmpty:\r\nX-High: ÿ\r\n"))).toEqual([
      ["content-type", "text/html"],
      ["x-tab", "a b"],
      ["empty", ""],
      ["x-high", "ÿ"],
    ]);
    expect(encodeFields("")).toHaveLength(0);
  });

  test("finds every name of the static table in a line, whatever its case, and no other name", () => {
    for (const [name] of STATIC_TABLE.slice(14)) {
      const byName = encodeField(name, "v");
      for (const spelled of [name, name.toUpperCase()]) {
        expect(encodeFields(`${spelled}: v\r\n`).toString("hex")).toBe(byName);
      }
      for (const other of [`${name}x`, name.slice(1), `${name.slice(0, -1)}_`]) {
        if (STATIC_TABLE.some((entry) => entry[0] === other)) continue;
        expect(encodeFields(`${other}: v\r\n`).toString("hex")).toBe(encodeField(other, "v"));
      }
    }
  });

  test("writes any fields within the announced length, with the same result each time", () => {
    fc.assert(
      fc.property(lines, (pairs) => {
        const fields = pairs.map(([name, text]) => `${name}: ${text}\r\n`).join("");
        const first = encodeFields(fields);
        expect(decoded(first)).toEqual(pairs.map(([name, text]) => [name.toLowerCase(), text] as const));
        for (let i = 0; i < 3; i++) expect(encodeFields(fields)).toEqual(first);
        const tight = pairs.map(([name, text]) => `${name}:${text}\r\n`).join("");
        expect(encodeFields(tight)).toEqual(first);
      }),
    );
  });

  test("distinguishes texts that look alike, however often each was written", () => {
    const texts = Array.from({ length: 2000 }, (_, i) => `X-Id: ${String(i % 700).padStart(40, "0")}\r\nServer: a\r\n`);
    for (const text of [...texts, ...texts]) {
      expect(decoded(encodeFields(text))[0]).toEqual(["x-id", text.slice(6, 46)]);
    }
  });

  test("begins a connection with a byte that sets the peer's table size to 0", () => {
    const decoder = pairDecoder();
    decodeBlock(decoder, Buffer.from("4001610131", "hex"));
    expect(decodeBlock(decoder, Buffer.from([TABLE_SIZE_ZERO, 0x82]))).toMatchObject({
      error: "",
      fields: [[":method", "GET"]],
    });
    expect(decodeBlock(decoder, Buffer.from([0xbe])).error).toBe("an index is in neither table");
  });
});

test("any length is written in at most 19 bytes, and reads back as the same length", () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (length) => {
      const target = Buffer.alloc(19);
      const end = writeContentLength(target, 0, length);
      expect(decoded(target.subarray(0, end))).toEqual([["content-length", String(length)]]);
    }),
  );
});

test("the room for encoded fields is little more than their length", () => {
  expect(maxEncodedLength("a".repeat(6400))).toBe(6500);
});
