import { makeZip, officeParts, relationships } from "./make-zip.ts";

const MAIN = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`;

const row = (cells: string, attributes = ""): string => `<row ${attributes}>${cells}</row>`;
const cell = (value: string, attributes = ""): string => `<c ${attributes}><v>${value}</v></c>`;
const text = (value: string): string => `<c t="inlineStr"><is><t>${value}</t></is></c>`;

/** The rows of sheets of Excel, and the parts of a sheet after its rows. */
export const EXCEL_SNIPPETS: readonly (readonly [rows: string, after?: string])[] = [
  [row(text("a") + text("b")) + row(text("c") + text("d"))],
  [row(cell("1")) + row("") + row(cell("2"))],
  [row(cell("a", 't="str"') + cell("0", 't="s"') + cell("1", 't="s"') + cell("9", 't="s"') + cell("x", 't="s"'))],
  [
    row(
      cell("1", 't="b"') + cell("0", 't="b"') + cell("", 't="b"') + cell("#N/A", 't="e"') + cell("2026-01-02", 't="d"'),
    ),
  ],
  [row(`<c t="inlineStr"/><c/><c t="n"><v/></c>${cell("5")}`)],
  [row(cell("45000", 's="1"') + cell("45000", 's="0"') + cell("45000", 's="9"') + cell("0.5", 's="2"'))],
  [
    row(cell("1", 'r="B2"') + cell("2") + cell("3", 'r="E2"'), 'r="2"') +
      row(cell("4", 'r="A4"'), 'r="4"') +
      row(cell("5")),
  ],
  [
    row(cell("1", 'r="Z1"') + cell("2", 'r="AA1"') + cell("3") + cell("4", 'r="AD1"')) +
      row(cell("5", 'r="AB2"') + cell("6", 'r="x"')),
  ],
  [
    row(
      Array.from({ length: 30 }, (_none, at) =>
        cell(`${at}`, `r="${at < 26 ? "" : "A"}${String.fromCharCode(65 + (at % 26))}1"`),
      ).join(""),
    ),
  ],
  [row(cell("1"), 'r="5"') + row(cell("2"), 'r="3"') + row(cell("3"), 'r="x"') + row(cell("4"), 'r="1.5"')],
  [row(text("a|b") + text(" c ") + text("d&#10;e"))],
  [
    row(cell("1", 'r="A1"') + cell("2", 'r="B1"') + cell("3", 'r="C1"') + cell("4", 'r="D1"')),
    '<hyperlinks><hyperlink ref="A1" r:id="l"/><hyperlink ref="B1:C1" r:id="l"/><hyperlink ref="C1" r:id="s"/><hyperlink ref="D1" r:id="x"/><hyperlink ref="x" r:id="l"/><hyperlink r:id="l"/></hyperlinks>',
  ],
  [""],
];

/** A workbook with these rows, hidden sheets, and a sheet without a part. */
export function makeSheet([rows, after = ""]: readonly [string, string?]): Uint8Array {
  return makeZip({
    ...officeParts("xl"),
    "xl/workbook.xml": `<workbook ${MAIN}><sheets><sheet name="Tolls" r:id="r1"/><sheet name="Secret" state="hidden" r:id="r1"/><sheet name="Gone" r:id="r2"/><sheet name="Other" r:id="s"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relationships({
      r1: ["worksheet", "worksheets/sheet1.xml"],
      r2: ["worksheet", "worksheets/sheet2.xml"],
      s: ["sharedStrings", "sharedStrings.xml"],
      t: ["styles", "styles.xml"],
    }),
    "xl/worksheets/sheet1.xml": `<worksheet ${MAIN}><sheetData>${rows}</sheetData>${after}</worksheet>`,
    "xl/worksheets/_rels/sheet1.xml.rels": relationships({
      l: ["hyperlink", "https://a.test/", "External"],
      s: ["hyperlink", "https://a.test/inside"],
    }),
    "xl/sharedStrings.xml": `<sst ${MAIN}><si><t>shared</t></si><si><r><t>rich</t></r><r><t> text</t></r></si></sst>`,
    "xl/styles.xml": `<styleSheet ${MAIN}><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="9"/></cellXfs></styleSheet>`,
  });
}

const open = (content: string, attributes = ""): string =>
  `<table:table-cell ${attributes}>${content === "" ? "" : `<text:p>${content}</text:p>`}</table:table-cell>`;
const openRow = (cells: string, attributes = ""): string => `<table:table-row ${attributes}>${cells}</table:table-row>`;
const sheet = (rows: string, attributes = 'table:name="Tolls"'): string =>
  `<table:table ${attributes}>${rows}</table:table>`;
const typed = (type: string, value: string, shown: string): string =>
  open(shown, `office:value-type="${type}" ${value}`);

/** Bodies of spreadsheets of OpenDocument. */
export const CALC_SNIPPETS: readonly string[] = [
  sheet(openRow(open("a") + open("b")) + openRow(open("c") + open("d"))),
  sheet(
    openRow(
      typed("float", 'office:value="1.5"', "1,50") +
        typed("float", "", "2,50") +
        typed("boolean", 'office:boolean-value="true"', "WAHR") +
        typed("boolean", "", "falsch") +
        typed("date", 'office:date-value="2026-01-02T00:00:00.00"', "x") +
        typed("date", 'office:date-value="2026-01-02T03:04:05"', "x") +
        typed("date", "", "2. Jan") +
        typed("string", 'office:string-value="y"', "z"),
    ),
  ),
  sheet(openRow(open("a<text:span>b</text:span></text:p><text:p>c") + open("|"))),
  sheet(
    openRow(open("a", 'table:number-columns-repeated="3"') + open("b")) +
      openRow(open("c", 'table:number-columns-repeated="x"') + open("d")),
  ),
  sheet(openRow(open("a"), 'table:number-rows-repeated="3"') + openRow(open("b"), 'table:number-rows-repeated="0"')),
  sheet(
    openRow(open("a") + open("", 'table:number-columns-repeated="5"') + open("b")) +
      openRow(open(""), 'table:number-rows-repeated="4"') +
      openRow(open("") + open("c")),
  ),
  sheet(
    openRow(
      `${open("a")}<table:covered-table-cell><text:p>no</text:p></table:covered-table-cell><table:other/>${open("b")}`,
    ),
  ),
  sheet(
    openRow(
      open('<text:a xlink:href="https://a.test/">a</text:a>') + open('<text:a xlink:href="#x">b</text:a>') + open("c"),
    ),
  ),
  sheet(
    `<table:table-column/><table:table-header-rows>${openRow(open("a") + open("b"))}</table:table-header-rows><table:table-row-group><table:table-rows>${openRow(open("c") + open("d"))}</table:table-rows></table:table-row-group>`,
  ),
  sheet(openRow(open("a"))) + sheet(openRow(open("b")), 'table:name="Two"') + sheet(""),
  sheet(openRow(open("a")), 'table:name="Hid" table:style-name="hid"') +
    sheet(openRow(open("b")), 'table:name="Shown" table:style-name="shown"'),
  sheet(openRow(open("a")), 'table:name="local-table"') + sheet(openRow(open("b")), ""),
  sheet(
    openRow(
      `<table:table-cell><office:annotation><dc:creator>Ann</dc:creator><text:p>one</text:p><text:p>two</text:p></office:annotation><text:p>a</text:p></table:table-cell>`,
    ) +
      openRow(
        `${open("b")}<table:table-cell><office:annotation><text:p>three</text:p></office:annotation></table:table-cell>`,
      ),
  ),
];

/** Styles of sheets and of slides. */
export const CALC_STYLES = `<style:style style:name="hid" style:family="table"><style:table-properties table:display="false"/></style:style><style:style style:name="shown" style:family="table"><style:table-properties table:display="true"/></style:style><style:style style:name="off" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>`;

const frame = (kind: string, texts: string): string =>
  `<draw:frame presentation:class="${kind}"><draw:text-box>${texts}</draw:text-box></draw:frame>`;
const p = (own: string): string => `<text:p>${own}</text:p>`;
const page = (content: string, attributes = ""): string => `<draw:page ${attributes}>${content}</draw:page>`;

/** Bodies of presentations of OpenDocument. */
export const IMPRESS_SNIPPETS: readonly string[] = [
  page(frame("title", p("a") + p("b")) + frame("outline", p("c"))),
  page(frame("outline", p("a")) + frame("title", p("b")) + frame("title", "")),
  ...["date-time", "footer", "header", "page-number", "subtitle", "notes"].map((kind) =>
    page(frame(kind, p("a")) + frame("outline", p("b"))),
  ),
  page(frame("title", p("a"))) + page("") + page(frame("title", p("b"))),
  page(frame("title", p("a")), 'draw:style-name="off"') + page(frame("title", p("b")), 'draw:style-name="off"'),
  page(
    `${frame("title", p("a"))}<presentation:notes>${frame("notes", p("b"))}${frame("page", p("c"))}</presentation:notes>`,
  ),
  page(
    `<office:annotation><dc:creator>Ann</dc:creator>${p("a")}</office:annotation>${frame("outline", p("b"))}<text:p>c</text:p>`,
  ),
  page(
    frame(
      "outline",
      p("a<text:note><text:note-body><text:p>b</text:p></text:note-body></text:note>") +
        p("c<office:annotation><text:p>d</text:p></office:annotation>"),
    ),
  ),
  `<text:p>a</text:p>${page(frame("outline", p("b")))}`,
];
