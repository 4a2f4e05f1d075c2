import { expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { plainJson } from "../../../config/formats/jsonc.ts";
import { isSame } from "../../../../lib/is-same.ts";
import { patient } from "../../../../lib/testing/patience.ts";
import { jsonText } from "./json-text.ts";

setDefaultTimeout(patient(20_000));

interface Shape {
  readonly $schema?: string;
  readonly a?: object;
  readonly routes: readonly object[];
}

function rewrite(text: string, change: (document: Shape) => object): string {
  const document = JSON.parse(text);
  // Removes members that are undefined.
  const next: unknown = JSON.parse(JSON.stringify(change(JSON.parse(text))));
  return jsonText({ text, document }, next, true);
}

function withMember(it: object): object {
  return { ...it, b: { c: [1] } };
}

const FILE = `{
  "$schema": "./turnpike.schema.json",
  "10": "ten", "9": "nine",
  "big": 123456789012345678901234567890, "odd":   [1,
      2,   3],
  "routes": [
    { "path_prefix": "/a", "upstream": "one" },
    {
      "path_prefix": "/b",
      "upstream": "one"
    },
    { "path_prefix": "/c", "upstream": "one" }
  ]
}
`;

test.each([
  ["nothing", (it: Shape) => it, FILE],
  [
    "an item at the end",
    (it: Shape) => ({ ...it, routes: [...it.routes, { path_prefix: "/d", retry: { max_retries: 2 } }] }),
    FILE.replace(
      `"/c", "upstream": "one" }`,
      `"/c", "upstream": "one" },\n    {\n      "path_prefix": "/d",\n      "retry": {\n        "max_retries": 2\n      }\n    }`,
    ),
  ],
  [
    "an item that is removed",
    (it: Shape) => ({ ...it, routes: it.routes.toSpliced(1, 1) }),
    FILE.replace(/ {4}\{\n.*\n.*\n {4}\},\n/, ""),
  ],
  [
    "a member within a line",
    (it: Shape) => ({
      ...it,
      routes: it.routes.with(0, { ...it.routes[0], mirror: "two", retry: { statuses: [500] } }),
    }),
    FILE.replace(
      `"/a", "upstream": "one" }`,
      `"/a", "upstream": "one", "mirror": "two", "retry": { "statuses": [ 500 ] } }`,
    ),
  ],
  [
    "a member in lines of its own, and a value",
    (it: Shape) => ({ ...it, routes: it.routes.with(1, { path_prefix: "/b", upstream: "two", mirror: "one" }) }),
    FILE.replace(`"/b",\n      "upstream": "one"\n`, `"/b",\n      "upstream": "two",\n      "mirror": "one"\n`),
  ],
  [
    "a member that is removed",
    (it: Shape) => ({ ...it, 9: undefined }),
    FILE.replace(`"10": "ten", "9": "nine",`, `"10": "ten",`),
  ],
  [
    "the first and the last member",
    (it: Shape) => ({ ...it, $schema: undefined, routes: undefined }),
    FILE.replace(/ {2}"\$schema.*\n/, "").replace(/,\n {2}"routes"[^]*\]\n\}/, "\n}"),
  ],
  ["all items", (it: Shape) => ({ ...it, routes: [] }), FILE.replace(/\[\n {4}\{ "path[^]*\n {2}\]/, "[]")],
] as const)("%s: what is not changed stays as it is written", (_, change, expected) => {
  expect(rewrite(FILE, change)).toBe(expected);
});

test("added parts have the layout of the file", () => {
  expect(rewrite(`{"a":1}`, withMember)).toBe(`{"a":1,"b":{"c":[1]}}`);
  expect(rewrite(`{ "a": 1 }`, withMember)).toBe(`{ "a": 1, "b": { "c": [ 1 ] } }`);
  expect(rewrite(`{}\n`, withMember)).toBe(`{\n  "b": {\n    "c": [\n      1\n    ]\n  }\n}\n`);
  expect(rewrite(`{\r\n\t"a": {}\r\n}\r\n`, (it) => ({ a: withMember(it.a ?? {}) }))).toBe(
    `{\r\n\t"a": {\r\n\t\t"b": {\r\n\t\t\t"c": [\r\n\t\t\t\t1\r\n\t\t\t]\r\n\t\t}\r\n\t}\r\n}\r\n`,
  );
});

test("after any change, the text has the new document", () => {
  const named = fc.record({ name: fc.constantFrom("a", "b", "c", "d"), value: fc.jsonValue({ maxDepth: 1 }) });
  const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.uniqueArray(named, { selector: ({ name }) => name }));
  const document = fc.dictionary(fc.constantFrom("x", "y", "10", "2", "__proto__", 'q"\n'), value);
  fc.assert(
    fc.property(document, document, fc.constantFrom(0, 1, 2, 4, "\t"), (before, after, indent) => {
      const text = JSON.stringify(before, undefined, indent);
      const next: unknown = JSON.parse(JSON.stringify(after));
      const written = jsonText({ text, document: JSON.parse(text) }, next, true);
      expect(isSame(JSON.parse(written), next)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

const COMMENTED = `// The gateway.
{
  // Where it listens.
  "server": { "port": 8080, /* plain */ "workers": 1 }, // one process
  "routes": [
    // First.
    { "path_prefix": "/a", "upstream": "one" },
    // Second.
    { "path_prefix": "/b", "upstream": "one" }, // dear
    // Third.
    { "path_prefix": "/c", "upstream": "one" }, // with a comma behind it
  ],
  // Nothing yet.
  "upstreams": [
    // none
  ],
}
`;

function rewriteCommented(change: (document: Shape) => object): string {
  const { text: plain } = plainJson(COMMENTED);
  const document = JSON.parse(plain);
  const written = jsonText({ text: COMMENTED, document }, change(JSON.parse(plain)), false);
  expect(JSON.parse(plainJson(written).text)).toEqual(change(JSON.parse(plain)));
  return written;
}

test.each([
  ["nothing", (it: Shape) => it, COMMENTED],
  ["a value", (it: Shape) => ({ ...it, server: { port: 9090, workers: 1 } }), COMMENTED.replace("8080", "9090")],
  [
    "an item that is removed",
    (it: Shape) => ({ ...it, routes: it.routes.toSpliced(1, 1) }),
    COMMENTED.replace(`    // Second.\n    { "path_prefix": "/b", "upstream": "one" }, // dear\n`, ""),
  ],
  [
    "an item at the end",
    (it: Shape) => ({ ...it, routes: [...it.routes, { path_prefix: "/d" }] }),
    COMMENTED.replace("with a comma behind it\n", `with a comma behind it\n    {\n      "path_prefix": "/d"\n    },\n`),
  ],
  [
    "an item in a list that has only a comment",
    (it: Shape) => ({ ...it, upstreams: [{ name: "one" }] }),
    COMMENTED.replace("    // none\n  ]", `    // none\n    {\n      "name": "one"\n    }\n  ]`),
  ],
])("comments stay around %s", (_name, change, text) => {
  expect(rewriteCommented(change)).toBe(text);
});
