import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseContentLength } from "../../lib/http/fields.ts";
import { FIELD_ROLES, FORWARDED_PREFIXES } from "../../lib/http/field-roles.ts";
import { FieldScan } from "./field-scan.ts";
import { scanTarget, targetScan } from "./head-bytes.ts";

const scan = new FieldScan();

/** The bytes of a head, which ends with an empty line. */
function bytesOf(head: string): Buffer {
  return Buffer.from(`${head}\r\n`, "latin1");
}

function request(fields: string, maxCount = 100): boolean {
  return scan.scan(bytesOf(fields), 0, fields.length, { isRequest: true, maxCount });
}

function response(fields: string): boolean {
  return scan.scan(bytesOf(fields), 0, fields.length, { isRequest: false, maxCount: 100 });
}

/** Names that are never passed on from a request. */
const DROPPED = [
  "Host",
  "Connection",
  "Keep-Alive",
  "Proxy-Connection",
  "Transfer-Encoding",
  "TE",
  "Trailer",
  "Upgrade",
  "Content-Length",
  "Expect",
  "Via",
  "X-Forwarded-For",
  "X-Forwarded-Prefix",
  "X-Real-IP",
  "X-Request-ID",
  "Proxy-Authenticate",
  "Proxy-Authorization",
  ...FIELD_ROLES.forwarded,
  ...FIELD_ROLES.payment,
];
const LENGTH = "5";
const tokenChar = fc.constantFrom(..."!#$%&'*+-.^_`|~019azAZ".split(""));
const name = fc.oneof(
  fc.string({ unit: tokenChar, minLength: 1, maxLength: 20 }),
  fc.constantFrom(...DROPPED),
  fc.constantFrom(...DROPPED.map((text) => text.toLowerCase())),
  // These differ by one character from names that matter.
  fc.constantFrom(
    "Hosts",
    "X-Hosts",
    "Content-Lengt",
    "Content_Length",
    "Content-Lengthh",
    "Connectiom",
    "Te-",
    "Vias",
  ),
);
const valueChar = fc.oneof(
  fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  fc.integer({ min: 0x80, max: 0xff }).map((code) => String.fromCharCode(code)),
  fc.constant("\t"),
);
const value = fc.string({ unit: valueChar, maxLength: 30 });
const line = fc.tuple(name, value).map(([key, text]) => {
  // This property does not cover values that are refused.
  if (/^content-length$/i.test(key)) return [key, LENGTH] as const;
  if (/^connection$/i.test(key)) return [key, "keep-alive"] as const;
  if (/^transfer-encoding$/i.test(key)) return [key, "chunked"] as const;
  return [key, text] as const;
});

function isDropped(key: string): boolean {
  const hyphened = key.toLowerCase().replaceAll("_", "-");
  const begins = FORWARDED_PREFIXES.some((prefix) => hyphened.startsWith(prefix) && hyphened !== prefix);
  return begins || DROPPED.some((dropped) => dropped.toLowerCase() === hyphened);
}

function linesOf(lines: readonly (readonly [string, string])[]): string {
  return lines.map(([key, content]) => `${key}:${content}\r\n`).join("");
}

test("lines that are not dropped are passed on unchanged and in order, and no others", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
      expect(request(linesOf(lines))).toBe(true);
      expect(scan.fields).toBe(linesOf(lines.filter(([key]) => !isDropped(key))));
    }),
    { numRuns: 500 },
  );
});

test("no kept line can end early or begin another line", () => {
  const wild = fc.string({
    unit: fc.constantFrom("A", ":", " ", "\r", "\n", "\r\n", "\0", "\x7f", "\xff", "Host", "b"),
    maxLength: 30,
  });
  fc.assert(
    fc.property(wild, (text) => {
      const head = `${text}\r\n`;
      if (!scan.scan(bytesOf(head), 0, head.length, { isRequest: true, maxCount: 100 })) return;
      expect(scan.fields).toMatch(/^(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*\r\n)*$/);
    }),
    { numRuns: 2000 },
  );
});

test("a method override is passed on only under its exact name", () => {
  for (const override of FIELD_ROLES.methodOverride) {
    expect([request(`${override}: PUT\r\n`), scan.fields]).toEqual([true, `${override}: PUT\r\n`]);
    expect([request(`${override.replace("-", "_")}: PUT\r\n`), scan.fields]).toEqual([true, ""]);
  }
});

test("the payment of a request is kept separate; a response has no such fields", () => {
  const lines = "A: 1\r\nPayment-Signature: \tx \r\nx-payment:y\r\nX_Payment: z\r\n";
  expect([request(lines), scan.fields, scan.payment]).toEqual([
    true,
    "A: 1\r\n",
    "PAYMENT-SIGNATURE: x\r\nX-PAYMENT: y\r\n",
  ]);
  expect([request(`${lines}Connection: X-Payment\r\n`), scan.payment]).toEqual([true, "PAYMENT-SIGNATURE: x\r\n"]);
  expect([request("A: 1\r\n"), scan.payment]).toEqual([true, ""]);
  expect([response(lines), scan.fields, scan.payment]).toEqual([true, lines, ""]);
});

describe("Connection", () => {
  test("it nominates at most 64 fields", () => {
    const names = Array.from({ length: 64 }, (_, i) => `x-${i}`);
    expect(request(`Connection: ${names.slice(0, 30).join(",")}\r\nConnection: ${names.slice(30).join(",")}\r\n`)).toBe(
      true,
    );
    expect([request(`Connection: ${names.join(",")},x-64\r\n`), scan.error]).toEqual([
      false,
      "too many connection options",
    ]);
    expect(request(`Connection: ${names.join(",")}, close, keep-alive,, close\r\n`)).toBe(true);
  });

  test("the fields that it nominates are dropped, in any letter case and from any of its lines", () => {
    request(
      "A: 1\r\nX-Secret: 2\r\nConnection: x-SECRET , close\r\nb: 3\r\nConnection:keep-alive,B\r\nx-secret: 4\r\n",
    );
    expect([scan.fields, scan.close, scan.keepAlive]).toEqual(["A: 1\r\n", true, true]);
  });

  test.each([
    ["close", true, false],
    ["Close", true, false],
    [" close", true, false],
    ["\tclose\t", true, false],
    ["keep-alive", false, true],
    [" Keep-Alive", false, true],
    ["keep-alive, close", true, true],
    [",,close,", true, false],
    ["closed", false, false],
    ["xclose", false, false],
    ["xkeep-alive", false, false],
    [" keep-alivx", false, false],
    ["", false, false],
  ])("%p", (text, close, keepAlive) => {
    expect(request(`Connection:${text}\r\n`)).toBe(true);
    expect([scan.close, scan.keepAlive]).toEqual([close, keepAlive]);
  });

  test("a list of many options is refused, because each is compared with every field", () => {
    expect(request(`Connection: ${"a,".repeat(60)}\r\n`)).toBe(true);
    expect(request(`Connection: ${"a,".repeat(5000)}\r\n`)).toBe(false);
    expect(request(`Connection: a\r\n`.repeat(90))).toBe(false);
  });
});

test.each([
  ["5", 5],
  ["0", 0],
  ["999999999999999", 999_999_999_999_999],
  ["5, 5", 5],
  ["5,5,\t5", 5],
  ["1000000000000000", -1],
  ["", -1],
  ["-5", -1],
  ["+5", -1],
  ["5 5", -1],
  ["5,", -1],
  [",5", -1],
  ["5, 6", -1],
  ["5, 05", -1],
  ["0x5", -1],
  ["5.0", -1],
  ["5e1", -1],
  ["\u00b2", -1],
  ["5;a", -1],
])("Content-Length %p is %p, alone and in a head", (text, length) => {
  expect(parseContentLength(text)).toBe(length);
  for (const around of [text, ` ${text}`, `\t${text}`, `  ${text}`, `${text} `, ` ${text}\t`, ` \t ${text} \t`]) {
    for (const read of [request, response]) {
      expect(read(`Content-Length:${around}\r\n`)).toBe(length !== -1);
      if (length !== -1) expect([scan.contentLength, scan.fields]).toEqual([length, ""]);
    }
  }
});

test("a request with several Content-Type fields is refused", () => {
  expect(request("Content-Type: a/b\r\nX: y\r\ncontent-type:a/b \r\n")).toBe(true);
  expect(scan.fields).toBe("Content-Type: a/b\r\nX: y\r\ncontent-type:a/b \r\n");
  expect(request("Content-Type: a/b\r\nContent-Type: a/c\r\n")).toBe(false);
  expect(scan.error).toBe("Content-Type fields that differ");
  expect(request("Content-Type: a/c\r\n")).toBe(true);
  expect(response("Content-Type: a/b\r\nContent-Type: a/c\r\n")).toBe(true);
});

test("a length with leading zeros is refused in a request, and accepted from an upstream", () => {
  for (const text of ["005", " 08", "\t00 ", "05, 05"]) {
    expect(request(`Content-Length:${text}\r\n`)).toBe(false);
    expect(response(`Content-Length:${text}\r\n`)).toBe(true);
  }
});

test("a name with underscores for the hyphens of one that matters is dropped from a request, and has no effect", () => {
  const names = [
    "Content_Length",
    "TRANSFER_ENCODING",
    "x_forwarded-for",
    "X-Forwarded_Proto",
    "x_real_ip",
    "Keep_Alive",
  ];
  for (const alias of names) {
    expect(request(`A: b\r\n${alias}: 5\r\nC: d\r\n`)).toBe(true);
    expect(scan.fields).toBe("A: b\r\nC: d\r\n");
    expect([scan.contentLength, scan.transferEncoding, scan.forwardedFor]).toEqual([-1, "", ""]);
    expect(response(`${alias}: 5\r\n`)).toBe(true);
    expect(scan.fields).toBe(`${alias}: 5\r\n`);
  }
  expect(request("x_api_key: 5\r\nContent_Typ_: 5\r\n")).toBe(true);
  expect(scan.fields).toBe("x_api_key: 5\r\nContent_Typ_: 5\r\n");
});

test("different lengths are refused, and equal ones count once", () => {
  expect(request("Content-Length: 5\r\ncontent-length: 5\r\n")).toBe(true);
  expect(request("Content-Length: 5\r\ncontent-length: 6\r\n")).toBe(false);
  expect(scan.error).toBe("bad Content-Length");
});

test.each([
  ["a space before the colon", "Host : h\r\n"],
  ["no colon", "Host\r\n"],
  ["no name", ": h\r\n"],
  ["a folded line", "A: b\r\n c\r\n"],
  ["a bare LF", "A: b\nC: d\r\n"],
  ["a bare CR", "A: b\rC: d\r\n"],
  ["a NUL", "A: \0\r\n"],
  ["a DEL", "A: \x7f\r\n"],
  ["a name in other letters", "\u00c4: b\r\n"],
  ["a separator in the name", "A(b): c\r\n"],
  ["an empty transfer coding", "Transfer-Encoding: \r\n"],
])("%s is refused", (_name, text) => {
  expect(request(text)).toBe(false);
  expect(scan.error).not.toBe("");
});

test("too many fields and malformed fields have different errors", () => {
  expect(request("A: b\r\n".repeat(3), 3)).toBe(true);
  expect([request("A: b\r\n".repeat(4), 3), scan.tooMany]).toEqual([false, true]);
  expect([request("A b\r\n"), scan.tooMany]).toEqual([false, false]);
});

test("values that matter are found without surrounding white space, and repeated ones are joined", () => {
  request(
    "host:\t h:80 \r\nVia: a\r\nVia: b\r\nX-Forwarded-For: 1\r\nx-forwarded-for: 2\r\nTE: trailers\r\nUpgrade: x\r\n" +
      "Expect: 100-continue\r\nX-Request-Id: a\r\nX-Request-Id: b\r\nTransfer-Encoding: GZIP\r\nTransfer-Encoding: Chunked\r\n",
  );
  const { host, hosts, via, forwardedFor, upgrade, expect: expected, requestId, transferEncoding } = scan;
  expect([host, hosts, via, forwardedFor, upgrade, expected]).toEqual(["h:80", 1, "a, b", "1, 2", "x", "100-continue"]);
  expect([requestId, transferEncoding]).toEqual(["a, b", "gzip,chunked"]);
});

test("a response keeps fields that only requests lose, and reports if it has a date", () => {
  const kept = "Host: h\r\nVia: a\r\nX-Forwarded-For: 1\r\nX-Real-IP: 1\r\nX-Forwarded-Proto: x\r\nDate: now\r\n";
  expect(response(`${kept}X-Request-Id: 1\r\nKeep-Alive: 1\r\n`)).toBe(true);
  expect([scan.fields, scan.hasDate]).toEqual([kept, true]);
  response("A: b\r\n");
  expect(scan.hasDate).toBe(false);
});

/** All results of a scan. */
function told(found: FieldScan): unknown {
  return { ...Object.fromEntries(Object.entries(found)), fields: found.fields, hop: found.nominates("x-hop") };
}

test("before its first scan, a scanner has the results of a head without fields", () => {
  const empty = new FieldScan();
  expect(empty.scan(bytesOf(""), 0, 0, { isRequest: true, maxCount: 100 })).toBe(true);
  expect(told(new FieldScan())).toEqual(told(empty));
});

test.each([
  ["/", true],
  ["/a/b.c/.well-known/..a", false],
  ["/a/b.c/.well-known/~!$&'()*+,=:@-_", true],
  ["/a//b", false],
  ["/a/./b", false],
  ["/a/..", false],
  ["/a/.", false],
  ["/a/;b", false],
  ["/a;b", true],
  ["/a%41", false],
  ["/a\\b", false],
  ["/a?b=//%41/../\\", true],
])("the path of the target %p needs no normalisation: %p", (target, isRegular) => {
  scanTarget(bytesOf(`GET ${target} HTTP/1.1\r\n`), 4);
  const pathEnd = target.includes("?") ? target.indexOf("?") : target.length;
  expect(targetScan).toEqual({ end: 4 + target.length, pathEnd: 4 + pathEnd, isRegular });
});

test("every byte is part of a token, a target and a value, of two of them, of a value alone, or of none", () => {
  for (let code = 0; code < 256; code++) {
    const char = String.fromCharCode(code);
    const isToken = /[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(char);
    const isTarget = /[!-~]/.test(char) && char !== "#";
    expect(request(`A${char}:b\r\n`), `name with ${code}`).toBe(isToken || char === ":");
    expect(request(`A:b${char}c\r\n`), `value with ${code}`).toBe(/[\t\x20-\x7e\x80-\xff]/.test(char));
    scanTarget(bytesOf(`/?a${char}b \r\n`), 0);
    expect(targetScan.end, `target with ${code}`).toBe(isTarget ? 5 : 3);
  }
});

test("a scanner gives the results of a new one, whatever it scanned before", () => {
  const blocks = [
    "Host: a.test\r\nAccept: */*\r\n",
    "Host: b.test\r\nAccept: */*\r\n",
    "Host: a.test\r\nX-Hop: 1\r\nConnection: x-hop\r\nX-Request-Id: 1\r\n",
    "Host: a.test\r\nPAYMENT-SIGNATURE: abc\r\nContent-Length: 5\r\n",
    "Host: a.test\r\nContent-Length: 5\r\nContent-Length: 6\r\n",
    "Host: a.test\r\nAccept : */*\r\n",
    "",
  ];
  const limits = { isRequest: fc.boolean(), maxCount: fc.constantFrom(1, 100) };
  const step = fc.record({
    block: fc.constantFrom(...blocks),
    before: fc.constantFrom("", "GET / HTTP/1.1\r\n"),
    times: fc.integer({ min: 1, max: 4 }),
    ...limits,
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 3, maxLength: 12 }), (steps) => {
      const reused = new FieldScan();
      for (const { block, before, ...bounds } of steps.flatMap((one) => Array.from({ length: one.times }, () => one))) {
        const text = bytesOf(`${before}${block}`);
        const fresh = new FieldScan();
        const expected = fresh.scan(text, before.length, text.length - 2, bounds);
        expect(reused.scan(text, before.length, text.length - 2, bounds)).toBe(expected);
        expect(told(reused)).toEqual(told(fresh));
      }
    }),
  );
});
