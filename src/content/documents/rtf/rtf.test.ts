import { expect, test } from "bun:test";
import { readBytes } from "../testing/read-bytes.ts";

async function markdown(body: string): Promise<string> {
  return (await readBytes(`{\\rtf1\\ansi\\ansicpg1252\\uc1 ${body}}`)).markdown();
}

test("paragraphs have marks, symbols and the characters of their code page", async () => {
  expect(
    await markdown(String.raw`One {\b bold} {\i slanted} {\strike gone}\par Caf\'e9\~\emdash  \{x\}\line next\par`),
  ).toBe("One **bold** *slanted* ~~gone~~\n\nCafé — {x}  \nnext");
  expect(
    await markdown(String.raw`{\fonttbl{\f0\fcharset204 A;}{\f1\fcharset128 B;}}\f0\'cf\'f0 \f1\'83\'5e\'83C`),
  ).toBe("Пр タイ");
});

test("Unicode escapes replace the characters after them", async () => {
  expect(await markdown(String.raw`\u1071?\u-10179?\u-8704? {\uc0\u169 x}{\uc2\u1071\'8f\'8fy}`)).toBe("Я😀 ©xЯy");
});

test("headings are those of the style sheet and of outline levels", async () => {
  const styles = String.raw`{\stylesheet{\s0 Normal;}{\s1\b heading 1;}{\*\cs10 x;}}`;
  expect(await markdown(String.raw`${styles}\pard\s1 Title\par\pard\outlinelevel1 Part\par\pard Text\par`)).toBe(
    "# Title\n\n## Part\n\nText",
  );
});

test("a paragraph with an outline level that RTF does not have is not a heading", async () => {
  expect(await markdown(String.raw`\outlinelevel-1 a\par\outlinelevel9 b\par\outlinelevel8 c\par`)).toBe(
    "a\n\nb\n\n###### c",
  );
});

test("line breaks and rules have no end tags in HTML", async () => {
  const { html } = await readBytes(String.raw`{\rtf1 a\line b{\footnote c}}`);
  expect(html()).toBe('<p>a<br>b<sup><a href="#note-1">[1]</a></sup></p><hr><ol><li><p>c</p></li></ol>');
});

test("hidden and deleted text, page headers, pictures, unknown destinations and binary data are left out", async () => {
  const body = String.raw`{\header no}{\*\unknown no}{\pict 0102}{\v hidden}{\deleted gone}{\nonesttables old}seen\bin5 {\}{} too`;
  expect(await markdown(body)).toBe("seen too");
});

const row = (a: string, b: string): string => String.raw`\trowd\cellx100\cellx200\pard\intbl ${a}\cell ${b}\cell\row`;

test("tables have their cells, and text goes on after them", async () => {
  expect(await markdown(`${row("Road", "Toll")}${row("A1", String.raw`3\par 4`)}\\pard After\\par`)).toBe(
    "| Road | Toll |\n| --- | --- |\n| A1 | 3<br>4 |\n\nAfter",
  );
});

test("a row may end with the text, and a text between two rows makes two tables", async () => {
  const body = `${row("A", "1")}${row("B", "2")}\\pard Then\\par${row("C", "3")}\\pard\\intbl D\\cell 4`;
  expect(await markdown(body)).toBe(
    "| A | 1 |\n| --- | --- |\n| B | 2 |\n\nThen\n\n| C | 3 |\n| --- | --- |\n| D | 4 |",
  );
});

const heading = (label: string): string => String.raw`\pard\outlinelevel0{\listtext ${label}\tab}Of tolls\par`;

test("headings keep their numbers, and no other labels", async () => {
  expect(await markdown(heading("1.2") + heading(String.raw`\'b7`))).toBe("# 1.2 Of tolls\n\n# Of tolls");
});

const item = (label: string, level: number, text: string): string =>
  String.raw`\pard{\listtext\tab ${label}\tab}\ls1\ilvl${level} ${text}\par`;

test("lists have the labels of their items", async () => {
  expect(await markdown(item("1.", 0, "one") + item(String.raw`\'b7`, 1, "deep") + item("2.", 0, "two"))).toBe(
    "1. one\n   - deep\n2. two",
  );
});

test("lists with letters are numbered", async () => {
  expect(await markdown(item("(a)", 0, "one") + item("b.", 0, "two") + item("-", 0, "other"))).toBe(
    "1. one\n2. two\n\n- other",
  );
});

test("links and notes are read", async () => {
  const link = String.raw`{\field{\*\fldinst HYPERLINK "https://a.test/"}{\fldrslt here}}`;
  const bad = String.raw`{\field{\*\fldinst HYPERLINK "file:///etc"}{\fldrslt there}}`;
  expect(await markdown(String.raw`${link} ${bad}{\super\chftn}{\footnote\pard Below.\par} end\par`)).toBe(
    "[here](https://a.test/) there[\\[1\\]](#note-1) end\n\n---\n\n1. Below.",
  );
});

test("the title and the author are those of the information", async () => {
  const { title, about } = await readBytes(String.raw`{\rtf1{\info{\title Of \'e9}{\author Ann}{\operator Bob}}x}`);
  expect([title, about]).toEqual(["Of é", { byline: "Ann" }]);
});
