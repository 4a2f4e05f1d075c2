import { expect, test } from "bun:test";
import { chartPart } from "../../testing/chart-part.ts";
import { makeZip, officeParts, relationships } from "../../testing/make-zip.ts";
import { readBytes } from "../../testing/read-bytes.ts";

const MAIN = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`;

/** A workbook with one sheet, whose rows are given, and further parts. */
function makeXlsx(
  rows: string,
  more: { after?: string; sheets?: string; parts?: Record<string, string> } = {},
): Uint8Array {
  const { after = "", sheets = "", parts = {} } = more;
  return makeZip({
    ...officeParts("xl"),
    "xl/workbook.xml": `<workbook ${MAIN}><workbookPr date1904="0"/><sheets><sheet name="Tolls" sheetId="1" r:id="r1"/>${sheets}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relationships({
      r1: ["worksheet", "worksheets/sheet1.xml"],
      r2: ["worksheet", "/xl/worksheets/sheet2.xml"],
      s: ["sharedStrings", "sharedStrings.xml"],
      t: ["styles", "styles.xml"],
    }),
    "xl/worksheets/sheet1.xml": `<worksheet ${MAIN}><sheetData>${rows}</sheetData>${after}</worksheet>`,
    "xl/sharedStrings.xml": `<sst ${MAIN}><si><t>Road</t></si><si><r><t>A</t></r><r><t xml:space="preserve"> 1</t></r><rPh><t>reading</t></rPh></si></sst>`,
    "xl/styles.xml": `<styleSheet ${MAIN}><numFmts><numFmt numFmtId="170" formatCode="[$-407]d\\.\\ mmm\\ yyyy&quot; h&quot;"/><numFmt numFmtId="171" formatCode="0.0%"/>
      <numFmt numFmtId="172" formatCode="[h]:mm"/></numFmts>
      <cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="171"/><xf numFmtId="22"/><xf numFmtId="172"/></cellXfs></styleSheet>`,
    ...parts,
  });
}

const cells = (...values: string[]): string => `<row>${values.join("")}</row>`;

test("cells have shared, inline and formula texts, truth values and errors", async () => {
  const { markdown, text } = await readBytes(
    makeXlsx(
      cells('<c t="s"><v>0</v></c>', '<c t="inlineStr"><is><t>Toll</t></is></c>', '<c t="str"><f>A1</f><v>x</v></c>') +
        cells('<c t="s"><v>1</v></c>', "<c><f>1+2</f><v>3</v></c>", '<c t="b"><v>1</v></c>') +
        cells('<c t="e"><v>#DIV/0!</v></c>', "<c><v>0.30000000000000004</v></c>", "<c/>"),
    ),
  );
  expect(markdown()).toBe(
    "## Tolls\n\n| Road | Toll | x |\n| --- | --- | --- |\n| A 1 | 3 | TRUE |\n| #DIV/0! | 0.3 |  |",
  );
  expect(text()).toBe("Tolls\nRoad\tToll\tx\nA 1\t3\tTRUE\n#DIV/0!\t0.3");
});

test.each([
  [1, "45000", "2023-03-15"],
  [2, "45000.5", "2023-03-15"],
  [4, "45000.5", "2023-03-15 12:00"],
  [1, "59", "1900-02-28"],
  [1, "0", "0"],
  [4, "0.5", "12:00"],
  [5, "1.5", "36:00"],
  [3, "0.125", "12.5%"],
  [0, "45000", "45000"],
  [1, "-1", "-1"],
])("a number in style %p, %s, is shown as %s", async (style, value, shown) => {
  const { text } = await readBytes(makeXlsx(cells(`<c s="${style}"><v>${value}</v></c>`)));
  expect(text()).toBe(`Tolls\n${shown}`);
});

test("merged cells have their value once, links are kept, and empty rows and columns are not there", async () => {
  const rows =
    '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="D1" t="s"><v>1</v></c></row>' +
    '<row r="5"><c r="A5"><v>1</v></c><c r="D5"><v>2</v></c></row><row r="6"><c r="D6"><v>4</v></c></row>';
  const after =
    '<mergeCells><mergeCell ref="A5:B6"/></mergeCells><hyperlinks><hyperlink ref="D5" r:id="l"/><hyperlink ref="A1" r:id="f"/></hyperlinks>';
  const rels = relationships({
    l: ["hyperlink", "https://a.test/(x)|", "External"],
    f: ["hyperlink", "file:///etc/passwd", "External"],
  });
  const content = await readBytes(makeXlsx(rows, { after, parts: { "xl/worksheets/_rels/sheet1.xml.rels": rels } }));
  expect(content.markdown()).toBe(
    "## Tolls\n\n| Road | A 1 |\n| --- | --- |\n| 1 | [2](https://a.test/%28x%29%7C) |\n|  | 4 |",
  );
  expect(content.links()).toEqual([{ url: "https://a.test/(x)|", text: "2" }]);
  expect(content.html()).toContain('<td><a href="https://a.test/(x)|">2</a></td>');
});

test("hidden sheets are named and left out", async () => {
  const { markdown } = await readBytes(
    makeXlsx(cells("<c><v>1</v></c>"), { sheets: '<sheet name="Secret" sheetId="2" state="veryHidden" r:id="r2"/>' }),
  );
  expect(markdown()).toBe("## Tolls\n\n| 1 |\n| --- |\n\nHidden sheets are left out: Secret.");
});

test("a cell in the last corner does not make a table of all cells before it", async () => {
  const rows = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>';
  expect((await readBytes(makeXlsx(rows))).text()).toBe("Tolls\n1\n\t2");
});

test("columns and rows beyond the bounds are missing, and the content says so", async () => {
  const wide = `<row>${Array.from({ length: 300 }, (_none, at) => `<c><v>${at}</v></c>`).join("")}</row>`;
  const content = await readBytes(makeXlsx(wide));
  expect(content.isPartial).toBe(true);
  expect(content.text()).toContain("255\n\nRows or columns are missing, because the sheets are too large: Tolls.");
  const long = await readBytes(makeXlsx("<row><c><v>1</v></c></row>".repeat(100_100)));
  expect(long.isPartial).toBe(true);
  expect(long.text().split("\n").length).toBe(100_003);
});

const thread = (text: string) => `<threadedComment ref="A1" personId="p"><text>${text}</text></threadedComment>`;
const note = (cell: string, text: string) =>
  `<comment ref="${cell}" authorId="0"><text><r><t>${text}</t></r></text></comment>`;

test("charts and comments follow the cells, and a discussion takes the place of its note", async () => {
  const threaded = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments";
  const parts = {
    "xl/worksheets/_rels/sheet1.xml.rels": relationships({
      d: ["drawing", "../drawings/drawing1.xml"],
      n: ["comments", "../comments1.xml"],
      t: ["threadedComment", "../threadedComments/t1.xml"],
    }),
    "xl/drawings/drawing1.xml": "<x/>",
    "xl/drawings/_rels/drawing1.xml.rels": relationships({ c: ["chart", "../charts/chart1.xml"] }),
    "xl/charts/chart1.xml": chartPart("Tolls", [{ name: "Cars", labels: ["45000"], values: [3] }]),
    "xl/comments1.xml": `<comments ${MAIN}><authors><author>Bob</author></authors><commentList>${note("A1", "[Threaded comment]")}${note("B2", "Bob:\nWhy | 3?")}${note("C2", "[Threaded comment]\n\nYour version cannot.\n\nComment:\n    So.")}</commentList></comments>`,
    "xl/threadedComments/t1.xml": `<ThreadedComments xmlns="${threaded}">${thread("Ask Carl")}${thread("Done")}</ThreadedComments>`,
    "xl/persons/person.xml": `<personList xmlns="${threaded}"><person displayName="Ann" id="p"/></personList>`,
    "xl/_rels/workbook.xml.rels": relationships({
      r1: ["worksheet", "worksheets/sheet1.xml"],
      p: ["person", "persons/person.xml"],
    }),
  };
  const content = await readBytes(makeXlsx(cells("<c><v>1</v></c>"), { parts }));
  expect(content.markdown()).toBe(
    [
      "## Tolls",
      "| 1 |\n| --- |",
      "### Chart: Tolls",
      "|  | Cars |\n| --- | --- |\n| 45000 | 3 |",
      "### Comments",
      "| Cell | Author | Comment |\n| --- | --- | --- |\n| A1 | Ann | Ask Carl |\n| A1 | Ann | Done |\n| B2 | Bob | Why \\| 3? |\n| C2 | Bob | So. |",
    ].join("\n\n"),
  );
  expect(content.html()).toContain("<h3>Comments</h3>\n<table>");
});
