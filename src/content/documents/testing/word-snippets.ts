import { relationships, wordPart } from "./make-zip.ts";

const run = (text: string, properties = ""): string => `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`;
const p = (content: string, properties = ""): string => `<w:p><w:pPr>${properties}</w:pPr>${content}</w:p>`;
const text = (own: string, properties = ""): string => p(run(own), properties);
const listed = (own: string, level: number | string, id = 1): string =>
  text(own, `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${id}"/></w:numPr>`);
const style = (id: string, name: string, more = ""): string =>
  `<w:style w:styleId="${id}"><w:name w:val="${name}"/>${more}</w:style>`;
const level = (at: number | string, format: string, label: string, start = 1): string =>
  `<w:lvl w:ilvl="${at}"><w:start w:val="${start}"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${label}"/></w:lvl>`;
const cell = (own: string, properties = ""): string => `<w:tc><w:tcPr>${properties}</w:tcPr>${text(own)}</w:tc>`;
const row = (cells: string, properties = ""): string => `<w:tr><w:trPr>${properties}</w:trPr>${cells}</w:tr>`;
const table = (...rows: readonly string[]): string => `<w:tbl>${rows.join("")}</w:tbl>`;
const field = (type: string): string => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
const instruction = (own: string): string => `<w:r><w:instrText>${own}</w:instrText></w:r>`;

/** Parts beside the text. */
export const WORD_PARTS: Readonly<Record<string, string>> = {
  "word/_rels/document.xml.rels": relationships({
    s: ["styles", "styles.xml"],
    n: ["numbering", "numbering.xml"],
    f: ["footnotes", "footnotes.xml"],
    e: ["endnotes", "endnotes.xml"],
    c: ["comments", "comments.xml"],
    i: ["image", "media/image1.png"],
    l: ["hyperlink", "https://a.test/x", "External"],
    b: ["hyperlink", "document.xml"],
  }),
  "word/styles.xml": wordPart(
    "styles",
    [
      ...["heading 1", "Heading 7", "heading 0", "title", "Subtitle"].map((name, at) => style(`N${at}`, name)),
      ...[0, 5, 8, 9, -1].map((at) => style(`O${at}`, "x", `<w:pPr><w:outlineLvl w:val="${at}"/></w:pPr>`)),
      style("Bold", "x", "<w:rPr><w:b/></w:rPr>"),
      style("Child", "x", `<w:basedOn w:val="Bold"/><w:rPr><w:i/></w:rPr>`),
      style("List", "x", `<w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr>`),
      style("Lower", "x", `<w:basedOn w:val="List"/><w:pPr><w:numPr><w:ilvl w:val="0"/></w:numPr></w:pPr>`),
    ].join(""),
  ),
  "word/numbering.xml": wordPart(
    "numbering",
    `<w:abstractNum w:abstractNumId="0">${level(0, "decimal", "%1.")}${level(1, "lowerLetter", "%1.%2", 3)}${level(2, "bullet", "•")}${level(9, "decimal", "x")}</w:abstractNum>
     <w:abstractNum w:abstractNumId="1">${level(0, "none", "")}${level(1, "bullet", " ")}${level(2, "decimal", "%3 of %1")}</w:abstractNum>
     <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="0"/></w:num>
     <w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>
     <w:num w:numId="4"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0">${level(0, "bullet", "•")}</w:lvlOverride><w:lvlOverride w:ilvl="9"/></w:num>
     <w:num w:numId="5"><w:abstractNumId w:val="1"/></w:num><w:num w:numId="6"><w:abstractNumId w:val="9"/></w:num>`,
  ),
  "word/footnotes.xml": wordPart(
    "footnotes",
    [2, 3].map((id) => `<w:footnote w:id="${id}">${text(`foot ${id}`)}</w:footnote>`).join(""),
  ),
  "word/endnotes.xml": wordPart("endnotes", `<w:endnote w:id="2">${text("end")}</w:endnote>`),
  "word/comments.xml": wordPart("comments", `<w:comment w:id="4" w:author="Ann">${text("why")}</w:comment>`),
};

const picture = (about: string, id = "i"): string =>
  `<w:r><w:drawing><wp:inline><wp:docPr ${about}/><a:graphic><a:blip r:embed="${id}"/></a:graphic></wp:inline></w:drawing></w:r>`;

/** Bodies of documents of Word. */
export const WORD_SNIPPETS: readonly string[] = [
  ...["b", "i", "strike", "dstrike", "vanish"].flatMap((name) =>
    ["", ' w:val="0"', ' w:val="off"', ' w:val="1"'].map((on) =>
      p(run("a") + run("b", `<w:${name}${on}/>`) + run("c")),
    ),
  ),
  ...["superscript", "subscript", "baseline"].map((value) => p(run("a") + run("b", `<w:vertAlign w:val="${value}"/>`))),
  p(
    run("a") +
      run("b", `<w:rFonts w:ascii="Consolas"/>`) +
      run("c", `<w:rFonts w:ascii="Times"/>`) +
      run("d", "<w:rFonts/>"),
  ),
  text("a", `<w:rPr><w:b/></w:rPr>`),
  p(
    run("a", `<w:rStyle w:val="Bold"/>`) +
      run("b", `<w:rStyle w:val="Child"/>`) +
      run("c", `<w:rStyle w:val="Child"/><w:b w:val="0"/>`),
  ),
  ...[0, 1, 2, 3, 4].map((at) => text("a", `<w:pStyle w:val="N${at}"/>`)),
  ...["O0", "O5", "O8", "O9", "O-1", "Child", "List", "Lower", "None"].map((id) =>
    text("a", `<w:pStyle w:val="${id}"/>`),
  ),
  ...["0", "5", "8", "9", "-1", "x"].map((at) => text("a", `<w:outlineLvl w:val="${at}"/>`)),
  listed("a", 0) + listed("b", 1) + listed("c", 1) + listed("d", 2) + listed("e", 0) + listed("f", 1),
  listed("a", 0) + listed("b", 0, 2) + listed("c", 0, 3) + listed("d", 0, 1) + listed("e", 0, 3),
  listed("a", 0, 4) + listed("b", 1, 4) + listed("c", 0, 5) + listed("d", 1, 5) + listed("e", 2, 5) + listed("f", 0, 6),
  listed("a", 9) + listed("b", 3) + listed("c", "x") + listed("d", 0, 99),
  text("a", `<w:pStyle w:val="N0"/><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr>`),
  p(
    `${run("a")}<w:r><w:tab/><w:ptab/><w:br/><w:cr/><w:noBreakHyphen/></w:r>${run("b")}<w:r><w:br w:type="page"/></w:r>${run("c")}`,
  ),
  ...[
    ["Wingdings", "F0A8"],
    ["Wingdings", "F0FC"],
    ["Wingdings", "F0FE"],
    ["Wingdings", "F0FD"],
    ["Wingdings", "F0E0"],
    ["Symbol", "F041"],
    ["Symbol", "F080"],
    ["Arial", "F041"],
    ["Arial", "0041"],
    ["Arial", "001F"],
    ["Arial", "0020"],
    ["Arial", "EFFF"],
    ["Arial", "10000"],
    ["Arial", "x"],
  ].map(([font, char]) => p(`${run("a")}<w:r><w:sym w:font="${font}" w:char="${char}"/></w:r>${run("b")}`)),
  p(
    `<w:hyperlink r:id="l">${run("a")}</w:hyperlink><w:hyperlink r:id="b">${run("b")}</w:hyperlink><w:hyperlink>${run("c")}</w:hyperlink>`,
  ),
  p(
    `<w:fldSimple w:instr='HYPERLINK "https://b.test/"'>${run("a")}</w:fldSimple><w:fldSimple w:instr="PAGE">${run("b")}</w:fldSimple>`,
  ),
  p(
    field("begin") +
      instruction('HYPERLINK "https://b.test/"') +
      field("separate") +
      run("a") +
      field("end") +
      run("b"),
  ),
  p(field("begin") + instruction("HYPERLINK ") + instruction('"https://b.test/"') + run("x") + field("separate")) +
    p(run("a") + field("end") + run("b")),
  p(
    field("begin") +
      instruction("PAGE") +
      field("separate") +
      instruction("no") +
      field("begin") +
      instruction('HYPERLINK "https://b.test/"') +
      field("separate") +
      run("a") +
      field("end") +
      run("b") +
      field("end") +
      field("end") +
      field("separate") +
      run("c"),
  ),
  p(
    `${run("a")}<w:r><w:footnoteReference w:id="3"/><w:endnoteReference w:id="2"/><w:footnoteReference w:id="2"/><w:footnoteReference w:id="3"/><w:footnoteReference w:id="9"/><w:footnoteReference/></w:r>${run("b")}`,
  ),
  p(`${run("a")}<w:r><w:commentReference w:id="4"/></w:r><w:r><w:commentReference w:id="9"/></w:r>`),
  p(
    `<w:del>${run("a")}</w:del><w:ins>${run("b")}</w:ins><w:moveFrom>${run("c")}</w:moveFrom><w:moveTo>${run("d")}</w:moveTo><w:smartTag>${run("e")}</w:smartTag>`,
  ),
  p(
    `<mc:AlternateContent><mc:Choice>${run("a")}</mc:Choice><mc:Fallback>${run("b")}</mc:Fallback></mc:AlternateContent>`,
  ),
  p(
    `<w:r><mc:AlternateContent><mc:Choice><w:t>a</w:t></mc:Choice><mc:Fallback><w:t>b</w:t></mc:Fallback></mc:AlternateContent><mc:AlternateContent><mc:Fallback><w:t>c</w:t></mc:Fallback></mc:AlternateContent></w:r>`,
  ),
  p(
    `<w:r><w:ruby><w:rt>${run("a")}</w:rt><w:rubyBase>${run("b")}</w:rubyBase></w:ruby><w:ruby>${run("c")}</w:ruby><w:other/></w:r>`,
  ),
  p(
    picture('descr="A" title="B"') +
      picture('title="B"') +
      picture("") +
      picture('descr="A"', "x") +
      picture('descr="A"', "l"),
  ),
  p(
    `<w:r><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml" alt="C"><v:imagedata r:id="i"/></v:shape></w:pict></w:r>`,
  ),
  p(
    `${run("a")}<w:r><w:drawing><w:txbxContent>${text("b")}<w:p/></w:txbxContent><mc:Choice><w:txbxContent>${text("c")}</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>${text("d")}</w:txbxContent></mc:Fallback></w:drawing></w:r>${run("e")}`,
  ) + text("f"),
  table(row(cell("a") + cell("b")), row(cell("c") + cell("d"))),
  table(row(cell("a"))) + table(row(cell("a")), row(cell("b"))) + table(),
  table(row(cell("a", '<w:gridSpan w:val="2"/>') + cell("b")), row(cell("c") + cell("d") + cell("e"))),
  table(
    row(cell("a", '<w:vMerge w:val="restart"/>') + cell("b")),
    row(cell("x", "<w:vMerge/>") + cell("d")),
    row(cell("x", "<w:vMerge/>") + cell("e")),
    row(cell("f") + cell("g")),
  ),
  table(
    row(cell("a") + cell("b")),
    row(cell("c"), '<w:gridBefore w:val="1"/>'),
    row(cell("d") + cell("e"), '<w:gridBefore w:val="0"/>'),
    row(cell("x"), "<w:del/>"),
  ),
  table(row(cell("a") + cell("b")), row(`<w:tc>${listed("c", 0)}</w:tc>${cell("d")}`)),
  table(
    row(cell("a") + cell("b")),
    row(`<w:tc>${table(row(cell("c") + cell("d")), row(cell("e") + cell("f")))}</w:tc>${cell("g")}`),
  ),
  table(
    row(cell("a", '<w:gridSpan w:val="0"/>') + cell("b", '<w:gridSpan w:val="1.5"/>')),
    row(cell("c") + cell("d", '<w:gridSpan w:val="5000"/>')),
  ),
  `<w:sdt><w:sdtPr>${text("x")}</w:sdtPr><w:sdtContent>${text("a")}${table(`<w:sdt><w:sdtContent>${row(`<w:sdt><w:sdtContent>${cell("b")}</w:sdtContent></w:sdt>${cell("c")}`)}</w:sdtContent></w:sdt>`, row(cell("d") + cell("e")))}</w:sdtContent></w:sdt>`,
  text("a", `<w:rPr/>`).repeat(2) + p("") + p(run(" ")) + text("b"),
  p(run("a", `<w:rFonts w:ascii="Courier"/>`)) +
    p(run("b", `<w:rFonts w:ascii="Courier"/><w:b/>`)) +
    p(run("c", `<w:rFonts w:ascii="Courier"/>`) + run(" ") + run("d", `<w:rFonts w:ascii="Courier"/>`)) +
    p(run("e", `<w:rFonts w:ascii="Courier"/>`) + run("f")),
  p(
    `<m:oMath><m:r><m:t>x</m:t></m:r><m:sSup><m:e><m:r><m:t>y</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>${run("a")}<m:oMath/>`,
  ),
  p(
    `<m:oMathPara><m:oMath><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath></m:oMathPara>`,
  ),
];
