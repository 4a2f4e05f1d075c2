/** The gateway refuses before the price the bodies that the content service would refuse after it, except for `CHECKED_LATER`. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import shipped from "../../config/turnpike.json";
import { type Operation, type Services } from "../../src/content/operations/operation.ts";
import { OPERATIONS } from "../../src/content/operations/operations.ts";
import { operationSchema } from "../../src/gateway/config/operation-schemas.ts";
import { TurnpikeError } from "../../src/lib/errors.ts";
import { compileSchema } from "../../src/lib/json-schema/compile-schema.ts";
import { type Json } from "../../src/lib/json-schema/json.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(20_000));

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

const SCHEMA = { type: "object", properties: { a: { type: "string" } } };
const URL_LIST = (length: number) => ({ url: undefined, urls: Array(length).fill("http://h/") });
const action = (...actions: object[]) => ({ actions });
const own = (name: string, value: unknown) => ({ [name]: value });

/** Members of bodies that are allowed or refused together. Those of an operation's own are tried with it. */
const TOGETHER: readonly Readonly<Record<string, unknown>>[] = [
  ...["a", "Host", "x-payment", "IF-NONE-MATCH", "Sec-Fetch-Site", "turnpike-payer", "a b", "über", "Cookie"].map(
    (name) => own("headers", { [name]: "1" }),
  ),
  ...["a\nb", "\u00e9", "\u0416", "a\u0000"].map((value) => own("headers", { a: value })),
  ...["example.com", "EXAMPLE.com", ".example.com", "exa mple.com"].map((domain) =>
    own("cookies", [{ name: "a", value: "b", domain }]),
  ),
  ...["ann", "a:b", "a\u0007b", "ünï"].map((username) => own("basic_auth", { username, password: "x" })),
  { basic_auth: { username: "a", password: "b" }, headers: { AUTHORIZATION: "x" } },
  { basic_auth: { username: "a", password: "b" }, headers: { Accept: "x" } },
  ...[
    "http://h:1",
    "SOCKS5://u:p@h:65535",
    "socks5h://[::1]:9/",
    "http://h:65536",
    "http://h/x",
    "house",
    "House",
    "http://",
  ].map((proxy) => own("proxy", proxy)),
  ...["Europe/Vienna", "utc", "+01:00", "Vienna", "+1", "\u0000"].map((zone) => own("timezone", zone)),
  { body: "a" },
  { body: "a", method: "GET" },
  { body: "a", method: "POST" },
  { method: "HEAD" },
  action({ type: "wait" }),
  action({ type: "wait", text: "a", milliseconds: 1 }),
  action({ type: "wait", text: "a", state: "gone" }),
  action({ type: "wait", selector: "a", state: "gone" }),
  action({ type: "wait", quiet: true }),
  action({ type: "wait", quiet: false }),
  action({ type: "click" }),
  action({ type: "jump" }),
  action({ type: "click", selector: "a", clicks: 4 }),
  ...[10, 11].map((count) => action(...Array.from({ length: count }, () => ({ type: "scrape" })))),
  { engine: "static", stealth: true },
  { engine: "static", stealth: false, wait: 0, wait_until: "domcontentloaded" },
  { engine: "static", wait: 1 },
  { engine: "static", wait_until: "networkidle0" },
  { engine: "static", selector: "a" },
  { engine: "static", actions: [{ type: "scrape" }] },
  { engine: "static", evaluate: "1" },
  ...["pdf", { type: "pdf" }, "links", { type: "links" }, { type: "screenshot", width: 9 }].map((format) => ({
    engine: "static",
    formats: [format],
  })),
  { formats: ["docx"] },
  { formats: [{ type: "json" }] },
  { formats: [{ type: "json", schema: SCHEMA, locale: "de" }] },
  { evaluate: "1", formats: ["links"] },
  { evaluate: "1", only_main_content: true },
  { evaluate: "1", inline_images: true },
  { evaluate: "1", inline_images: false },
  { evaluate: "1", only_main_content: false, include_selectors: [], exclude_selectors: [] },
  { evaluate: "1", include_selectors: ["a"] },
  ...[{ max_age: 1 }, { changes: {} }, { learn: false }, { stealth: true }].map((more) => ({ session: "a", ...more })),
  { changes: { since: "last" } },
  { quality: 9 },
  { quality: 9, format: "png" },
  { quality: 9, format: "jpeg" },
  ...[20, 21, 2, 5, 6].map(URL_LIST),
  { ...URL_LIST(21), async: true },
  { async: true, headers: { a: "b" } },
  { async: true, proxy: "http://h:1" },
  { async: true, proxy: "house" },
  { async: true, body: "a", method: "POST" },
  { webhook: { url: "http://h/" } },
  { async: true, webhook: { url: "http://h/", events: ["page"], metadata: { a: "b" } } },
  { async: true, webhook: { url: "ftp://h/" } },
  { async: true, webhook: { url: "http://h/", metadata: { "": "b" } } },
  { async: true, webhook: { url: "http://h/", metadata: { a: 1 } } },
  { max_price: "1" },
  { async: true, max_price: "01" },
  { urls: ["http://h/"] },
  { schema: SCHEMA },
  { selectors: undefined },
  { selectors: undefined, schema: SCHEMA },
  { selectors: undefined, schema: SCHEMA, prompt: "a", locale: "de", shown_only: true },
  { selectors: undefined, schema: SCHEMA, extractor: "a" },
  { selectors: undefined, schema: SCHEMA, learn: true },
  { selectors: undefined, schema: SCHEMA, session: "a", learn: true },
  ...[1, 2, 5, 6].flatMap((length) => {
    const learned = { selectors: undefined, schema: SCHEMA, learn: true, ...URL_LIST(length) };
    return [learned, { ...learned, confirmed: [{ a: 1 }] }, { ...learned, learn: undefined, confirmed: [] }];
  }),
  { selectors: undefined, extractor: "a", learn: true, ...URL_LIST(2) },
  { prompt: "a" },
  { ...URL_LIST(2), session: "a" },
  ...["(", "a", "(?=a)", "[a-z]+(?<name>x)", "\\u{110000}"].map((pattern) => own("include_paths", [pattern])),
  ...["(", "a", "(?=a)"].map((pattern) => own("exclude_paths", [pattern])),
  own("cookies", [{ name: "a", value: "b", domain: "example.net" }]),
  own("headers", Object.fromEntries(Array.from({ length: 5 }, (_, at) => [`a${at}`, "x".repeat(8192)]))),
  action(...[1, 2].map(() => ({ type: "wait", milliseconds: 60_000 }))),
  own("site", "xn--a.example"),
  own("exclude_site", ["xn--a.example"]),
  { page: 50, count: 50 },
  { after: "2026-02-30" },
  { after: "2026-02-03", before: "2026-02-02" },
  { data: "x".repeat(1000), size: 32 },
  { selectors: { a: "div >" } },
  { selectors: { a: "a:visited" }, engine: "static" },
  { selectors: undefined, schema: { type: "object" } },
];

/** Rules that JSON Schema cannot state, by the field of the error. The service refuses these bodies after the price, and free of charge. */
const CHECKED_LATER: Readonly<Record<string, string>> = {
  actions: "the sum of the waits",
  before: "the order of two days",
  cookies: "the host of the page",
  data: "whether a QR code can hold it",
  engine: "whether a selector can be matched without a browser",
  exclude_paths: "whether a regular expression can be matched in linear time",
  exclude_selectors: "the grammar of CSS selectors",
  exclude_site: "the mapping of a host name to ASCII",
  headers: "the length of all fields together",
  include_paths: "whether a regular expression can be matched in linear time",
  include_selectors: "the grammar of CSS selectors",
  margin_bottom: "the sum of the margins",
  margin_left: "the sum of the margins",
  margin_right: "the sum of the margins",
  margin_top: "the sum of the margins",
  page: "the product with count",
  paper_height: "the sum of the margins",
  paper_width: "the sum of the margins",
  schema: "whether fields can be found by the schema",
  selectors: "the grammar of CSS selectors",
  site: "the mapping of a host name to ASCII",
  size: "the number of modules of a QR code",
};

/** Fields of operations with their schemas. A second operation with the same one is not tried with all values. */
const tried = new Set<string>();
/** The fields of `CHECKED_LATER` that a test has met. */
const met = new Set<string>();

afterAll(() => {
  expect([...met].toSorted()).toEqual(Object.keys(CHECKED_LATER));
});

const REACHED = new Error("reached");
/** A service whose every function fails. */
const service: unknown = new Proxy(() => {}, {
  get: () => service,
  apply: () => {
    throw REACHED;
  },
});
const services = new Proxy({} as Services, {
  get: (_target, name) => (name === "now" || name === "log" ? () => 0 : service),
});

/** The field of the first error by which an operation refuses the body; undefined if it goes on to its services. */
async function refusedField({ run }: Operation, body: unknown): Promise<string | undefined> {
  try {
    await run(body, services, new Request("http://turnpike/"));
  } catch (error) {
    if (error instanceof TurnpikeError && error.code === "invalid-parameters") return error.errors?.[0]?.path ?? "";
  }
  return undefined;
}

for (const operation of OPERATIONS) {
  const { name, path, body, example, isUpload } = operation;
  if (body === undefined || example === undefined || isUpload === true) continue;

  test(`${name}: the schema before the price and the service accept the same bodies`, async () => {
    const route = shipped.routes.find(({ path_prefix }) => path_prefix === path);
    const uri = `urn:turnpike:body:${path.slice(1)}`;
    const source: Json = { $ref: uri };
    expect(route).toMatchObject({ body_schema: source });
    const schema = compileSchema(source, { checksFormats: true, known: operationSchema });
    const described = operationSchema(uri);
    const { properties } = described as { properties: Readonly<Record<string, unknown>> }; // The schemas of bodies are objects.
    const fields = Object.keys(properties);
    const bodies: unknown[] = [example, {}, null, [], "x", 1, { ...example, unknown: 1 }];
    for (const field of fields) {
      const key = `${field} ${JSON.stringify(properties[field])}`;
      for (const value of tried.has(key) ? [] : VALUES) bodies.push({ ...example, [field]: value });
      tried.add(key);
    }
    for (const members of TOGETHER)
      if (Object.keys(members).every((key) => key === "url" || fields.includes(key)))
        bodies.push({ ...example, ...members });
    const differing: string[] = [];
    for (const value of bodies) {
      // As a gateway and a service parse it.
      const parsed: Json = JSON.parse(JSON.stringify(value));
      const [problem] = schema.problemsOf(parsed);
      const field = await refusedField(operation, parsed);
      if ((problem === undefined) === (field === undefined)) continue;
      const [top = ""] = field?.split(".") ?? [];
      if (problem === undefined && top in CHECKED_LATER) met.add(top);
      else differing.push(`${JSON.stringify(value).slice(0, 200)}: ${field} ${JSON.stringify(problem)}`);
    }
    expect(differing).toEqual([]);
  });
}
