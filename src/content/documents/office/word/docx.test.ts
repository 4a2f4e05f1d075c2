import { expect, test } from "bun:test";
import { makeDocx, relationships, wordPart } from "../../testing/make-zip.ts";
import { readBytes } from "../../testing/read-bytes.ts";

async function markdown(body: string, parts: Record<string, string> = {}): Promise<string> {
  return (await readBytes(makeDocx(body, parts))).markdown();
}

const run = (text: string, properties = ""): string =>
  `<w:r>${properties === "" ? "" : `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraph = (text: string, properties = ""): string => `<w:p><w:pPr>${properties}</w:pPr>${run(text)}</w:p>`;

const STYLES = {
  "word/_rels/document.xml.rels": relationships({
    s: ["styles", "styles.xml"],
    n: ["numbering", "numbering.xml"],
    f: ["footnotes", "footnotes.xml"],
    e: ["endnotes", "endnotes.xml"],
    c: ["comments", "comments.xml"],
    i: ["image", "media/image1.png"],
    l: ["hyperlink", "https://a.test/x", "External"],
    j: ["hyperlink", "javascript:alert(1)", "External"],
  }),
  "word/styles.xml": wordPart(
    "styles",
    `<w:style w:styleId="T1"><w:name w:val="heading 1"/></w:style>
     <w:style w:styleId="T2"><w:basedOn w:val="T3"/><w:name w:val="Mine"/></w:style>
     <w:style w:styleId="T3"><w:name w:val="Base"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
     <w:style w:styleId="Strong"><w:name w:val="Strong"/><w:rPr><w:b/></w:rPr></w:style>
     <w:style w:styleId="Loop"><w:name w:val="Loop"/><w:basedOn w:val="Loop"/></w:style>`,
  ),
  "word/numbering.xml": wordPart(
    "numbering",
    `<w:abstractNum w:abstractNumId="0">
       <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
       <w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>
     <w:abstractNum w:abstractNumId="1">
       <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1"/></w:lvl>
       <w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/></w:lvl></w:abstractNum>
     <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>`,
  ),
  "word/footnotes.xml": wordPart("footnotes", `<w:footnote w:id="2">${paragraph("Below the page.")}</w:footnote>`),
  "word/endnotes.xml": wordPart("endnotes", `<w:endnote w:id="3">${paragraph("At the end.")}</w:endnote>`),
  "word/comments.xml": wordPart(
    "comments",
    `<w:comment w:id="4" w:author="Ann">${paragraph("Is this right?")}</w:comment>`,
  ),
} as const;

const listed = (text: string, level: number, id = 1): string =>
  paragraph(text, `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${id}"/></w:numPr>`);

test("headings are those of styles, of their bases, and of outline levels, with their numbers", async () => {
  const numbered = (style: string, level: number, text: string): string =>
    paragraph(text, `<w:pStyle w:val="${style}"/><w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="2"/></w:numPr>`);
  const body = [
    numbered("T1", 0, "First"),
    numbered("T2", 1, "Part"),
    paragraph("Third", '<w:outlineLvl w:val="2"/>'),
    paragraph("Text", '<w:pStyle w:val="Loop"/>'),
  ].join("");
  expect(await markdown(body, STYLES)).toBe("# 1 First\n\n## 1.1 Part\n\n### Third\n\nText");
});

test("lists are nested, numbered, and go on after a paragraph", async () => {
  const body = [
    listed("one", 0),
    listed("a", 1),
    listed("b", 1),
    listed("two", 0),
    paragraph("Between"),
    listed("three", 0),
  ];
  expect(await markdown(body.join(""), STYLES)).toBe("1. one\n   - a\n   - b\n2. two\n\nBetween\n\n3. three");
});

test("runs have their marks, and neighbours with the same marks are one", async () => {
  const body = `<w:p>${run("wo", "<w:b/>")}${run("rd", "<w:b/>")}${run(" slanted", "<w:i/>")}${run(" gone", "<w:strike/>")}
    ${run(" plain", '<w:b w:val="0"/>')}${run("x", '<w:vertAlign w:val="superscript"/>')}
    ${run(" styled", '<w:rStyle w:val="Strong"/>')}${run(" code", '<w:rFonts w:ascii="Courier New"/>')}</w:p>`;
  expect(await markdown(body, STYLES)).toBe("**word** *slanted* ~~gone~~ plain<sup>x</sup> **styled** `code`");
});

test("hidden text, deleted and moved text, instructions of fields and fallbacks are left out", async () => {
  const body = `<w:p>${run("seen")}${run(" hidden", "<w:vanish/>")}<w:del>${run(" deleted")}</w:del>
    <w:moveFrom>${run(" moved")}</w:moveFrom><w:ins>${run(" added")}</w:ins>
    <w:r><w:fldChar w:fldCharType="begin"/><w:instrText>PAGE</w:instrText><w:fldChar w:fldCharType="separate"/></w:r>
    ${run(" 7")}<w:r><w:fldChar w:fldCharType="end"/></w:r>
    <w:r><mc:AlternateContent><mc:Choice><w:t> chosen</w:t></mc:Choice><mc:Fallback><w:t> fallback</w:t></mc:Fallback></mc:AlternateContent></w:r></w:p>
    <w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc>${paragraph("row")}</w:tc></w:tr></w:tbl>`;
  expect(await markdown(body)).toBe("seen added 7 chosen");
});

test("links are those of relationships and fields, and only to pages", async () => {
  const field = `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPERLINK "https://b.test/" </w:instrText></w:r>
    <w:r><w:fldChar w:fldCharType="separate"/></w:r>${run("two")}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;
  const body = `<w:p><w:hyperlink r:id="l">${run("one")}</w:hyperlink>${run(" ")}${field}${run(" ")}
    <w:hyperlink r:id="j">${run("three")}</w:hyperlink>${run(" ")}<w:hyperlink w:anchor="x">${run("four")}</w:hyperlink></w:p>`;
  const content = await readBytes(makeDocx(body, STYLES));
  expect(content.markdown()).toBe("[one](https://a.test/x) [two](https://b.test/) three four");
  expect(content.links()).toEqual([
    { url: "https://a.test/x", text: "one" },
    { url: "https://b.test/", text: "two" },
  ]);
});

test("notes are numbered through, and comments stand apart", async () => {
  const body = `<w:p>${run("Claim")}<w:r><w:footnoteReference w:id="2"/></w:r>${run(" and more")}
    <w:r><w:endnoteReference w:id="3"/></w:r><w:r><w:commentReference w:id="4"/></w:r></w:p>`;
  expect(await markdown(body, STYLES)).toBe(
    [
      String.raw`Claim[\[1\]](#note-1) and more[\[2\]](#note-2)`,
      "---",
      "1. Below the page.\n2. At the end.",
      "---",
      "## Comments",
      "- **Ann**\n\n  Is this right?",
    ].join("\n\n"),
  );
});

const cell = (text: string, properties = ""): string => `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph(text)}</w:tc>`;

test("tables have their merged cells, and layouts of one cell are paragraphs", async () => {
  const body = `<w:tbl>
    <w:tr>${cell("Name")}${cell("Both", '<w:gridSpan w:val="2"/>')}</w:tr>
    <w:tr>${cell("tall", '<w:vMerge w:val="restart"/>')}${cell("a")}${cell("b")}</w:tr>
    <w:tr>${cell("not shown", "<w:vMerge/>")}${cell("c|d")}${cell("e")}</w:tr></w:tbl>
    <w:tbl><w:tr>${cell("only")}</w:tr></w:tbl>`;
  expect(await markdown(body)).toBe(
    "| Name | Both | Both |\n| --- | --- | --- |\n| tall | a | b |\n| tall | c\\|d | e |\n\nonly",
  );
});

test("pictures have their alternative texts, text boxes follow their paragraph, and formulas are TeX", async () => {
  const picture = `<w:r><w:drawing><wp:inline><wp:docPr id="1" descr="A road"/><a:graphic><a:blip r:embed="i"/></a:graphic></wp:inline></w:drawing></w:r>`;
  const boxed = `<w:r><w:pict><w:txbxContent>${paragraph("In a box")}</w:txbxContent></w:pict></w:r>`;
  const formula = `<m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath>`;
  expect(await markdown(`<w:p>${picture}${boxed}${formula}</w:p>`, STYLES)).toBe(
    "![A road](image1.png)$\\frac{a}{2}$\n\nIn a box",
  );
});

const box = (text: string): string => `<v:shape><w:txbxContent>${paragraph(text)}</w:txbxContent></v:shape>`;

test("all text boxes of a group are read, each once", async () => {
  const both = `<mc:AlternateContent><mc:Choice>${box("new")}</mc:Choice><mc:Fallback>${box("old")}</mc:Fallback></mc:AlternateContent>`;
  const group = `<w:p><w:r><w:pict><v:group>${box("one")}<v:group>${box("two")}${both}</v:group></v:group></w:pict></w:r></w:p>`;
  expect(await markdown(group)).toBe("one\n\ntwo\n\nnew");
});

test("a large first letter belongs to its paragraph", async () => {
  const letter = `<w:p><w:pPr><w:framePr w:dropCap="drop" w:lines="3"/></w:pPr>${run("T")}</w:p>`;
  expect(await markdown(letter + paragraph("olls are due."))).toBe("Tolls are due.");
});

test.each([
  ["<m:m><m:mr>E(a)E(b)</m:mr><m:mr>E(c)E(d)</m:mr></m:m>", "\\begin{matrix}a & b \\\\ c & d\\end{matrix}"],
  ["<m:eqArr>E(a)E(b)</m:eqArr>", "\\begin{aligned}a \\\\ b\\end{aligned}"],
  ['<m:acc><m:accPr><m:chr m:val="\u0303"/></m:accPr>E(a)</m:acc>', "\\tilde{a}"],
  ['<m:bar><m:barPr><m:pos m:val="top"/></m:barPr>E(a)</m:bar>', "\\overline{a}"],
  ["<m:sSup>E(a)<m:sup>R(2)</m:sup></m:sSup>", "{a}^{2}"],
  ["<m:sSub>E(a)<m:sub>R(i)</m:sub></m:sSub>", "{a}_{i}"],
  ["<m:sSubSup>E(a)<m:sub>R(i)</m:sub><m:sup>R(2)</m:sup></m:sSubSup>", "{a}_{i}^{2}"],
  ["<m:rad><m:deg/>E(a)</m:rad>", "\\sqrt{a}"],
  ["<m:rad><m:deg>R(3)</m:deg>E(a)</m:rad>", "\\sqrt[3]{a}"],
  ["<m:nary><m:sub>R(0)</m:sub><m:sup>R(1)</m:sup>E(x)</m:nary>", "∫_{0}^{1}x"],
  ['<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>R(i)</m:sub>E(x)</m:nary>', "∑_{i}^{}x"],
  ["<m:d>E(a)E(b)</m:d>", "(a, b)"],
  ['<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr>E(a)</m:d>', "[a]"],
  ["<m:func><m:fName>R(sin)</m:fName>E(a)</m:func>", "sin a"],
  ["<m:limLow>E(lim)<m:lim>R(n)</m:lim></m:limLow>", "lim_{n}"],
  ["<m:limUpp>E(a)<m:lim>R(n)</m:lim></m:limUpp>", "a^{n}"],
  ["<m:sPre><m:sub>R(1)</m:sub><m:sup>R(2)</m:sup>E(H)</m:sPre>", "{}_{1}^{2}H"],
])("the formula %s is %s", async (short, tex) => {
  const runs = short.replace(/E\((\w+)\)/g, "<m:e>R($1)</m:e>").replace(/R\((\w+)\)/g, "<m:r><m:t>$1</m:t></m:r>");
  expect(await markdown(`<w:p><m:oMath>${runs}</m:oMath></w:p>`)).toBe(`$${tex}$`);
});

const code = (text: string): string => `<w:p>${run(text, '<w:rFonts w:ascii="Consolas"/>')}</w:p>`;

test("lines of code are one block", async () => {
  expect(await markdown(code("if (a) {") + code("  b();") + code("}"))).toBe("```\nif (a) {\n  b();\n}\n```");
});

test("the core properties are the title, the author, the date and the language", async () => {
  const core = `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"
    xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>Of tolls</dc:title><dc:creator>Ann</dc:creator><dc:language>en</dc:language>
    <dcterms:modified>2026-01-02T03:04:05Z</dcterms:modified></cp:coreProperties>`;
  const { title, about } = await readBytes(makeDocx(paragraph("x"), { "docProps/core.xml": core }));
  expect(title).toBe("Of tolls");
  expect(about).toEqual({ byline: "Ann", published: "2026-01-02T03:04:05Z", language: "en" });
});

test("strict files and files with other prefixes are read", async () => {
  const strict = `<ns0:document xmlns:ns0="http://purl.oclc.org/ooxml/wordprocessingml/main"><ns0:body><ns0:p><ns0:r><ns0:t>text</ns0:t></ns0:r></ns0:p></ns0:body></ns0:document>`;
  expect(await markdown("", { "word/document.xml": strict })).toBe("text");
});

test("an item with a blank bullet continues the one above it", async () => {
  const numbering = wordPart(
    "numbering",
    `<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>
     <w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val=" "/></w:lvl></w:abstractNum>
     <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>`,
  );
  const body = listed("One", 0) + listed("more", 0, 2) + listed("Two", 0);
  expect(await markdown(body, { ...STYLES, "word/numbering.xml": numbering })).toBe("1. One\n\n   more\n\n2. Two");
});

test("coloured code is one block", async () => {
  const font = '<w:rFonts w:ascii="Consolas"/>';
  const coloured = `<w:p>${run("def", `${font}<w:b/>`)}${run(" ")}${run("f(x):", font)}<w:r><w:br/></w:r>${run("  x", font)}</w:p>`;
  expect(await markdown(coloured)).toBe("```\ndef f(x):\n  x\n```");
});

test("headings are not slanted", async () => {
  const styles = wordPart(
    "styles",
    '<w:style w:styleId="T"><w:name w:val="heading 2"/><w:rPr><w:i/></w:rPr></w:style>',
  );
  const body = paragraph("Part", '<w:pStyle w:val="T"/>');
  expect(await markdown(body, { ...STYLES, "word/styles.xml": styles })).toBe("## Part");
});
