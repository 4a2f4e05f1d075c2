import { expect, test } from "bun:test";
import { JSONC_FORMAT } from "../../../config/formats/jsonc.ts";
import { YAML_FORMAT } from "../../../config/formats/yaml.ts";
import { jsonText } from "./json-text.ts";
import { yamlText } from "./yaml-text.ts";

const CASES: readonly (readonly [format: string, text: string, next: unknown, edited: string])[] = [
  ["jsonc", '{"a":[]}', { a: [1] }, '{"a":[1]}'],
  ["jsonc", '{"a":[1]}', { a: [] }, '{"a":[]}'],
  ["jsonc", '{"a":[1]}', { a: [1, 2] }, '{"a":[1,2]}'],
  ["jsonc", '{"a":[1,2]}', { a: [2] }, '{"a":[2]}'],
  ["jsonc", '{"a":[1,2]}', { a: [1] }, '{"a":[1]}'],
  ["jsonc", '{"a":[1, 2, 3]}', { a: [3, 1] }, '{"a":[3,1]}'],
  ["jsonc", '{"a":[1, 2]}', { a: [0, 1, 2] }, '{"a":[0,1, 2]}'],
  ["jsonc", '{"a":[1,2,]}', { a: [1, 2, 3] }, '{"a":[1,2,3,]}'],
  ["jsonc", '{"a":[1,2,]}', { a: [1] }, '{"a":[1,]}'],
  ["jsonc", '{"a":1}', { b: 2 }, '{"b":2}'],
  ["jsonc", '{"a":1}', {}, "{}"],
  ["jsonc", '{ "a": 1, "b": 2 }', { b: 2, c: { d: [] } }, '{ "b": 2, "c": { "d": [] } }'],
  ["jsonc", '{\n  "a": 1 // one\n}\n', { a: 2 }, '{\n  "a": 2 // one\n}\n'],
  ["jsonc", '{\n  "a": 1 // one\n}\n', { a: 1, b: 2 }, '{\n  "a": 1, // one\n  "b": 2\n}\n'],
  ["jsonc", '{\n  "a": 1, // one\n  "b": 2 // two\n}\n', { a: 1 }, '{\n  "a": 1, // one\n}\n'],
  ["jsonc", '{\n  "a": 1, // one\n  "b": 2 // two\n}\n', { b: 2 }, '{\n  "b": 2 // two\n}\n'],
  ["jsonc", '{\n  // first\n  "a": 1,\n\n  // second\n  "b": 2\n}\n', { b: 2 }, '{\n\n  // second\n  "b": 2\n}\n'],
  [
    "jsonc",
    '{\n  // first\n  "a": 1,\n\n  // second\n  "b": 2\n}\n',
    { a: 1, c: 3 },
    '{\n  // first\n  "a": 1,\n  "c": 3\n\n}\n',
  ],
  ["jsonc", '{\n  "a": [\n    // none yet\n  ]\n}\n', { a: [1] }, '{\n  "a": [\n    // none yet\n    1\n  ]\n}\n'],
  ["jsonc", '{\n  "a": [ /* none */ ]\n}\n', { a: [1] }, '{\n  "a": [ /* none */  1]\n}\n'],
  ["jsonc", '{\n  "a": [ /* none */ ]\n}\n', { a: { b: 1 } }, '{\n  "a": {\n    "b": 1\n  }\n}\n'],
  ["jsonc", "{\n  // nothing\n}\n", { a: 1 }, '{\n  // nothing\n  "a": 1\n}\n'],
  ["jsonc", '// head\n{ "a": 1 }\n', { a: 1, b: 2 }, '// head\n{ "a": 1, "b": 2 }\n'],
  ["jsonc", '{\n  "a": [\n    1\n  ]\n}\n', { a: [0, 1] }, '{\n  "a": [\n    0,\n    1\n  ]\n}\n'],
  ["jsonc", '{\n  "a": [\n    1\n  ]\n}\n', { a: [] }, '{\n  "a": []\n}\n'],
  ["jsonc", '{\n  "a": [\n    // one\n    1\n  ]\n}\n', { a: [] }, '{\n  "a": []\n}\n'],
  ["jsonc", '{\n  "a": [\n    {"n": 1}, {"n": 2}\n  ]\n}\n', { a: [{ n: 2 }] }, '{\n  "a": [\n    {"n": 2}\n  ]\n}\n'],
  [
    "jsonc",
    '{\r\n\t"a": 1\r\n}\r\n',
    { a: 1, b: { c: 2 } },
    '{\r\n\t"a": 1,\r\n\t"b": {\r\n\t\t"c": 2\r\n\t}\r\n}\r\n',
  ],
  ["jsonc", '{\n  "a": { "name": "x", "v": 1 } /* x */, "b": 2\n}\n', { b: 2 }, '{\n  "b": 2\n}\n'],
  ["jsonc", "[1]", [1, 2], "[1, 2]"],
  ["jsonc", "{}", { a: 1 }, '{\n  "a": 1\n}'],
  ["jsonc", "{}\n", { a: 1 }, '{\n  "a": 1\n}\n'],
  ["jsonc", "1", { a: 1 }, '{ "a": 1 }'],
  ["yaml", "a: 1\n", { a: 2 }, "a: 2\n"],
  ["yaml", "a: 1\n", { a: 1, b: 2 }, "a: 1\nb: 2\n"],
  ["yaml", "a: 1\nb: 2\n", { b: 2 }, "b: 2\n"],
  ["yaml", "a: 1\nb: 2\n", { a: 1 }, "a: 1\n"],
  ["yaml", "a: 1 # one\nb: 2 # two\n", { b: 3 }, "b: 3 # two\n"],
  ["yaml", "# head\n\n# one\na: 1\n# two\nb: 2\n", { a: 1 }, "# head\n\n# one\na: 1\n"],
  ["yaml", "a: 1\n", { b: 2 }, "b: 2\n"],
  ["yaml", "- name: a\n- name: b\n", [{ name: "c" }, { name: "b" }], "- name: c\n- name: b\n"],
  ["yaml", "a: [{name: a}, {name: b}]\n", { a: [{ name: "c" }, { name: "b" }] }, "a: [ { name: c }, {name: b}]\n"],
  ["yaml", "a:\n  - 1\n  - 2\n", { a: [2] }, "a:\n  - 2\n"],
  ["yaml", "a:\n  - 1\n  - 2\n", { a: [1, 3, 2] }, "a:\n  - 1\n  - 3\n  - 2\n"],
  ["yaml", "a:\n  - 1\n  - 2\n", { a: [0, 1, 2] }, "a:\n  - 0\n  - 1\n  - 2\n"],
  ["yaml", "a:\n  - 1\n", { a: [] }, "a: []\n"],
  ["yaml", "a:\n  # one\n  - 1\n", { a: [] }, "a: []\n"],
  ["yaml", "a:\n  b: 1\n", { a: {} }, "a: {}\n"],
  ["yaml", "a:\n  b: 1\n", { a: { c: [1] } }, "a:\n  c:\n    - 1\n"],
  ["yaml", "a:\n  b: 1\n", { a: "text" }, "a: text\n"],
  ["yaml", "a:\n", { a: 1 }, "a: 1\n"],
  ["yaml", "a: &x\n  b: 1\n", { a: { b: 2 } }, "a: &x\n  b: 2\n"],
  ["yaml", "a: [1, 2]\n", { a: [2] }, "a: [ 2]\n"],
  ["yaml", "a: [1, 2]\n", { a: [1, 2, 3] }, "a: [1, 2, 3]\n"],
  ["yaml", "a: {b: 1}\n", { a: { b: 1, c: "true" } }, 'a: {b: 1, c: "true"}\n'],
  ["yaml", "a: {}\n", { a: { b: 1 } }, "a:\n  b: 1\n"],
  ["yaml", "a: []\n", { a: [{ b: 1 }] }, "a:\n  - b: 1\n"],
  [
    "yaml",
    "- a: 1\n  b: 2\n- a: 3\n",
    [{ a: 1, b: 2, c: { d: 1 } }, { a: 3 }],
    "- a: 1\n  b: 2\n  c:\n    d: 1\n- a: 3\n",
  ],
  ["yaml", "- a: 1\n  b: 2\n- a: 3\n", [{ a: 3 }], "- a: 3\n"],
  ["yaml", "- # first\n  a: 1\n- a: 3\n", [{ a: 2 }, { a: 3 }], "- # first\n  a: 2\n- a: 3\n"],
  ["yaml", "a: 1\r\nb: 2\r\n", { a: 1, b: { c: [1] } }, "a: 1\r\nb:\r\n  c:\r\n    - 1\r\n"],
  ["yaml", "a: |\n  text\nb: 2\n", { a: "other", b: 2 }, "a: other\nb: 2\n"],
  ["yaml", "a: 1", { a: 1, b: "#x" }, 'a: 1\nb: "#x"'],
  ["yaml", "? a\n: 1\n", { a: 2 }, "? a\n: 2\n"],
];

test.each(CASES)("%s %j with %j is %j", (format, text, next, edited) => {
  const parsed = (format === "yaml" ? YAML_FORMAT : JSONC_FORMAT).parse(text);
  if (!parsed.ok) throw new Error(parsed.error);
  const written = { text, document: parsed.value };
  expect(format === "yaml" ? yamlText(written, next) : jsonText(written, next, false)).toBe(edited);
});
