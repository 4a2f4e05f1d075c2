import { expect, test } from "bun:test";
import { compileSchema, TooCostly } from "./compile-schema.ts";
import { type Json } from "./json.ts";
import { errorOf } from "./testing/error-of.ts";
import { MAX_JSON_DEPTH, readJson } from "./read-json.ts";
import { MAX_PROBLEMS } from "./run.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const problemsOf = (schema: Json, body: string) =>
  compileSchema(schema, { checksFormats: true }).problemsOf(readJson(bytes(body)));

test("each problem has a pointer, and their number is limited", () => {
  const schema: Json = {
    type: "object",
    required: ["name"],
    properties: { "a/b~": { type: "array", items: { type: "integer", maximum: 3 } } },
    additionalProperties: false,
  };
  expect(problemsOf(schema, '{"a/b~":[1,"x",9],"__proto__":1}')).toEqual([
    { path: "", message: 'requires "name"' },
    { path: "/a~1b~0/1", message: "must be integer" },
    { path: "/a~1b~0/2", message: "must be 3 or less" },
    { path: "/__proto__", message: 'is not allowed; the only name is "a/b~"' },
  ]);
  expect(problemsOf({ items: false }, JSON.stringify(Array(500).fill(0))).length).toBe(MAX_PROBLEMS);
});

const STEP: Json = {
  anyOf: [
    { type: "string", enum: ["stop", "back"] },
    {
      type: "object",
      properties: { type: { enum: ["click"] }, times: { maximum: 3 }, button: { enum: ["left", "right"] } },
      required: ["type"],
    },
    { type: "object", properties: { type: { const: "wait" }, ms: { type: "integer" } }, required: ["type", "ms"] },
  ],
};

/** More names than an error lists. */
const NAMED: Json = {
  properties: Object.fromEntries(
    [...Array(30).keys()].map((i) => [`name_${"abcdefghij"[i % 10]}${i}`, {}]).concat([["time_out", {}]]),
  ),
  additionalProperties: false,
};

for (const [schema, body, ...messages] of [
  [{ enum: ["a", 1, null] }, '"b"', ' must be "a", 1 or null'],
  [{ enum: Array.from({ length: 200 }, (_, at) => at) }, "-1", " must be a value of enum"],
  [{ const: { a: [true] } }, "1", ' must be {"a":[true]}'],
  [{ properties: { a: { const: false } } }, '{"a":true}', "/a must be false"],
  [{ dependentRequired: { a: ["b"] } }, '{"a":1}', ' requires "b" with "a"'],
  [{ dependentSchemas: { a: { properties: { b: false } } } }, '{"a":1,"b":1}', '/b is not allowed with "a"'],
  [
    JSON.parse('{"if":{"properties":{"a":{"const":1}},"required":["a"]},"then":{"required":["b"]}}'),
    '{"a":1}',
    ' requires "b" with "a": 1',
  ],
  [JSON.parse('{"if":{"required":["a"]},"then":{"properties":{"a":false}}}'), '{"a":1}', "/a is not allowed"],
  [
    { properties: { query: {}, count: {} }, additionalProperties: false },
    '{"limit":1}',
    '/limit is not allowed; the names are "query" and "count"',
  ],
  [NAMED, '{"tiem_out":1}', '/tiem_out is not allowed; did you mean "time_out"?'],
  [NAMED, '{"x":1}', "/x is not allowed"],
  [
    { properties: { a: {} }, patternProperties: { "^b": {} }, additionalProperties: false },
    '{"c":1}',
    "/c is not allowed",
  ],
  [{ not: { pattern: "^a" } }, '"ab"', ' must not match "^a"'],
  [{ propertyNames: { maxLength: 1 } }, '{"ab":1}', "/ab its name must have at most 1 characters"],
  [{ anyOf: [{ required: ["a", "b"] }, { required: ["c"] }] }, "{}", ' requires "a" and "b", or "c"'],
  [STEP, '"go"', ' must be "stop" or "back"'],
  [STEP, '{"type":"click","times":4,"button":"up"}', "/times must be 3 or less", '/button must be "left" or "right"'],
  [STEP, '{"type":"wait"}', ' requires "ms"'],
  [STEP, '{"type":"jump"}', " must fit one of the schemas of anyOf"],
  [STEP, "1", " must fit one of the schemas of anyOf"],
  [{ items: STEP }, '["stop",{"type":"wait","ms":"1"}]', "/1/ms must be integer"],
] satisfies [Json, string, ...string[]][]) {
  test(`the error of ${body} names the rule: ${messages.join(", ")}`, () => {
    expect(problemsOf(schema, body).map(({ path, message }) => `${path} ${message}`)).toEqual(messages);
  });
}

test("names of Object.prototype are ordinary members", () => {
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
    expect(problemsOf({ required: [name] }, "{}")).toHaveLength(1);
    expect(problemsOf({ required: [name] }, `{"${name}":{"x":1}}`)).toEqual([]);
  }
  expect(Object.hasOwn(Object.prototype, "x")).toBe(false);
});

for (const [what, schema, error] of [
  ["a reference to elsewhere", { items: { $ref: "https://a.example/x" } }, "/items/$ref:"],
  ["a reference to nothing", { $ref: "#/$defs/a" }, "/$ref:"],
  ["a schema that refers to itself alone", { allOf: [{ $ref: "#" }] }, "refers to itself without end"],
  ["an unknown type", { properties: { a: { type: "text" } } }, "/properties/a/type:"],
  ["another draft", { $schema: "http://json-schema.org/draft-07/schema#" }, "/$schema:"],
  ["a broken pattern", { $defs: { a: { pattern: "(" } } }, "/$defs/a/pattern:"],
  ["a back reference", { pattern: "(a)\\1" }, "/pattern: cannot be matched in linear time"],
  ["a look-ahead", { patternProperties: { "(?=a)": true } }, "/patternProperties/(?=a): cannot be matched"],
  ["(a+)+", { pattern: "(a+)+$" }, "/pattern: prone to take exponential time"],
  ["(\\w+\\s?)*", { pattern: "^(\\w+\\s?)*$" }, "/pattern: prone"],
  ["a flag", { pattern: "^(?i:a)$" }, "/pattern: cannot be matched in linear time: flags within a pattern"],
  ["(x+x+)+", { pattern: "(x+x+)+y" }, "/pattern: prone"],
] as const) {
  test(`${what} is refused, with its place`, () => {
    // A refused schema is also JSON.
    expect(errorOf(structuredClone(schema) as unknown as Json)).toContain(error);
  });
}

const both = ($ref: string): Json => [{ $ref }, { $ref }];

const OWN = "https://a.example/meta";
const VOCABULARY = "https://json-schema.org/draft/2020-12/vocab/";
const byOwn = (metaschema: Record<string, Json>, schema: Record<string, Json>): Json => ({
  $schema: OWN,
  $defs: { meta: { $id: OWN, ...metaschema } },
  ...schema,
});

test("a custom metaschema decides which vocabularies have a meaning", () => {
  const without = { $vocabulary: { [`${VOCABULARY}core`]: true, [`${VOCABULARY}applicator`]: true } };
  const schema = byOwn(without, { properties: { a: false, b: { minimum: 9 } } });
  expect(problemsOf(schema, '{"b":1}')).toEqual([]);
  expect(problemsOf(schema, '{"a":1}')).toHaveLength(1);
  expect(compileSchema(schema, { checksFormats: true }).warnings.map(({ path }) => path)).toEqual([
    "/properties/b/minimum",
  ]);
  const asserting = { $vocabulary: { [`${VOCABULARY}validation`]: true, [`${VOCABULARY}format-assertion`]: true } };
  const dated = compileSchema(byOwn(asserting, { format: "date" }), { checksFormats: false });
  expect(dated.problemsOf("x")).toHaveLength(1);
  expect(errorOf(byOwn(asserting, { format: "card" }))).toStartWith("/format: an unknown format");
});

test("a schema must match its custom metaschema, whose vocabularies must be known", () => {
  expect(errorOf(byOwn({ required: ["title"] }, { title: "x" }))).toBe("");
  expect(errorOf(byOwn({ required: ["title"] }, {}))).toBe(': requires "title"');
  expect(errorOf(byOwn({ $vocabulary: { "https://a.example/v": false } }, {}))).toBe("");
  expect(errorOf(byOwn({ $vocabulary: { "https://a.example/v": true } }, {}))).toContain(
    "/$schema: its metaschema requires",
  );
  expect(errorOf({ $schema: OWN })).toContain("/$schema: expected https://json-schema.org");
});

test("a schema that is too large or too deep to be checked is refused, with a reason", () => {
  const properties = Object.fromEntries(
    Array.from({ length: 60_000 }, (_, i) => [`p${i}`, { type: "string", maxLength: 9, title: "" }]),
  );
  expect(errorOf({ properties })).toBe(
    ": is too large to be checked: it takes more than 2000000 steps or 1000 schemas in each other to check",
  );
  let deep: Json = {};
  for (let i = 0; i < 5000; i++) deep = { not: deep };
  expect(errorOf(deep)).toStartWith(": is too large to be checked");
  const chain = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`a${i}`, { $ref: `#/$defs/a${i + 1}` }]));
  expect(errorOf({ $defs: { ...chain, a20000: true }, $ref: "#/$defs/a0" })).toBe(": nests too many schemas");
  const own = { allOf: [{ $ref: "#/$defs/x" }], $defs: { x: { additionalProperties: { allOf: both("#/$defs/x") } } } };
  let nested: Json = {};
  for (let i = 0; i < 40; i++) nested = { properties: { a: nested } };
  expect(errorOf(byOwn(own, { not: nested }))).toStartWith(": is too large to be checked");
});

test("patterns that take a backtracking matcher quadratic time take linear time", () => {
  const text = "a".repeat(500_000);
  for (const pattern of ["a*a*a*b", "[a-z]+$", "^([a-z]+\\.)*[a-z]+$", "(.*a){9}x"]) {
    problemsOf({ pattern }, JSON.stringify(`${text}!`));
  }
});

test("patterns have the same meaning as in ECMA-262", () => {
  expect(problemsOf({ pattern: "^\\p{Letter}+$" }, '"π"')).toEqual([]);
  expect(problemsOf({ pattern: "^\\s$" }, '"\\u00a0"')).toEqual([]);
  expect(problemsOf({ pattern: "^\\S$" }, '"\\u00a0"')).toHaveLength(1);
  expect(problemsOf({ pattern: "^\\u0041\\cA[\\u{1F600}]$" }, '"A\\u0001\\ud83d\\ude00"')).toEqual([]);
  expect(problemsOf({ pattern: "^a.b$" }, '"a\\u2028b"')).toHaveLength(1);
});

test("a check that would take too long ends", () => {
  const twice: Json = { $ref: "#/$defs/n" };
  const deep = `${"[".repeat(100)}0${"]".repeat(100)}`;
  expect(problemsOf({ items: { type: "array" } }, deep)).toEqual([]);
  const worst: Json = { $defs: { n: { allOf: [{ items: twice }, { items: twice }] } }, $ref: "#/$defs/n" };
  expect(() => problemsOf(worst, deep)).toThrow(TooCostly);
});

test("a text is not matched if its length times the pattern's states is too large", () => {
  const text = JSON.stringify("ab".repeat(250_000));
  expect(() => problemsOf({ pattern: "[ab]*a[ab]{500}$" }, text)).toThrow(TooCostly);
  expect(() => problemsOf({ patternProperties: { "[ab]*a([ab]{25}){20}$": true } }, `{${text}:1}`)).toThrow(TooCostly);
});

test("many items are compared in linear time", () => {
  const items = Array.from({ length: 100_000 }, (_, i) => ({ a: i, b: [i] }));
  expect(problemsOf({ uniqueItems: true }, JSON.stringify(items))).toEqual([]);
  expect(problemsOf({ uniqueItems: true }, '[{"a":1,"b":2},{"b":2.0,"a":1}]')).toHaveLength(1);
});

for (const [text, error] of [
  ['{"a":1,"\\u0061":2}', "twice"],
  ["\ufeff{}", "byte order mark"],
  ["1e400", "double"],
  ["[".repeat(1_000_000), `at most ${MAX_JSON_DEPTH} levels`],
  ["[1,]", "expected a value"],
  ["{} x", "expected the end"],
  ['"a', "not closed"],
  ['"\\x"', "escape"],
  ["01", "expected a value"],
  [`{"${"k".repeat(1000)}":1,"${"k".repeat(1000)}":1}`, `the key "${"k".repeat(100)}" appears twice`],
  ["", "expected a value"],
] as const) {
  test(`${text.slice(0, 20)} is refused: ${error}`, () => {
    expect(() => readJson(bytes(text))).toThrow(error);
  });
}

test("bytes that are not UTF-8 are refused", () => {
  expect(() => readJson(Uint8Array.of(0x22, 0xff, 0x22))).toThrow("UTF-8");
});

test("unknown keywords and keywords that are not checked give a warning", () => {
  const { warnings } = compileSchema(
    { properties: { a: { requird: ["b"], format: "card" } }, "x-note": 1 },
    { checksFormats: true },
  );
  expect(warnings.map(({ path }) => path)).toEqual(["/properties/a/requird", "/properties/a/format"]);
});

for (const [format, good, bad] of [
  ["date", "2024-02-29", "2023-02-29"],
  ["date-time", "1998-12-31T23:59:60Z", "1998-12-31T22:59:60Z"],
  ["time", "12:00:00+01:00", "12:00:00"],
  ["duration", "P4DT12H30M5S", "P1Y2W"],
  ["email", "a.b@example.com", "a..b@example.com"],
  ["hostname", "a-b.example", "-a.example"],
  ["ipv4", "127.0.0.1", "127.0.0.01"],
  ["ipv6", "::1", "fe80::1%eth0"],
  ["uri", "http://a.example:80/b?c#d", "//a.example"],
  ["uri-reference", "../a?b", "\\a"],
  ["uuid", "2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2eb8aa08"],
  ["json-pointer", "/a~1b", "/a~2"],
  ["relative-json-pointer", "1/a~1b", "01/a"],
  ["regex", "(?=(a))\\1?", "(?P<a>b)"],
  ["regex", "b".repeat(1000), "b".repeat(1001)],
  ["regex", "(?<=a)".repeat(20), "(?<=a)".repeat(21)],
  ["idn-email", "δοκιμή@café.example", "δοκιμή@-café.example"],
  ["email", "a@[IPv6:::1]", "a@[::1]"],
  ["idn-hostname", "실례.테스트", "실〮례.테스트"],
  ["idn-hostname", "1.2", "a%41"],
  ["hostname", "xn--bcher-kva.example", "xn--n3h.example"],
  ["iri", "http://ƒøø.ßår/?∂éœ", "http://ƒøø.ßår/%6G"],
  ["iri-reference", "//ƒøø.ßår/", "//ƒøø@a@ßår/"],
  ["uri-template", "/a/{b:1,c*}{?d}", "/a/{b:0}"],
  ["uri-template", `{${"a,".repeat(300_000)}a}`, `{${"a.".repeat(300_000)}}`],
  ["json-pointer", "/~0".repeat(300_000), `${"/~1".repeat(300_000)}~`],
] as const) {
  test(`format ${format} is checked: ${good.slice(0, 40)}`, () => {
    expect(problemsOf({ format }, JSON.stringify(good))).toEqual([]);
    expect(problemsOf({ format }, JSON.stringify(bad))).toHaveLength(1);
  });
}
