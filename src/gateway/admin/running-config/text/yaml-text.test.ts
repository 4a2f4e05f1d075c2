import { expect, test } from "bun:test";
import fc from "fast-check";
import { YAML_FORMAT } from "../../../config/formats/yaml.ts";
import { freshYaml, yamlText } from "./yaml-text.ts";

const TEXT = `# The gateway.
server:
  port: 8080 # plain
  workers: 1

# All routes.
routes:
  # First.
  - path_prefix: /a
    upstream: "one" # quoted
  # Second.
  - { path_prefix: /b, upstream: one }
`;

interface Shape {
  readonly server: object;
  readonly routes: readonly object[];
}

function shapeOf(text: string): Shape {
  const parsed = YAML_FORMAT.parse(text);
  if (!parsed.ok) throw new Error(parsed.error);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is the text above
  return parsed.value as Shape;
}

test.each([
  ["nothing", (it: Shape) => it, TEXT],
  ["a value", (it: Shape) => ({ ...it, server: { port: 9090, workers: 1 } }), TEXT.replace("8080", "9090")],
  [
    "an item that is removed",
    (it: Shape) => ({ ...it, routes: it.routes.toSpliced(1, 1) }),
    TEXT.replace("  # Second.\n  - { path_prefix: /b, upstream: one }\n", ""),
  ],
  [
    "strings that look like something else",
    (it: Shape) => ({ ...it, server: { port: 8080, workers: "1", address: "true", name: "" } }),
    TEXT.replace("workers: 1\n", `workers: "1"\n  address: "true"\n  name: ""\n`),
  ],
])("comments, order and styles stay around %s", (_name, change, text) => {
  const document = shapeOf(TEXT);
  expect(yamlText({ text: TEXT, document }, change(document))).toBe(text);
});

test.each(["a", "anchor"])("an alias whose value changes gets its own value: *%s", (name) => {
  const text = `a: &${name} { b: 1 }\nc: *${name} # see a\nd: *${name}\n`;
  const document = { a: { b: 1 }, c: { b: 1 }, d: { b: 1 } };
  const own = text.replace(`c: *${name}`, "c:\n  b: 2");
  expect(yamlText({ text, document }, { ...document, c: { b: 2 } })).toBe(own);
});

test("any written document is read back equal", () => {
  const value = fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 });
  fc.assert(
    fc.property(value, value, (from, to) => {
      const [before, after]: unknown[] = [from, to].map((it) => JSON.parse(JSON.stringify(it)));
      fc.pre(!/"(?:__proto__|<<|)":|-0/.test(JSON.stringify([before, after])));
      const text = freshYaml(before);
      expect(YAML_FORMAT.parse(text)).toEqual({ ok: true, value: before });
      expect(YAML_FORMAT.parse(yamlText({ text, document: before }, after))).toEqual({ ok: true, value: after });
    }),
    { numRuns: 300 },
  );
});
