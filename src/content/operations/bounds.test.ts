/**
 * Tests all bounds, values and defaults of the API's tables: a value at a bound is accepted, a value beyond it is
 * rejected by name.
 */
import { describe, expect, test } from "bun:test";
import { TurnpikeError } from "../../lib/errors.ts";
import { type Operation, type Services } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";

type Rule =
  | { readonly kind: "integer" | "number"; readonly min?: number; readonly max?: number; readonly default?: number }
  | { readonly kind: "boolean"; readonly default: boolean; readonly needs?: Readonly<Record<string, unknown>> }
  | { readonly kind: "text"; readonly max?: number; readonly empty?: true }
  | { readonly kind: "one-of"; readonly values: readonly string[]; readonly default?: string }
  | { readonly kind: "urls"; readonly max: number; readonly default?: readonly string[]; readonly tooMany?: string }
  | { readonly kind: "url" | "selectors" | "changes" };

const timeout: Rule = { kind: "integer", min: 1, max: 120, default: 30 };
const maxLength: Rule = { kind: "integer", min: 1, max: 1_000_000 };
const format: Rule = { kind: "one-of", values: ["html", "markdown", "text", "links"], default: "markdown" };
const margin: Rule = { kind: "number", min: 0, max: 100 };

const PAGE: Readonly<Record<string, Rule>> = {
  selector: { kind: "text", max: 2000 },
  stealth: { kind: "boolean", default: false },
  timeout,
  user_agent: { kind: "text", max: 512 },
  wait: { kind: "integer", min: 0, max: 30 },
  wait_until: { kind: "one-of", values: ["load", "domcontentloaded", "networkidle0"], default: "load" },
  engine: { kind: "one-of", values: ["auto", "static", "browser"], default: "auto" },
  partial: { kind: "boolean", default: false },
};
const url: Rule = { kind: "url" };
const SHARING: Readonly<Record<string, Rule>> = {
  max_age: { kind: "integer", min: 0, max: 2_592_000 },
  private: { kind: "boolean", default: false },
  changes: { kind: "changes" },
};

const SESSION: Readonly<Record<string, Rule>> = {
  session: { kind: "text", max: 64 },
  session_secret: { kind: "text", max: 64 },
};

/** The body of /extract in which `learn` may be true. */
const LEARNING = {
  url: undefined,
  selectors: undefined,
  urls: ["https://example.com/1", "https://example.com/2"],
  schema: { type: "object", properties: { title: { type: "string" } } },
};

const SEARCH: Readonly<Record<string, Rule>> = {
  query: { kind: "text", max: 500 },
  count: { kind: "integer", min: 1, max: 50, default: 10 },
  page: { kind: "integer", min: 1, max: 50, default: 1 },
  timeout,
};

const RULES: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  "/scrape": { url, ...PAGE, ...SHARING, ...SESSION, format, max_length: maxLength, evaluate: { kind: "text" } },
  "/batch": {
    async: { kind: "boolean", default: false },
    urls: { kind: "urls", max: 20, tooMany: "must have at most 20 items" },
    ...PAGE,
    ...SHARING,
    format,
    max_length: maxLength,
    evaluate: { kind: "text" },
  },
  "/crawl": {
    urls: { kind: "urls", max: 100 },
    ...PAGE,
    ...SHARING,
    only_changed: { kind: "boolean", default: false },
    format,
    max_length: maxLength,
    limit: { kind: "integer", min: 1, max: 10_000, default: 100 },
    max_depth: { kind: "integer", min: 0, max: 50, default: 20 },
    subdomains: { kind: "boolean", default: false },
    external: { kind: "boolean", default: false },
    ignore_query: { kind: "boolean", default: false },
    sitemap: { kind: "one-of", values: ["include", "only", "skip"], default: "include" },
    skip_noindex: { kind: "boolean", default: false },
    near_duplicates: { kind: "one-of", values: ["deliver", "same-path", "skip"], default: "same-path" },
    delay: { kind: "number", min: 0, max: 60, default: 0 },
    concurrency: { kind: "integer", min: 1, max: 16, default: 8 },
  },
  "/extract": {
    url,
    ...PAGE,
    selectors: { kind: "selectors" },
    shown_only: { kind: "boolean", default: false },
    learn: { kind: "boolean", default: false, needs: LEARNING },
    ...SESSION,
  },
  "/read": { url, ...PAGE, ...SHARING, ...SESSION, max_length: maxLength },
  "/parse": {
    file: { kind: "text" },
    content_type: { kind: "text", max: 200, empty: true },
    format,
    max_length: maxLength,
    words: { kind: "boolean", default: false },
    timeout,
  },
  "/pdf": {
    url,
    ...PAGE,
    ...SESSION,
    landscape: { kind: "boolean", default: false },
    print_background: { kind: "boolean", default: true },
    scale: { kind: "number", min: 0.1, max: 2, default: 1 },
    paper_width: { kind: "number", min: 0.5, max: 200, default: 8.5 },
    paper_height: { kind: "number", min: 0.5, max: 200, default: 11 },
    margin_top: margin,
    margin_bottom: margin,
    margin_left: margin,
    margin_right: margin,
  },
  "/screenshot": {
    url,
    ...PAGE,
    ...SESSION,
    format: { kind: "one-of", values: ["png", "jpeg", "webp"], default: "png" },
    full_page: { kind: "boolean", default: false },
    width: { kind: "integer", min: 1, max: 10_000, default: 1280 },
    height: { kind: "integer", min: 1, max: 10_000, default: 720 },
    quality: { kind: "integer", min: 0, max: 100 },
  },
  "/qr": {
    data: { kind: "text", max: 4296, empty: true },
    size: { kind: "integer", min: 32, max: 2048, default: 256 },
    margin: { kind: "integer", min: 0, max: 10, default: 2 },
  },
  "/map": {
    url,
    search: { kind: "text", max: 500 },
    limit: { kind: "integer", min: 1, max: 100_000, default: 5_000 },
    subdomains: { kind: "boolean", default: false },
    ignore_query: { kind: "boolean", default: false },
    sitemap: { kind: "one-of", values: ["include", "only", "skip"], default: "include" },
    timeout,
  },
  "/search": SEARCH,
  "/search/content": {
    ...SEARCH,
    content: { kind: "one-of", values: ["markdown"] },
    pages: { kind: "integer", min: 1, max: 5, default: 3 },
    max_length: { kind: "integer", min: 1, max: 100_000, default: 20_000 },
  },
  "/resolve": {
    question: { kind: "text", max: 2000 },
    criteria: { kind: "text", max: 20_000, empty: true },
    max_sources: { kind: "integer", min: 1, max: 8, default: 5 },
    sources: { kind: "urls", max: 3, default: [] },
    timeout,
  },
  "/sessions": {
    ttl: { kind: "integer", min: 10, max: 2_592_000, default: 86_400 },
    idle_ttl: { kind: "integer", min: 10, max: 2_592_000 },
    session_secret: { kind: "text", max: 64 },
  },
  "/browsers": {
    minutes: { kind: "integer", min: 1, max: 240 },
    browser: { kind: "text", max: 64 },
    token: { kind: "text", max: 64 },
  },
};

/** The minimal body for each operation. */
function leastOf(path: string): Record<string, unknown> {
  if (path === "/parse") return { file: "eA==" };
  if (path === "/qr") return { data: "x" };
  if (path === "/search") return { query: "x" };
  if (path === "/search/content") return { query: "x", content: "markdown" };
  if (path === "/resolve") return { question: "x" };
  if (path === "/sessions") return {};
  if (path === "/browsers") return { minutes: 1 };
  if (path === "/batch" || path === "/crawl") return { urls: ["https://example.com/"] };
  const page = { url: "https://example.com/" };
  return path === "/extract" ? { ...page, selectors: { title: "h1" } } : page;
}

/** Values at the bounds, and values beyond them with their error messages. */
interface Cases {
  readonly good: readonly unknown[];
  readonly bad: readonly (readonly [value: unknown, message: string])[];
}

function casesOf(rule: Rule): Cases {
  if (rule.kind === "integer" || rule.kind === "number") return numberCases(rule);
  if (rule.kind === "text") return textCases(rule);
  if (rule.kind === "one-of") return valueCases(rule);
  if (rule.kind === "urls") return urlsCases(rule);
  if (rule.kind === "url") return urlCases();
  if (rule.kind === "changes") {
    const good = [
      {},
      { since: "last", mode: "fields" },
      { since: "2026-01-31T12:00:00Z" },
      { since: "2026-01-31T12:00:00+02:00" },
    ];
    return { good, bad: [["last", "must be of type object"]] };
  }
  if (rule.kind === "selectors") {
    return { good: [{ a: "p", "b c": "a@href" }], bad: [[[], "must be of type object"]] };
  }
  const wrong: readonly unknown[] = ["true", 1, null];
  return { good: [true, false], bad: wrong.map((value) => [value, "must be of type boolean"] as const) };
}

function valueCases({ values }: Extract<Rule, { kind: "one-of" }>): Cases {
  const wrong: readonly unknown[] = [...values.map((value) => value.toUpperCase()), "", "constructor", 1, null];
  return { good: values, bad: wrong.map((value) => [value, `must be one of ${values.join(", ")}`] as const) };
}

function urlsCases({
  max,
  default: none,
  tooMany = `must be at most ${max} items`,
}: Extract<Rule, { kind: "urls" }>): Cases {
  const address = "https://example.com/";
  return {
    good: [[address], Array.from({ length: max }, () => address), ...(none === undefined ? [] : [none])],
    bad: [
      ...(none === undefined ? [[[], "must not be empty"] as const] : []),
      [Array.from({ length: max + 1 }, () => address), tooMany],
      [address, "must be of type array"],
    ],
  };
}

function numberCases(rule: Extract<Rule, { kind: "integer" | "number" }>): Cases {
  const { kind, min, max } = rule;
  const step = kind === "integer" ? 1 : 0.001;
  const good = [min, max, rule.default].filter((value) => value !== undefined);
  const bad: [unknown, string][] = [
    ["1", "must be of type number"],
    [null, "must be of type number"],
    [true, "must be of type number"],
  ];
  if (min !== undefined) bad.push([min - step, `must be at least ${min}`]);
  if (max !== undefined) bad.push([max + step, `must be at most ${max}`]);
  if (kind === "integer") bad.push([1.5, "must be of type int"]);
  // The result of parsing 1e999 as JSON.
  bad.push([Number.POSITIVE_INFINITY, "must be of type number"]);
  return { good, bad };
}

function textCases({ max, empty }: Extract<Rule, { kind: "text" }>): Cases {
  const bad: [unknown, string][] = [
    [1, "must be of type string"],
    [null, "must be of type string"],
    [["a"], "must be of type string"],
  ];
  if (max !== undefined) bad.push(["x".repeat(max + 1), `must be at most ${max} characters`]);
  if (empty !== true) bad.push(["", "must not be empty"]);
  return { good: ["x", ...(max === undefined ? [] : ["x".repeat(max)])], bad };
}

function long(length: number): string {
  return `https://example.com/${"x".repeat(length - 20)}`;
}

function urlCases(): Cases {
  return {
    good: ["https://example.com/a?b=c#fragment", "http://127.0.0.1:8080", "https://bücher.example/ü", long(8192)],
    bad: [
      [long(8193), "must be at most 8192 characters"],
      ["", "must not be empty"],
      ["example.com", "must be an absolute URL"],
      ["/path", "must be an absolute URL"],
      [" https://example.com/", "must be an absolute URL"],
      ["https://example.com/\n", "must be an absolute URL"],
      ["https://exam ple.com/", "must be an absolute URL"],
      ["https://", "must be an absolute URL"],
      ["https://ann:secret@example.com/", "must not hold a user name or a password"],
      ["https://ann@example.com/", "must not hold a user name or a password"],
      [1, "must be of type string"],
    ],
  };
}

test("a name or a secret with a character that the service does not give to one is refused", async () => {
  const made = {
    "/read": ["session", "session_secret"],
    "/sessions": ["session_secret"],
    "/browsers": ["browser", "token"],
    "/extract": ["extractor"],
  };
  const bodies = Object.entries(made).flatMap(([path, fields]) => fields.map((field) => ({ path, field })));
  for (const { path, field } of bodies) {
    const operation = CALLED.find((one) => one.path === path);
    if (operation === undefined) throw new Error(`Cannot find ${path}`);
    for (const value of ["a\u0000", "a\ud800", "a b", "\u00fc"]) {
      const errors = [{ path: field, message: "must be visible ASCII characters" }];
      expect(await errorsOf(operation, { ...leastOf(path), [field]: value })).toEqual(["invalid-parameters", errors]);
    }
  }
});

/** Fields of /extract of which one is required. */
const CHOICES = [
  ["url", "urls"],
  ["selectors", "schema", "extractor"],
];

/** The errors of an operation for a body. The request never reaches the services. */
async function errorsOf(operation: Operation, body: unknown): Promise<unknown> {
  const nothing: unknown = undefined;
  // An invalid body is rejected before the services are used.
  const failure: unknown = await operation
    .run(body, nothing as Services, new Request("http://a.test/"))
    .catch((error: unknown) => error);
  return failure instanceof TurnpikeError ? [failure.code, failure.errors] : failure;
}

const CALLED = OPERATIONS.filter(({ body }) => body !== undefined);

test("every operation with a body is in the table, with every field", () => {
  expect(CALLED.map(({ path }) => [path, RULES[path] !== undefined])).toEqual(CALLED.map(({ path }) => [path, true]));
});

describe.each(CALLED.map((operation) => [operation.path, operation] as const))("%s", (path, operation) => {
  const rules = Object.entries(RULES[path] ?? {});
  const least = leastOf(path);

  test.each(rules)("accepts %s up to its bounds and rejects values beyond them", async (field, rule) => {
    const { good, bad } = casesOf(rule);
    const base = { ...least, ...("needs" in rule ? rule.needs : {}) };
    for (const value of good) {
      expect([value, operation.body?.safeParse({ ...base, [field]: value }).success]).toEqual([value, true]);
    }
    for (const [value, message] of bad) {
      const errors = [{ path: field, message }];
      expect([value, await errorsOf(operation, { ...base, [field]: value })]).toEqual([
        value,
        ["invalid-parameters", errors],
      ]);
    }
  });

  test("fills its defaults in", () => {
    const defaults = rules.flatMap(([field, rule]) =>
      "default" in rule && rule.default !== undefined ? [[field, rule.default] as const] : [],
    );
    expect(operation.body?.safeParse(least)).toMatchObject({ success: true, data: Object.fromEntries(defaults) });
  });

  test("requires its required fields, rejects unknown fields, and accepts only an object", async () => {
    for (const field of Object.keys(least)) {
      const { [field]: _, ...rest } = least;
      const choice = path === "/extract" ? CHOICES.find((names) => names.includes(field)) : undefined;
      const error =
        choice === undefined
          ? { path: field, message: "is required" }
          : { path: "", message: `requires ${choice.map((name) => `"${name}"`).join(", or ")}` };
      expect(await errorsOf(operation, rest)).toEqual(["invalid-parameters", [error]]);
    }
    for (const field of ["colour", "URL", "constructor", "toString"]) {
      const errors = [{ path: field, message: "is not a field of this operation" }];
      expect(await errorsOf(operation, { ...least, [field]: 1 })).toEqual(["invalid-parameters", errors]);
    }
    const own: unknown = JSON.parse(JSON.stringify({ ...least, own: { url: 1 } }).replace('"own"', '"__proto__"'));
    expect(await errorsOf(operation, own)).toEqual([
      "invalid-parameters",
      [{ path: "__proto__", message: "is not a field of this operation" }],
    ]);
    for (const body of [null, [], "text", 1, true, [least]]) {
      const errors = [{ path: "", message: "must be of type object" }];
      expect(await errorsOf(operation, body)).toEqual(["invalid-parameters", errors]);
    }
  });
});
