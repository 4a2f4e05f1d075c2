import { expect, test } from "bun:test";
import fc from "fast-check";
import { withoutFields } from "../../lib/http/fields.ts";
import { FixedText } from "../../lib/memory/fixed-text.ts";
import { LineBytes } from "../../lib/memory/line-bytes.ts";
import { TextPieces } from "../../lib/memory/text-pieces.ts";
import { type RequestHead } from "../exchange/exchange.ts";
import { plainHead } from "../exchange/exchange-state.ts";
import { appendFields, hasAnyField, headValue, headValues, removeFields } from "../exchange/head-fields.ts";
import { type OwnHead } from "./own-head.ts";
import { isHeadError, parseRequestHead } from "./request-head.ts";

const CONTEXT = { scheme: "http", isRequest: true, maxCount: 100 } as const;

/** The head of a request, whose query and fields may stay bytes, or are texts from the start. */
function parsed(text: string, staysBytes: boolean): OwnHead {
  // A head keeps no large read in memory.
  const bytes = Buffer.from(staysBytes ? text : text + "body".repeat(10_000), "latin1");
  const result = parseRequestHead(bytes, { from: 0, end: text.length - 2 }, CONTEXT);
  if (isHeadError(result)) throw new Error(result.detail);
  return result.head;
}

function written(head: OwnHead): string {
  const pieces = new TextPieces().begin();
  head.addQuery(pieces);
  pieces.add("\n");
  if (head.lines === undefined) pieces.add(head.fields);
  else head.lines.addTo(pieces, []);
  const bytes = Buffer.alloc(pieces.length);
  pieces.writeTo(bytes, 0);
  expect(bytes.toString("latin1")).toBe(pieces.join());
  return pieces.join();
}

const name = fc.constantFrom("A", "Cookie", "User-Agent", "Connection", "Via", "X-Forwarded-For", "TE", "X-Request-Id");
const value = fc.constantFrom("", "x", "close", "keep-alive, cookie", "\u00e9".repeat(50), "curl/8.5.0");
const request = fc.record({
  query: fc.constantFrom("", "?", "?a=1", `?${"b".repeat(60)}`),
  before: fc.array(fc.tuple(name, value), { maxLength: 4 }),
  after: fc.array(fc.tuple(name, value), { maxLength: 4 }),
});

function linesOf(lines: readonly (readonly [string, string])[]): string {
  return lines.map(([key, of]) => `${key}: ${of}\r\n`).join("");
}

test("the query and the fields are the same as bytes and as texts, and no later request changes them", () => {
  fc.assert(
    fc.property(fc.array(request, { minLength: 1, maxLength: 5 }), fc.boolean(), (requests, isReadFirst) => {
      const texts = requests.map(
        ({ query, before, after }) => `GET /a${query} HTTP/1.1\r\n${linesOf(before)}Host: h\r\n${linesOf(after)}\r\n`,
      );
      const heads = texts.map((text) => parsed(text, true));
      for (const [i, text] of texts.entries()) {
        const [head = parsed(text, true), expected] = [heads[i], parsed(text, false)];
        if (isReadFirst) expect(plainHead(head)).toEqual(plainHead(expected));
        expect(written(head)).toBe(`${expected.query}\n${expected.fields}`);
        expect([head.query, head.fields]).toEqual([expected.query, expected.fields]);
      }
    }),
    { numRuns: 500 },
  );
});

const names = fc.subarray(["a", "cookie", "user-agent", "x-b", "absent"]);
const change = fc.oneof(
  names.map((removed) => (head: OwnHead) => removeFields(head, removed)),
  fc
    .constantFrom("X-B: 1\r\n", "x-b: 2\r\nA: t\r\n", "cookie:  x \r\n")
    .map((added) => (head: OwnHead) => appendFields(head, added)),
);

const comma = new FixedText(",");

test("fields are found, removed and added in bytes as in texts", () => {
  fc.assert(
    fc.property(request, fc.array(change, { maxLength: 4 }), names, ({ before, after }, changes, asked) => {
      const text = `GET /a HTTP/1.1\r\n${linesOf(before)}Host: h\r\n${linesOf(after)}\r\n`;
      const [head, expected] = [parsed(text, true), parsed(text, false)];
      for (const changed of changes) for (const one of [head, expected]) changed(one);
      for (const lowerName of asked) {
        expect(headValue(head, lowerName)).toEqual(headValue(expected, lowerName));
        expect(headValues(head, lowerName)).toEqual(headValues(expected, lowerName));
        if (head.lines === undefined) continue;
        const line = new LineBytes(Buffer.alloc(500));
        head.lines.writeJson(line, comma, lowerName);
        const found = headValue(expected, lowerName);
        const json = new LineBytes(Buffer.alloc(500));
        if (found !== undefined) json.json(comma, found);
        expect(line.bytes.toString("latin1", 0, line.at)).toBe(json.bytes.toString("latin1", 0, json.at));
      }
      expect(hasAnyField(head, asked)).toBe(hasAnyField(expected, asked));
      const pieces = new TextPieces().begin();
      if (head.lines === undefined) pieces.add(withoutFields(head.fields, asked));
      else head.lines.addTo(pieces, asked);
      expect(pieces.join()).toBe(withoutFields(expected.fields, asked));
      expect(head.fields).toBe(expected.fields);
    }),
    { numRuns: 500 },
  );
});

test("a query and fields that were set replace the received ones", () => {
  const head = parsed("GET /a?b HTTP/1.1\r\nHost: h\r\nA: 1\r\n\r\n", true);
  head.query = "?c";
  head.fields += "B: 2\r\n";
  expect(written(head)).toBe("?c\nA: 1\r\nB: 2\r\n");
  head.fields = "";
  expect(written(head)).toBe("?c\n");
});

test("a spread of a head loses its accessors, and the compiler refuses it", () => {
  const head: RequestHead = parsed("GET /a?b HTTP/1.1\r\nHost: h\r\nA: 1\r\n\r\n", true);
  // @ts-expect-error -- The query and the fields are missing.
  const copied: RequestHead = { ...head }; // oxlint-disable-line typescript/no-misused-spread -- The lint refuses it, too.
  expect([copied.path, copied.query, copied.fields]).toEqual(["/a", undefined, undefined] as never);
  const { query, fields } = plainHead(head);
  expect([query, fields]).toEqual(["?b", "A: 1\r\n"]);
});
