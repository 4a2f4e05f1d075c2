import { expect, test } from "bun:test";
import { type ExtractionTask } from "./tree/extraction.ts";
import { extract } from "./extract.ts";

/** Characters of a text that code with quadratic time cannot read before the test's timeout. */
const LENGTH = 600_000;

const SCHEMA = { type: "object", properties: { name: { type: "string" }, price: { type: "number" } } };
const TASKS: readonly ExtractionTask[] = [
  { kind: "article" },
  { kind: "markdown", forms: { names: ["summary"], attributes: [], include: [], exclude: [] } },
  { kind: "text" },
  { kind: "index" },
  { kind: "schema", schema: SCHEMA, withText: true },
];

const run = (unit: string): string => unit.repeat(LENGTH / unit.length);

test.each([
  ["tabs before text", `<p>${run("\t")}x</p>`],
  ["spaces before a tab", `<p>a${run(" ")}x\tb</p>`],
  ["tabs in a date", `<time datetime="${run("\t")}x">${run("\t")}x</time>`],
  ["sentences of one initial", `<p>${run("A. ")}</p>`],
  ["digits in a style", `<p style="opacity:${run("0")}x;text-indent:${run("0")}_">a</p>`],
  ["white space in a style", `<p style="opacity:calc(${run("\t")}_;display:${run("\t")}_">a</p>`],
  [
    "functions that are open in a style",
    `<p style="filter:${run("blur(")}">a</p><p style="filter:${run("opacity(")}">a</p>`,
  ],
  ["white space in an import of a style sheet", `<style>@import url(${run("\t")}_;</style>`],
  ["white space in a colour", `<p style="color:light-dark(${run("\t")}_)">a</p>`],
  ["white space in a style sheet", `<style>@media all${run("\t")}x{p{display:none}}</style>`],
])("%s are read in every form", (_name, hostile) => {
  const paragraph = `<p>${"The council of Brennick rebuilds the bridge over the river Orlo. ".repeat(5)}</p>`;
  const body = `<!doctype html><title>The bridge</title><main><h1>The bridge</h1>${paragraph}${hostile}${paragraph}</main>`;
  const source = {
    engine: "static",
    body,
    contentType: "text/html; charset=utf-8",
    finalUrl: "https://a.test/x",
    statusCode: 200,
    headers: [],
    complete: true,
  } as const;
  for (const task of TASKS) {
    expect(extract({ source, task, mayNeedBrowser: false }).outcome).toBe("content");
  }
});
