import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { blocksOfDocument } from "./read-blocks.ts";
import { type PdfPage } from "./shapes.ts";
import { patient } from "../../../lib/testing/patience.ts";
import { COLUMN_MEASURES, PAGE_MEASURES } from "./testing/column-measures.ts";
import { type Measure, mirrored } from "./testing/drawings.ts";
import { LIST_MEASURES, TABLE_MEASURES } from "./testing/table-measures.ts";
import { HEADING_MEASURES, TEXT_MEASURES } from "./testing/text-measures.ts";
import { htmlOf } from "./write.ts";

// A busy machine is slow.
setDefaultTimeout(patient(30_000));

// With UPDATE_GOLDEN=1, writes the current layouts to the files, for review in the diff.
const IS_UPDATE = process.env["UPDATE_GOLDEN"] === "1";

const MEASURES = [
  ...TEXT_MEASURES,
  ...HEADING_MEASURES,
  ...COLUMN_MEASURES,
  ...LIST_MEASURES,
  ...TABLE_MEASURES,
  ...PAGE_MEASURES,
];

/** The layout of pages in one line. Of words of one letter, only that is left. */
function layoutOf(pages: readonly PdfPage[]): string {
  const { blocks, title } = blocksOfDocument(pages, () => false);
  const html = htmlOf(blocks).replaceAll("\n", "⏎");
  const short = html.replace(/(?<![\p{L}\d<&/])(\p{L})(?:\1| (?=\1))+/giu, "$1");
  return title === "" ? short : `${short} [${title.slice(0, 20)}]`;
}

/** The layouts that a page has while a measure grows, each with the first and the last value that leads to it. */
function layoutsOf({ from, to, step, pages }: Measure, turned: (read: readonly PdfPage[]) => readonly PdfPage[]) {
  const found: { first: number; last: number; layout: string }[] = [];
  for (let at = 0; from + at * step <= to + step / 2; at += 1) {
    const value = Math.round((from + at * step) * 100) / 100;
    const layout = layoutOf(turned(pages(value)));
    const before = found.at(-1);
    if (before?.layout === layout) before.last = value;
    else found.push({ first: value, last: value, layout });
  }
  return found.map(({ first, last, layout }) => `${first}–${last}: ${layout}`);
}

test.each([
  ["left to right", (pages: readonly PdfPage[]) => pages, "layouts.txt"],
  ["right to left", mirrored, "layouts-rtl.txt"],
] as const)(
  "a page from %s changes its layout where it did in the last reviewed version",
  async (_what, turned, name) => {
    const lines = MEASURES.flatMap((measure) => [`# ${measure.name}`, ...layoutsOf(measure, turned), ""]);
    const path = join(import.meta.dir, "testdata", name);
    if (IS_UPDATE) await Bun.write(path, lines.join("\n"));
    expect(lines.join("\n")).toBe(await Bun.file(path).text());
  },
);
