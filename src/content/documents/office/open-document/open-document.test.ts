import { expect, test } from "bun:test";
import { makeZip } from "../../testing/make-zip.ts";
import { failureOf, readBytes } from "../../testing/read-bytes.ts";

const NAMES = "office text table style meta presentation manifest".split(" ");
const OASIS = "urn:oasis:names:tc:opendocument:xmlns:";
const MAIN =
  NAMES.map((name) => `xmlns:${name}="${OASIS}${name}:1.0"`).join(" ") +
  ` xmlns:draw="${OASIS}drawing:1.0" xmlns:fo="${OASIS}xsl-fo-compatible:1.0" xmlns:svg="${OASIS}svg-compatible:1.0"` +
  ` xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"`;

/** A file of this kind, with the content of its body. */
function makeOpen(
  kind: "text" | "spreadsheet" | "presentation",
  body: string,
  styles = "",
  parts: Record<string, string> = {},
): Uint8Array {
  return makeZip({
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    "content.xml": `<office:document-content ${MAIN}><office:automatic-styles>${styles}</office:automatic-styles>
      <office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    "meta.xml": `<office:document-meta ${MAIN}><office:meta><dc:title>Of tolls</dc:title><dc:creator>Ann</dc:creator></office:meta></office:document-meta>`,
    ...parts,
  });
}

test("a text has headings, marks, links, notes, comments and pictures", async () => {
  const styles = `<style:style style:name="B" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>
    <style:style style:name="H" style:family="text"><style:text-properties text:display="none"/></style:style>`;
  const body = `<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>
    <text:h text:outline-level="2">Part</text:h>
    <text:p>One <text:span text:style-name="B">bold</text:span><text:span text:style-name="H"> hidden</text:span>
      <text:a xlink:href="https://a.test/">link</text:a><text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Below.</text:p></text:note-body></text:note><office:annotation><dc:creator>Bob</dc:creator><text:p>Why?</text:p></office:annotation></text:p>
    <text:p><draw:frame><draw:image xlink:href="Pictures/1.png"/><svg:desc>A road</svg:desc></draw:frame></text:p>
    <text:p><draw:frame><draw:text-box><text:p>In a box</text:p></draw:text-box></draw:frame></text:p>`;
  const { markdown, title, about } = await readBytes(makeOpen("text", body, styles));
  expect(markdown()).toBe(
    [
      "## Part",
      String.raw`One **bold** [link](https://a.test/)[\[1\]](#note-1)`,
      "![A road](1.png)",
      "In a box",
      "---",
      "1. Below.",
      "---",
      "## Comments",
      "- **Bob**\n\n  Why?",
    ].join("\n\n"),
  );
  expect([title, about]).toEqual(["Of tolls", { byline: "Ann" }]);
});

const item = (content: string): string => `<text:list-item>${content}</text:list-item>`;

test("lists are numbered by the style of their level", async () => {
  const styles = `<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1" text:start-value="3"/>
    <text:list-level-style-bullet text:level="2"/></text:list-style>`;
  const inner = `<text:list>${item("<text:p>a</text:p>")}</text:list>`;
  const body = `<text:list text:style-name="L">${item(`<text:p>three</text:p>${inner}`)}${item("<text:p>four</text:p>")}</text:list>`;
  expect((await readBytes(makeOpen("text", body, styles))).markdown()).toBe("3. three\n   - a\n4. four");
});

const cell = (text: string, attributes = ""): string =>
  `<table:table-cell ${attributes}><text:p>${text}</text:p></table:table-cell>`;

test("tables in a text have spans, and covered cells are left out", async () => {
  const body = `<table:table><table:table-header-rows><table:table-row>${cell("Wide", 'table:number-columns-spanned="2"')}<table:covered-table-cell/></table:table-row></table:table-header-rows>
    <table:table-row>${cell("Tall", 'table:number-rows-spanned="2"')}${cell("x")}</table:table-row>
    <table:table-row><table:covered-table-cell/>${cell("y")}</table:table-row></table:table>`;
  expect((await readBytes(makeOpen("text", body))).markdown()).toBe(
    "| Wide |  |\n| --- | --- |\n| Tall | x |\n| Tall | y |",
  );
});

const value = (type: string, attribute: string, shown: string): string =>
  `<table:table-cell office:value-type="${type}" ${attribute}><text:p>${shown}</text:p></table:table-cell>`;

test("comments on cells of a spreadsheet follow the cells", async () => {
  const comment =
    "<office:annotation><dc:creator>Ann</dc:creator><text:p>Why?</text:p><text:p>So.</text:p></office:annotation>";
  const body = `<table:table table:name="Tolls"><table:table-row table:number-rows-repeated="2"><table:table-cell/></table:table-row>
    <table:table-row><table:table-cell table:number-columns-repeated="27"/><table:table-cell>${comment}<text:p>x</text:p></table:table-cell></table:table-row></table:table>`;
  expect((await readBytes(makeOpen("spreadsheet", body))).markdown()).toBe(
    "## Tolls\n\n| x |\n| --- |\n\n### Comments\n\n| Cell | Author | Comment |\n| --- | --- | --- |\n| AB3 | Ann | Why?<br>So. |",
  );
});

test("a spreadsheet has values, dates, repeated cells and no hidden sheets", async () => {
  const styles = `<style:style style:name="h" style:family="table"><style:table-properties table:display="false"/></style:style>`;
  const body = `<table:table table:name="Tolls"><table:table-column table:number-columns-repeated="16384"/>
    <table:table-row>${value("string", "", "Day")}${value("string", "", "Toll")}</table:table-row>
    <table:table-row>${value("date", 'office:date-value="2026-01-02T00:00:00"', "2. Jan")}${value("float", 'office:value="1234.5"', "1.234,50")}</table:table-row>
    <table:table-row>${value("boolean", 'office:boolean-value="true"', "WAHR")}${value("percentage", 'office:value="0.5"', "50 %")}</table:table-row>
    <table:table-row><table:table-cell table:number-columns-repeated="2" office:value-type="string"><text:p>x</text:p></table:table-cell></table:table-row>
    <table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>
    <table:table table:name="Secret" table:style-name="h"><table:table-row>${value("string", "", "no")}</table:table-row></table:table>`;
  expect((await readBytes(makeOpen("spreadsheet", body, styles))).markdown()).toBe(
    "## Tolls\n\n| Day | Toll |\n| --- | --- |\n| 2026-01-02 | 1234.5 |\n| TRUE | 50 % |\n| x | x |\n\nHidden sheets are left out: Secret.",
  );
});

const frame = (kind: string, text: string): string =>
  `<draw:frame presentation:class="${kind}"><draw:text-box>${text}</draw:text-box></draw:frame>`;

test("a presentation has its slides with titles, lists and notes", async () => {
  const body = `<draw:page>${frame("title", "<text:p>Tolls</text:p>")}${frame("outline", "<text:list><text:list-item><text:p>one</text:p></text:list-item></text:list>")}
    <presentation:notes>${frame("notes", "<text:p>Say hello</text:p>")}</presentation:notes></draw:page>
    <draw:page>${frame("title", "<text:p>Second</text:p>")}<office:annotation><dc:creator>Bob</dc:creator><text:p>Why?</text:p></office:annotation></draw:page>`;
  expect((await readBytes(makeOpen("presentation", body))).markdown()).toBe(
    "## Tolls\n\n- one\n\n### Notes\n\nSay hello\n\n---\n\n## Second\n\n### Comments\n\n- **Bob**\n\n  Why?",
  );
});

const row = (...texts: string[]): string =>
  `<table:table-row>${texts.map((text) => value("string", "", text)).join("")}</table:table-row>`;

test("header rows of a sheet are its own, also if it has no columns or name", async () => {
  const header = (text: string) => `<table:table-header-rows>${row(text)}</table:table-header-rows>`;
  const group = `<table:table-row-group>${header("Toll")}<table:table-rows>${row("3")}</table:table-rows></table:table-row-group>`;
  const body = `<table:table table:name="Roads">${header("Road")}${row("A1")}</table:table><table:table>${group}</table:table>`;
  expect((await readBytes(makeOpen("spreadsheet", body))).markdown()).toBe(
    "## Roads\n\n| Road |\n| --- |\n| A1 |\n\n## Sheet\n\n| Toll |\n| --- |\n| 3 |",
  );
});

test("a table on a slide is read, and not its picture", async () => {
  const table = `<table:table>${row("Road", "Toll")}${row("A1", "3")}</table:table>`;
  const body = `<draw:page><draw:frame>${table}<draw:image xlink:href="Pictures/table.svm"/></draw:frame></draw:page>`;
  expect((await readBytes(makeOpen("presentation", body))).markdown()).toBe(
    "| Road | Toll |\n| --- | --- |\n| A1 | 3 |",
  );
});

test("an encrypted file asks for its password", async () => {
  const manifest = `<manifest:manifest ${MAIN}><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>`;
  expect(await failureOf(makeOpen("text", "", "", { "META-INF/manifest.xml": manifest }))).toBe(
    "it requires a password",
  );
});

test("lines of code are one block, and headings are not slanted", async () => {
  const styles = `<style:style style:name="C" style:family="paragraph"><style:text-properties style:font-name="Courier New"/></style:style>
    <style:style style:name="S" style:family="paragraph"><style:text-properties fo:font-style="italic"/></style:style>`;
  const body =
    '<text:h text:outline-level="1" text:style-name="S">Part</text:h><text:p text:style-name="C">one</text:p><text:p text:style-name="C">two</text:p>';
  const { markdown } = await readBytes(makeOpen("text", body, styles));
  expect(markdown()).toBe("# Part\n\n```\none\ntwo\n```");
});

/** A flat file of this kind. */
function makeFlat(kind: string, body: string, styles = ""): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
    <office:document ${MAIN} office:mimetype="application/vnd.oasis.opendocument.${kind}">
      <office:meta><dc:title>Of tolls</dc:title></office:meta><office:styles>${styles}</office:styles>
      <office:body><office:${kind}>${body}</office:${kind}></office:body></office:document>`;
}

test("flat files are read as those in zip files are", async () => {
  const bold = `<style:style style:name="B" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>`;
  const image = `<draw:frame><draw:image><office:binary-data>${"QUJD".repeat(100)}</office:binary-data></draw:image></draw:frame>`;
  const text = `<text:p>One <text:span text:style-name="B">toll</text:span>${image}</text:p>`;
  const found = await readBytes(makeFlat("text", text, bold));
  expect([found.title, found.markdown()]).toEqual(["Of tolls", "One **toll**"]);
  const chart = `<draw:object><office:document><table:table table:name="local-table"><table:table-row>${cell("chart")}</table:table-row></table:table></office:document></draw:object>`;
  const rows = `<table:table-row>${cell("a")}</table:table-row><table:table-row>${cell(`b${chart}`)}</table:table-row>`;
  const sheet = makeFlat("spreadsheet", `<table:table table:name="Tolls">${rows}</table:table>`);
  expect((await readBytes(sheet)).markdown()).toBe("## Tolls\n\n| a |\n| --- |\n| b |");
  const slides = makeFlat("presentation", `<draw:page>${frame("title", "<text:p>Tolls</text:p>")}</draw:page>`);
  expect((await readBytes(slides)).markdown()).toBe("## Tolls");
  expect(await failureOf(makeFlat("graphics", "<draw:page/>"))).toBe(
    "it is an OpenDocument file of a kind that is not supported",
  );
});
