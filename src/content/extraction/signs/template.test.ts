import { expect, test } from "bun:test";
import { type Survey } from "./survey.ts";
import { templateOf } from "./template.ts";

type Tag = readonly [name: string, attribs?: Readonly<Record<string, string>>];

function templateAt(path: string, ...tags: readonly Tag[]): string {
  const elements = tags.map(([name, attribs = {}]) => ({ name, attribs }));
  // No other part of a survey is read.
  return templateOf({
    code: { unknown: [], inline: [] },
    source: { finalUrl: `https://a.test${path}` },
    elements,
  } as unknown as Survey);
}

test.each<[what: string, one: string, other: string]>([
  ["elements of HTML", templateAt("/", ["p"], ["div"]), templateAt("/", ["section"])],
  ["attributes of HTML", templateAt("/", ["p", { class: "a" }]), templateAt("/", ["p", { id: "b" }])],
  [
    "data in directives",
    templateAt("/", ["p", { "x-data": "f(1, 'a')" }]),
    templateAt("/", ["p", { "x-data": "f(2, 'b')" }]),
  ],
  ["names and numbers in paths", templateAt("/blog/2026/a"), templateAt("/blog/2025/b")],
])("pages that differ in %s have one template", (_what, one, other) => {
  expect(one).toBe(other);
});

test.each<[what: string, one: string, other: string]>([
  ["custom elements", templateAt("/", ["my-list"]), templateAt("/", ["my-table"])],
  ["directives", templateAt("/", ["p", { "x-data": "f(1)" }]), templateAt("/", ["p", { "x-data": "g(1)" }])],
  ["folders", templateAt("/blog/a"), templateAt("/shop/a")],
  ["kinds of files", templateAt("/a.html"), templateAt("/a.php")],
])("pages that differ in %s have two templates", (_what, one, other) => {
  expect(one).not.toBe(other);
});
