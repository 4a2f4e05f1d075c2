import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { patient } from "../../../lib/testing/patience.ts";
import { blocksOfDocument } from "./read-blocks.ts";
import { BOX_MEASURES } from "./testing/box-measures.ts";
import { ITEM_MEASURES } from "./testing/item-measures.ts";
import { type PageMeasure, pagesRead } from "./testing/page-sources.ts";
import { TAGGED_DOCUMENTS, TAGGED_PAGES } from "./testing/tag-snippets.ts";
import { htmlOf, plainTextOf } from "./write.ts";

// A busy machine is slow.
setDefaultTimeout(patient(30_000));

// With UPDATE_GOLDEN=1, writes the current pages to the files, for review in the diff.
const IS_UPDATE = process.env["UPDATE_GOLDEN"] === "1";

/** The pages that are read while a measure grows, each with its first value. */
async function changesOf(measure: PageMeasure): Promise<string[]> {
  const found: string[] = [];
  let before = "";
  for (const value of measure.values) {
    const page = (await pagesRead(measure, value)).replace(/a{20,}/g, "a…");
    if (page !== before) found.push(`${Math.round(value * 100) / 100}: ${page}`);
    before = page;
  }
  return found;
}

async function changes(measures: readonly PageMeasure[]): Promise<string[]> {
  const found = await Promise.all(
    measures.map(async (measure) => [`# ${measure.name}`, ...(await changesOf(measure)), ""]),
  );
  return found.flat();
}

function tagged(): string[] {
  return [...TAGGED_PAGES.map((page) => [page]), ...TAGGED_DOCUMENTS].map((pages) => {
    const { blocks, title } = blocksOfDocument(pages, () => false);
    return `${htmlOf(blocks)} ‖ ${plainTextOf(blocks)} ‖ ${title}`.replaceAll("\n", "⏎");
  });
}

test.each<[what: string, name: string, read: () => Promise<string[]>]>([
  ["items of text", "items.txt", () => changes(ITEM_MEASURES)],
  ["links and fields", "boxes.txt", () => changes(BOX_MEASURES)],
  ["pages with tags", "tags.txt", async () => tagged()],
])("%s are read as in the last reviewed version", async (_what, name, read) => {
  const lines = await read();
  const path = join(import.meta.dir, "testdata", name);
  if (IS_UPDATE) await Bun.write(path, lines.join("\n"));
  expect(lines.join("\n")).toBe(await Bun.file(path).text());
});
