import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { patient } from "../../lib/testing/patience.ts";
import { type NumberFormat, cellFormats, formatOf, shownNumber } from "./office/number-formats.ts";
import { readXml } from "./office/read-xml.ts";
import { makeDocx } from "./testing/make-zip.ts";
import { OPEN_SNIPPETS, OPEN_STYLES } from "./testing/open-snippets.ts";
import { readBytes } from "./testing/read-bytes.ts";
import { RTF_SNIPPETS } from "./testing/rtf-snippets.ts";
import { CALC_SNIPPETS, CALC_STYLES, EXCEL_SNIPPETS, IMPRESS_SNIPPETS, makeSheet } from "./testing/sheet-snippets.ts";
import { makeSlides, SLIDE_SNIPPETS } from "./testing/slide-snippets.ts";
import { WORD_PARTS, WORD_SNIPPETS } from "./testing/word-snippets.ts";

// A busy machine is slow.
setDefaultTimeout(patient(30_000));

// With UPDATE_GOLDEN=1, writes what is read now to the files, for review in the diff.
const IS_UPDATE = process.env["UPDATE_GOLDEN"] === "1";

const OASIS = "urn:oasis:names:tc:opendocument:xmlns:";
const OPEN_NAMES = [
  ...["office", "text", "table", "style", "presentation"].map((name) => `xmlns:${name}="${OASIS}${name}:1.0"`),
  `xmlns:draw="${OASIS}drawing:1.0" xmlns:fo="${OASIS}xsl-fo-compatible:1.0" xmlns:svg="${OASIS}svg-compatible:1.0"`,
  'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"',
].join(" ");

const openFile = (kind: string, styles: string) => (body: string) =>
  `<office:document ${OPEN_NAMES} office:mimetype="application/vnd.oasis.opendocument.${kind}"><office:styles>${styles}</office:styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document>`;

/** The HTML and the Markdown of a file in one line, and its title, author and completeness. */
async function readingOf(bytes: Uint8Array | string): Promise<string> {
  const { title, about, isPartial, html, markdown } = await readBytes(bytes);
  const more =
    title === "" && about === undefined && isPartial !== true ? "" : ` ${JSON.stringify({ title, about, isPartial })}`;
  return `${html()} ‖ ${markdown()}${more}`.replaceAll("\n", "⏎");
}

/** The texts of numbers in all formats that files do not spell out, and in some others. */
async function numbers(): Promise<string[]> {
  const ids = Array.from({ length: 60 }, (_none, id) => `<xf numFmtId="${id}"/>`).join("");
  const sheet = `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cellXfs>${ids}<xf/></cellXfs></styleSheet>`;
  const codes = [
    "General",
    "0.00%",
    "0%;-0.0%",
    "d/m/yy",
    "mmm",
    "mm",
    "h:mm",
    "[h]:mm:ss",
    "[mm]:ss",
    "[Red]0",
    '"d"0',
    "\\d0",
    "_d0",
    "*d0",
    "yyyy h",
    "[$-407]d",
  ];
  const formats: [name: string, format: NumberFormat][] = [
    ...cellFormats(await readXml([Buffer.from(sheet)])).map((format, at): [string, NumberFormat] => [`${at}`, format]),
    ...codes.map((code): [string, NumberFormat] => [code, formatOf(code)]),
  ];
  const values = [
    "0",
    "0.25",
    "0.999999",
    "1",
    "59",
    "60",
    "61",
    "1.5",
    "45000.75",
    "2958465.99",
    "2958466",
    "-1",
    "x",
    " ",
    "0.1234567890123456",
    "1e21",
  ];
  return formats.map(([name, format]) =>
    [
      `${name}:`,
      ...values.map((value) => `${shownNumber(value, format, false)} ${shownNumber(value, format, true)}`),
    ].join(" | "),
  );
}

const each = async <T>(snippets: readonly T[], read: (snippet: T) => Uint8Array | string): Promise<string[]> =>
  await Promise.all(snippets.map(async (snippet) => await readingOf(read(snippet))));

test.each<[what: string, name: string, read: () => Promise<string[]>]>([
  ["RTF", "rtf.txt", () => each(RTF_SNIPPETS, (body) => `{\\rtf1\\ansi\\ansicpg1252\\uc1 ${body}}`)],
  ["OpenDocument", "open-document.txt", () => each(OPEN_SNIPPETS, openFile("text", OPEN_STYLES))],
  ["Word", "word.txt", () => each(WORD_SNIPPETS, (body) => makeDocx(body, WORD_PARTS))],
  ["PowerPoint", "slides.txt", () => each(SLIDE_SNIPPETS, makeSlides)],
  ["Excel", "sheets.txt", () => each(EXCEL_SNIPPETS, makeSheet)],
  ["Calc", "calc.txt", () => each(CALC_SNIPPETS, openFile("spreadsheet", CALC_STYLES))],
  ["Impress", "impress.txt", () => each(IMPRESS_SNIPPETS, openFile("presentation", CALC_STYLES))],
  ["numbers of Excel", "numbers.txt", numbers],
])("texts of %s are read as in the last reviewed version", async (_what, name, read) => {
  const lines = await read();
  const path = join(import.meta.dir, "testdata", name);
  if (IS_UPDATE) await Bun.write(path, lines.join("\n\n"));
  expect(lines.join("\n\n")).toBe(await Bun.file(path).text());
});
