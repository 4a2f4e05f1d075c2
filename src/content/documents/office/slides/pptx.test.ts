import { expect, test } from "bun:test";
import { chartPart } from "../../testing/chart-part.ts";
import { makeZip, officeParts, relationships } from "../../testing/make-zip.ts";
import { readBytes } from "../../testing/read-bytes.ts";

const MAIN =
  `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ` +
  `xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"`;

const line = (text: string, properties = ""): string => `<a:p>${properties}<a:r><a:t>${text}</a:t></a:r></a:p>`;

function shape(type: string | undefined, ...lines: string[]): string {
  const placeholder = type === undefined ? "" : `<p:ph type="${type}"/>`;
  return `<p:sp><p:nvSpPr><p:cNvPr id="1" name="x"/><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:txBody>${lines.join("")}</p:txBody></p:sp>`;
}

const slide = (shapes: string, attributes = ""): string =>
  `<p:sld ${MAIN} ${attributes}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`;

async function markdown(slides: readonly string[], parts: Record<string, string> = {}): Promise<string> {
  const named = slides.map((_slide, at) => [`r${at}`, ["slide", `slides/slide${at}.xml`]] as const);
  // The list has the slides in their order, whatever their names.
  const ids = named.map(([id], at) => `<p:sldId id="${256 + at}" r:id="${id}"/>`).join("");
  const file = makeZip({
    ...officeParts("ppt"),
    "ppt/presentation.xml": `<p:presentation ${MAIN}><p:sldIdLst>${ids}</p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": relationships(Object.fromEntries(named)),
    ...Object.fromEntries(slides.map((content, at) => [`ppt/slides/slide${at}.xml`, content])),
    ...parts,
  });
  return (await readBytes(file)).markdown();
}

test("slides come in order, with their titles, nested bullets and notes, without page numbers", async () => {
  const first = slide(
    shape("body", line("one"), line("deep", '<a:pPr lvl="1"/>'), line("two")) +
      shape("title", line("Tolls")) +
      shape("sldNum", line("1")),
  );
  const notes = `<p:notes ${MAIN}><p:cSld><p:spTree>${shape("sldImg")}${shape("body", line("Say hello"))}</p:spTree></p:cSld></p:notes>`;
  const parts = {
    "ppt/slides/_rels/slide0.xml.rels": relationships({ n: ["notesSlide", "../notesSlides/notesSlide1.xml"] }),
    "ppt/notesSlides/notesSlide1.xml": notes,
  };
  expect(await markdown([first, slide(shape("ctrTitle", line("Second")))], parts)).toBe(
    "## Tolls\n\n- one\n  - deep\n- two\n\n### Notes\n\nSay hello\n\n---\n\n## Second",
  );
});

test("numbered paragraphs, marks, links, pictures, groups and diagrams are read", async () => {
  const shapes = `${shape(undefined, line("a", "<a:pPr><a:buAutoNum/></a:pPr>"), line("b", "<a:pPr><a:buAutoNum/></a:pPr>"))}
    <p:grpSp>${shape(undefined, `<a:p><a:r><a:rPr b="1"/><a:t>bold</a:t></a:r><a:r><a:t> </a:t></a:r><a:r><a:rPr><a:hlinkClick r:id="l"/></a:rPr><a:t>link</a:t></a:r></a:p>`)}</p:grpSp>
    <p:pic><p:nvPicPr><p:cNvPr descr="A map"/></p:nvPicPr><p:blipFill><a:blip r:embed="i"/></p:blipFill></p:pic>
    <p:graphicFrame><a:graphic><a:graphicData><dgm:relIds r:dm="d"/></a:graphicData></a:graphic></p:graphicFrame>`;
  const parts = {
    "ppt/slides/_rels/slide0.xml.rels": relationships({
      l: ["hyperlink", "https://a.test/", "External"],
      i: ["image", "../media/map.png"],
      d: ["diagramData", "../diagrams/data1.xml"],
    }),
    "ppt/diagrams/data1.xml": `<dgm:dataModel ${MAIN}><dgm:ptLst><dgm:pt><dgm:t>${line("Step")}</dgm:t></dgm:pt><dgm:pt/></dgm:ptLst></dgm:dataModel>`,
  };
  expect(await markdown([slide(shapes)], parts)).toBe(
    "1. a\n2. b\n\n**bold** [link](https://a.test/)\n\n![A map](map.png)\n\n- Step",
  );
});

test("tables have merged cells, and hidden slides are counted", async () => {
  const cell = (text: string, attributes = ""): string =>
    `<a:tc ${attributes}><a:txBody>${line(text)}</a:txBody></a:tc>`;
  const table = `<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr>${cell("Wide", 'gridSpan="2"')}${cell("no", 'hMerge="1"')}</a:tr>
    <a:tr>${cell("Tall", 'rowSpan="2"')}${cell("x")}</a:tr><a:tr>${cell("no", 'vMerge="1"')}${cell("y")}</a:tr><a:tr>${cell("Low")}${cell("z")}</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;
  expect(await markdown([slide(table), slide(shape("title", line("Secret")), 'show="0"')])).toBe(
    "| Wide |  |\n| --- | --- |\n| Tall | x |\n| Tall | y |\n| Low | z |\n\nHidden slides are left out: 1.",
  );
});

test("a chart is a table of its values", async () => {
  const chart =
    '<p:graphicFrame><a:graphic><a:graphicData><c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="c"/></a:graphicData></a:graphic></p:graphicFrame>';
  const parts = {
    "ppt/slides/_rels/slide0.xml.rels": relationships({ c: ["chart", "../charts/chart1.xml"] }),
    "ppt/charts/chart1.xml": chartPart("Tolls", [{ name: "Cars", labels: ["East"], values: [3] }]),
  };
  expect(await markdown([slide(shape("title", line("Roads")) + chart)], parts)).toBe(
    "## Roads\n\nTolls\n\n|  | Cars |\n| --- | --- |\n| East | 3 |",
  );
});

test("comments of both forms follow the notes of their slide", async () => {
  const newer = "http://schemas.microsoft.com/office/powerpoint/2018/8/main";
  const body = (text: string): string => `<c:txBody>${line(text)}</c:txBody>`;
  const parts = {
    "ppt/slides/_rels/slide0.xml.rels": relationships({ c: ["comments", "../comments/c0.xml"] }),
    "ppt/slides/_rels/slide1.xml.rels": relationships({ c: ["comments", "../comments/c1.xml"] }),
    "ppt/_rels/presentation.xml.rels": relationships({
      r0: ["slide", "slides/slide0.xml"],
      r1: ["slide", "slides/slide1.xml"],
      a: ["commentAuthors", "commentAuthors.xml"],
      b: ["authors", "authors.xml"],
    }),
    "ppt/commentAuthors.xml": `<p:cmAuthorLst ${MAIN}><p:cmAuthor id="0" name="Ann"/></p:cmAuthorLst>`,
    "ppt/authors.xml": `<c:authorLst xmlns:c="${newer}"><c:author id="{B}" name="Bob"/></c:authorLst>`,
    "ppt/comments/c0.xml": `<p:cmLst ${MAIN}><p:cm authorId="0"><p:text>Why?</p:text></p:cm></p:cmLst>`,
    "ppt/comments/c1.xml": `<c:cmLst xmlns:c="${newer}" ${MAIN}><c:cm authorId="{B}"><c:replyLst><c:reply authorId="0">${body("So.")}</c:reply></c:replyLst>${body("Why?")}</c:cm></c:cmLst>`,
  };
  expect(await markdown([slide(shape("title", line("One"))), slide(shape("title", line("Two")))], parts)).toBe(
    "## One\n\n### Comments\n\n- **Ann**\n\n  Why?\n\n---\n\n## Two\n\n### Comments\n\n- **Bob**\n\n  Why?\n\n- **Ann**\n\n  So.",
  );
});
