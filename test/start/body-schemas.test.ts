/** The gateway refuses before the price the bodies that the content service would refuse after it, except for `CHECKED_LATER`. */
import { expect, test } from "bun:test";
import shipped from "../../config/turnpike.json";
import { OPERATIONS } from "../../src/content/operations/operations.ts";
import { operationSchema } from "../../src/gateway/config/operation-schemas.ts";
import { compileSchema } from "../../src/lib/json-schema/compile-schema.ts";
import { type Json } from "../../src/lib/json-schema/json.ts";

const TEXTS = [
  [
    "",
    " ",
    "\u200b",
    "\u00a0\u0007",
    "x",
    "a\u0000b",
    "a\ud800",
    "ünï",
    "any",
    "markdown",
    "png",
    "webp",
    "load",
    "browser",
  ],
  [500, 501, 512, 513, 2000, 2001, 4296, 4297, 8192, 8193, 20_000, 20_001].flatMap((n) => [
    "x".repeat(n),
    "😀".repeat(n),
  ]),
  ["nowhere", "http://", "http://a b/", "http://[::1", "http://h:99999/", "//h/", "ftp://h/", "file:///etc/passwd"],
  [
    "http://u:p@h/",
    "http://u@h/",
    "http://@h/",
    "http://:@h/",
    "http:\\\\u@h",
    "https://пример.рф/ü?q=[a]|b^`",
    "HTTP:h",
  ],
  [
    `http://h/${"x".repeat(8183)}`,
    `http://h/${"x".repeat(8184)}`,
    `http://h/${"😀".repeat(8183)}`,
    " http://h/",
    "http://h/\n",
  ],
].flat();
const NUMBERS = [
  -1,
  0,
  0.05,
  0.1,
  0.5,
  1,
  1.5,
  2,
  8,
  9,
  10,
  11,
  30,
  31,
  32,
  50,
  51,
  100,
  101,
  120,
  121,
  200,
  201,
  2048,
  2049,
  1e4,
  10_001,
  1e6,
  1_000_001,
  2 ** 53,
];
const LISTS = [
  [],
  ["any"],
  [404, "500-599"],
  ["599-500"],
  ["500-5999"],
  ["300-400"],
  [399],
  [400, 999],
  [1000],
  [404.5],
  Array(20).fill(404),
  Array(21).fill(404),
];
const URLS = [1, 3, 4, 20, 21].map((n) => Array(n).fill("http://h/")).concat([["nowhere"], [["http://h/"]], [1]]);
const OBJECTS = [
  {},
  { a: "h1" },
  { "": "h1" },
  { a: 1 },
  { a: "x".repeat(2001) },
  { a: "😀".repeat(2000) },
  { ["n".repeat(101)]: "h1" },
  { ["😀".repeat(100)]: "h1" },
];
const MANY = [100, 101].map((n) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`n${i}`, "h1"])));
const VALUES: readonly unknown[] = [...TEXTS, ...NUMBERS, ...LISTS, ...URLS, ...OBJECTS, ...MANY, true, false, null];

/**
 * Fields with rules that the schemas do not state, such as the names of time zones, and fields that exclude each other.
 * The service refuses them after the price, and does not charge it.
 */
const CHECKED_LATER = new Set([
  "exclude_selectors",
  "headers",
  "include_selectors",
  "proxy",
  "timezone",
  ...["confirmed", "extractor", "learn", "prompt", "schema", "urls"].map((field) => `extract ${field}`),
]);

for (const { name, path, body, example, isUpload } of OPERATIONS) {
  if (body === undefined || example === undefined || isUpload === true) continue;

  test(`${name}: the schema before the price and the service accept the same bodies`, () => {
    const route = shipped.routes.find(({ path_prefix }) => path_prefix === path);
    const uri = `urn:turnpike:body:${path.slice(1)}`;
    const source: Json = { $ref: uri };
    expect(route).toMatchObject({ body_schema: source });
    const schema = compileSchema(source, { checksFormats: true, known: operationSchema });
    const described = operationSchema(uri);
    const fields = Object.keys((described as { properties: object }).properties); // The schemas of bodies are objects.
    const bodies: unknown[] = [example, {}, null, [], "x", 1, { ...example, unknown: 1 }];
    for (const field of fields) for (const value of VALUES) bodies.push({ ...example, [field]: value });
    const differing = bodies.filter((value) => {
      const isAccepted = schema.problemsOf(value as Json).length === 0; // All values above are JSON.
      if (isAccepted === body.safeParse(value).success) return false;
      // The schema never refuses a body that the service accepts.
      const [field = ""] =
        Object.entries(value ?? {}).find(([key, one]) => !Object.is(Reflect.get(example, key), one)) ?? [];
      return !isAccepted || !(CHECKED_LATER.has(field) || CHECKED_LATER.has(`${name} ${field}`));
    });
    expect(differing.map((value) => JSON.stringify(value).slice(0, 200))).toEqual([]);
    expect(bodies.length).toBeGreaterThan(100);
  });
}
