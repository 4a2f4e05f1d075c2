import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { stringify } from "yaml";
import { diagnosticText } from "../diagnostic.ts";
import { loadFile } from "../load.ts";
import { JSONC_FORMAT } from "./jsonc.ts";
import { JSON_FORMAT } from "./text-format.ts";
import { MAX_YAML_LENGTH, YAML_FORMAT } from "./yaml.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-formats-"));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ['{ // one\n "a": 1, /* two\n */ "b": [1, 2,], // three\n}', { a: 1, b: [1, 2] }],
  ['\uFEFF// first\n{"a": "// no comment, /* neither */,]"}', { a: "// no comment, /* neither */,]" }],
  ["/**/[]//", []],
])("JSON with comments: %j", (text, value) => {
  expect(JSONC_FORMAT.parse(text)).toEqual({ ok: true, value });
});

test.each([
  ['{\n  // c\n  "a": 1, // d\n  "a": 2\n}', 'line 4, column 3: the key "a" appears twice'],
  ['{ "a": 1 /* never', "line 1, column 10: a comment is not closed"],
  ['{ "a": 1 /*/', "line 1, column 10: a comment is not closed"],
  ["[1,,]", 'line 1, column 4: expected a value, found ","'],
  ["[,]", 'line 1, column 2: expected a value, found ","'],
  ['{ "a": 1 } // end\n x', 'line 2, column 2: expected the end of the text, found "x"'],
  ["[".repeat(100_000), "line 1, column 65: expected at most 64 levels"],
])("JSON with comments is refused as JSON is: %#", (text, error) => {
  expect(JSONC_FORMAT.parse(text)).toEqual({ ok: false, error });
});

test("every JSON text is also JSON with comments, with the same value", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(JSONC_FORMAT.parse(text)).toEqual(JSON_FORMAT.parse(text));
    }),
  );
});

test("comments change neither the value nor a position", () => {
  const comment = fc.constantFrom(" ", "/* , } */", '// " ]\n', "/*\n*/", "\n");
  fc.assert(
    fc.property(fc.json(), fc.array(comment, { minLength: 1 }), (text, comments) => {
      let i = 0;
      const filled = text.replaceAll(
        /"(?:[^"\\]|\\.)*"|[[\]{}:,]/g,
        (token) => token + comments[i++ % comments.length],
      );
      const shown = JSONC_FORMAT.parse(filled);
      expect(shown).toEqual(JSON_FORMAT.parse(text));
    }),
  );
});

test("YAML has the values of JSON, and a plain scalar that JSON does not have is a string", () => {
  const text = `# a comment
address: 0x000000000000000000000000000000000000dEaD
yes: no
number: -1.5e3
quoted: "12"
empty:
tilde: ~
octal: 0755
folded: >-
  one
  two
list:
  - &shared { a: 1 }
  - *shared
  - !!str 5
`;
  const bad = YAML_FORMAT.parse(text);
  expect(bad).toEqual({ ok: false, error: "line 15, column 11: a tag; write the value without it" });
  expect(YAML_FORMAT.parse(text.replace("  - !!str 5\n", ""))).toEqual({
    ok: true,
    value: {
      address: "0x000000000000000000000000000000000000dEaD",
      yes: "no",
      number: -1500,
      quoted: "12",
      empty: null,
      tilde: null,
      octal: "0755",
      folded: "one two",
      list: [{ a: 1 }, { a: 1 }],
    },
  });
});

/** `a: &a [x, x, ...]`, then lists with aliases of the line before: 10 lines expand to 10 billion values. */
function bomb(): string {
  const names = Array.from("abcdefghij");
  return names
    .map(
      (name, i) =>
        `${name}: &${name} [${Array(10)
          .fill(i === 0 ? "x" : `*${names[i - 1]}`)
          .join(", ")}]`,
    )
    .join("\n");
}

test.each([
  ["a: 1\nb:\n  c: 1\n  c: 2\n", 'line 4, column 3: the key "c" appears twice'],
  ['a:\n  - "\\ud83d\\ude00"\n  - "\\ud83d"\n', "line 3, column 5: a string holds half of a surrogate pair"],
  ['"\\udE00": 1\n', "line 1, column 1: a string holds half of a surrogate pair"],
  ["a: *none\n", "line 1, column 4: an alias of an anchor that is not defined before it"],
  ["a: &a\n  b: *a\n", "line 2, column 6: an alias of an anchor that is not defined before it"],
  [
    "a: &a { b: 1 }\nc:\n  <<: *a\n",
    "line 3, column 3: merge keys are not supported; write the members, or an alias of the whole",
  ],
  ["? [a, b]\n: 1\n", "line 1, column 3: expected a key that is a string"],
  ["a: 1\n---\nb: 2\n", "line 2, column 1: expected one document"],
  ["a:\n\t- 1\n", "line 2, column 1: a tab indents; use spaces"],
  ['a: "secret\n', "line 2, column 1: a character is missing: a colon, a comma, a quote or a closing bracket"],
  ["a: [1, 2\n", "line 2, column 1: the indentation does not fit"],
  [bomb(), "line 1, column 11: expected at most 1000000 values, with the values of each alias counted"],
  ["[".repeat(1_000_000), "line 1, column 69: expected at most 64 levels"],
  [
    Array.from({ length: 100 }, (_, i) => `${" ".repeat(i)}a:\n`).join(""),
    "line 68, column 69: expected at most 64 levels",
  ],
  [
    "x".repeat(MAX_YAML_LENGTH + 1),
    "line 1, column 1: expected at most 4194304 characters of YAML; write larger files as JSON",
  ],
])("YAML is refused with line and column: %#", (text, error) => {
  expect(YAML_FORMAT.parse(text)).toEqual({ ok: false, error });
});

test("a JSON value that a YAML library wrote is read as the same value", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4, noUnicodeString: false }), (value) => {
      fc.pre(!JSON.stringify(value).includes('"<<"') && !JSON.stringify(value).includes("-0"));
      const text = stringify(value, { defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "QUOTE_DOUBLE" });
      const parsed = YAML_FORMAT.parse(text);
      if (!parsed.ok) expect(parsed.error).toMatch(/expected a key that is a string/);
      else expect(JSON.stringify(parsed.value)).toBe(JSON.stringify(JSON.parse(JSON.stringify(value))));
    }),
  );
});

/** The expected diagnostics of each file. Only the position of the route differs. */
function lines(route: string): string[] {
  return [
    'line 4, column 5: server.port: expected a number, found "x"',
    `${route}: routes[0].path_prefix: expected a path that starts with /, found "b"`,
    'line 3, column 5: server.portt: unknown key, ignored; did you mean "port"?',
  ];
}

test("diagnostics in every format have the line and column of their key", async () => {
  const files = {
    "a.json":
      '{\n  "server": {\n    "portt": 1,\n    "port": "x"\n  },\n  "routes": [\n    { "path_prefix": "b" }\n  ]\n}',
    "a.jsonc":
      '{ // c\n  "server": {\n    "portt": 1, /* "port" */\n    "port": "x",\n  },\n  "routes": [\n    { "path_prefix": "b" },\n  ],\n}',
    "a.yaml": 'x: &shared { path_prefix: b }\nserver:\n    portt: 1 # c\n    port: "x"\n\nroutes:\n  - *shared\n',
    "a.YML": '# c\nserver:\n    portt: 1 # c\n    port: "x"\n\nroutes:\n  - path_prefix: b\n',
  };
  const found: Record<string, string[]> = {};
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    writeFileSync(path, text);
    const { problems, warnings } = await loadFile(path);
    found[name] = [...problems, ...warnings].map(diagnosticText).filter((line) => /port|path_prefix/.test(line));
  }
  expect(found).toEqual({
    "a.json": lines("line 7, column 7"),
    "a.jsonc": lines("line 7, column 7"),
    "a.yaml": lines("line 1, column 14"),
    "a.YML": lines("line 7, column 5"),
  });
});
