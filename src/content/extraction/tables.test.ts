import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { type FieldValue, type TableShape } from "./tree/extraction.ts";
import { Extractor } from "../extractor/extractor.ts";
import { patient } from "../../lib/testing/patience.ts";

// A worker on a busy machine can be slow.
setDefaultTimeout(patient(30_000));

const extractor = new Extractor();
afterAll(() => extractor.close());

const TABLES: Readonly<Record<string, TableShape>> = {
  results: { row: ".result:has(a)", columns: { title: "a", url: "a@href", id: "@id", all: "" } },
  form: { row: "form input", columns: { name: "@name" } },
};

async function read(html: string): Promise<Readonly<Record<string, FieldValue>> | undefined> {
  const source = {
    engine: "static",
    body: html,
    contentType: "text/html",
    finalUrl: "https://a.test/",
    statusCode: 200,
    headers: [],
    complete: true,
  } as const;
  const outcome = await extractor.extract({ source, task: { kind: "tables", tables: TABLES }, mayNeedBrowser: false });
  return outcome.outcome === "content" ? outcome.extraction.fields : undefined;
}

test("reads rows as columns of the same length, with empty strings for missing cells", async () => {
  const html = `<div class="result" id="one"><p><a href="/1">First <b>one</b></a> and more</p></div>
    <div class="result"><a>Second</a></div><div class="result">no link</div>`;
  expect(await read(html)).toEqual({
    "results.title": ["First one", "Second"],
    "results.url": ["/1", ""],
    "results.id": ["one", ""],
    "results.all": ["First one and more", "Second"],
    "form.name": [],
  });
});

test("accepts a page without content, and an empty page", async () => {
  for (const html of ["", "<html></html>", "\u0000<<<"]) {
    expect((await read(html))?.["results.title"]).toEqual([]);
  }
});

test("reads a hundred rows, and the beginning of an endless cell", async () => {
  const fields = await read(
    `<div class=result><a>${"x".repeat(50_000)}</a></div>${"<div class=result><a>y</a></div>".repeat(500)}`,
  );
  const titles = [fields?.["results.title"] ?? []].flat();
  expect([titles.length, titles[0]?.length]).toEqual([100, 20_000]);
});

test.each([
  ["rows in one another", "<div class=result><a>".repeat(4_000)],
  ["rows without what they need", "<div class=result>".repeat(5_000)],
  ["attributes", `<div class=result ${Array.from({ length: 5_000 }, (_, n) => `a${n}`).join(" ")}><a>x</a>`],
  ["names of prototypes", `<form><input name="__proto__"><input name="constructor"></form>`],
])("ends on a page of %s", async (_, html) => {
  const fields = await read(html);
  expect(Array.isArray(fields?.["results.title"])).toBe(true);
});
