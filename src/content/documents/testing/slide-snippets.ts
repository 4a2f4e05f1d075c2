import { makeZip, officeParts, relationships } from "./make-zip.ts";

const MAIN =
  `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ` +
  `xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" ` +
  `xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"`;

const run = (text: string, attributes = "", inner = ""): string =>
  `<a:r><a:rPr ${attributes}>${inner}</a:rPr><a:t>${text}</a:t></a:r>`;
const p = (content: string, properties = ""): string => `<a:p>${properties}${content}</a:p>`;
const line = (text: string, attributes = "", inner = ""): string =>
  p(run(text), `<a:pPr ${attributes}>${inner}</a:pPr>`);
const names = (placeholder: string, attributes = ""): string =>
  `<p:nvSpPr><p:cNvPr ${attributes}/><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr>`;
const shape = (type: string, lines: string, attributes = ""): string =>
  `<p:sp>${names(type === "" ? "" : `<p:ph type="${type}"/>`, attributes)}<p:txBody>${lines}</p:txBody></p:sp>`;
const cell = (text: string, attributes = ""): string => `<a:tc ${attributes}><a:txBody>${line(text)}</a:txBody></a:tc>`;
const table = (...rows: readonly string[]): string =>
  `<p:graphicFrame><a:graphic><a:graphicData><a:tbl>${rows.map((cells) => `<a:tr>${cells}</a:tr>`).join("")}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;
const picture = (attributes: string, id = "i"): string =>
  `<p:pic><p:nvPicPr><p:cNvPr ${attributes}/></p:nvPicPr><p:blipFill><a:blip r:embed="${id}"/></p:blipFill></p:pic>`;
const NUMBER = '<a:buAutoNum type="arabicPeriod"/>';
const from = (start: string): string => `<a:buAutoNum startAt="${start}"/>`;
const BULLET = '<a:buChar char="•"/>';

/** The shapes of slides. */
export const SLIDE_SNIPPETS: readonly string[] = [
  ...["title", "ctrTitle", "subTitle", "body", "obj", "dt", "ftr", "sldNum", "hdr", ""].map((type) =>
    shape(type, line("a") + line("b")),
  ),
  `<p:sp>${names("<p:ph/>")}<p:txBody>${line("a")}${line("b")}</p:txBody></p:sp>`,
  shape("body", line("a")),
  shape("body", line("a")) + shape("title", line("t") + line("") + line("u")) + shape("title", ""),
  shape("body", line("a") + line("b", 'lvl="1"') + line("c", 'lvl="2"') + line("d") + line("e", 'lvl="9"')),
  shape("body", line("a", 'lvl="x"') + line("b", 'lvl="-1"') + line("c", 'lvl="1.5"')),
  shape("body", line("a", "", "<a:buNone/>") + line("b") + line("c", "", "<a:buNone/>")),
  shape("", line("a", "", BULLET) + line("b", "", "<a:buBlip/>") + line("c")),
  shape("", line("a", "", NUMBER) + line("b", "", NUMBER) + line("c", 'lvl="1"', NUMBER) + line("d", "", NUMBER)),
  shape(
    "",
    line("a", "", NUMBER) + line("b", 'lvl="1"', NUMBER) + line("c", "", NUMBER) + line("d", 'lvl="1"', NUMBER),
  ),
  shape("", line("a", "", from("5")) + line("b", "", from("5")) + line("c") + line("d", "", from("5"))),
  shape("", line("a", "", from("0")) + line("b", "", from("x"))),
  shape("", line("a", "", NUMBER) + line("b", "", BULLET) + line("c", "", NUMBER)),
  shape("", line(" ") + line("a") + p("")),
  shape("", line("a"), 'hidden="1"') + shape("", line("b"), 'hidden="true"') + shape("", line("c"), 'hidden="0"'),
  ...[
    'b="1"',
    'b="true"',
    'b="0"',
    'i="1"',
    'strike="sngStrike"',
    'strike="noStrike"',
    'baseline="30000"',
    'baseline="-25000"',
    'baseline="0"',
  ].map((look) => shape("", p(run("a") + run("b", look) + run("c")))),
  shape("", p(`${run("a")}<a:br/>${run("b")}<a:fld><a:t>c</a:t></a:fld><a:endParaRPr/>`)),
  shape(
    "",
    p(
      run("a", "", '<a:hlinkClick r:id="l"/>') +
        run("b", "", '<a:hlinkClick r:id="s"/>') +
        run("c", "", '<a:hlinkClick r:id="x"/>'),
    ),
  ),
  shape(
    "",
    p(
      `<mc:AlternateContent><mc:Choice><m:oMath><m:r><m:t>x</m:t></m:r><m:r><m:t>2</m:t></m:r></m:oMath></mc:Choice></mc:AlternateContent>`,
    ),
  ),
  `<p:grpSp>${shape("", line("a"))}<p:grpSp>${shape("body", line("b") + line("c"))}</p:grpSp></p:grpSp><p:other>${shape("", line("d"))}</p:other>`,
  `<mc:AlternateContent><mc:Choice>${shape("", line("a"))}</mc:Choice><mc:Fallback>${shape("", line("b"))}</mc:Fallback></mc:AlternateContent><mc:AlternateContent><mc:Fallback>${shape("", line("c"))}</mc:Fallback></mc:AlternateContent>`,
  table(cell("a") + cell("b"), cell("c") + cell("d")),
  table(cell("a", 'gridSpan="2"') + cell("x", 'hMerge="1"'), cell("c") + cell("d")),
  table(cell("a", 'rowSpan="2"') + cell("b"), cell("x", 'vMerge="true"') + cell("d"), cell("e") + cell("f")),
  table(cell("a", 'gridSpan="2"') + cell("x", 'hMerge="true"'), cell("c", 'vMerge="1"') + cell("d", 'vMerge="0"')),
  table(),
  "<p:graphicFrame><a:graphic/></p:graphicFrame><p:graphicFrame/>",
  picture('descr="A" title="B"') + picture('title="B"') + picture("") + picture('descr=""') + picture('descr="A"', "x"),
];

const slide = (shapes: string, attributes = ""): string =>
  `<p:sld ${MAIN} ${attributes}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`;

/** A presentation with these shapes on a slide, notes to it, a hidden slide, and another slide. */
export function makeSlides(shapes: string): Uint8Array {
  const ids = ["a", "x", "b", "c", "d"].map((id) => `<p:sldId r:id="${id}"/>`).join("");
  const notes = `<p:notes ${MAIN}><p:cSld><p:spTree>${shape("sldImg", line("n"))}${shape("body", line("said") + line("more"))}</p:spTree></p:cSld></p:notes>`;
  return makeZip({
    ...officeParts("ppt"),
    "ppt/presentation.xml": `<p:presentation ${MAIN}><p:sldIdLst>${ids}</p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": relationships({
      a: ["slide", "slides/a.xml"],
      b: ["slide", "slides/b.xml"],
      c: ["slide", "https://a.test/c.xml", "External"],
      d: ["slide", "slides/d.xml"],
    }),
    "ppt/slides/a.xml": slide(shapes),
    "ppt/slides/b.xml": slide(shape("", line("hidden")), 'show="0"'),
    "ppt/slides/d.xml": slide("", 'show="1"'),
    "ppt/slides/_rels/a.xml.rels": relationships({
      n: ["notesSlide", "../notesSlides/n.xml"],
      l: ["hyperlink", "https://a.test/", "External"],
      s: ["slide", "d.xml"],
      i: ["image", "../media/a.png"],
    }),
    "ppt/notesSlides/n.xml": notes,
  });
}
