const row = (...cells: readonly string[]): string =>
  String.raw`\trowd\pard\intbl ${cells.map((cell) => String.raw`${cell}\cell `).join("")}\row`;
const item = (label: string, level: number, text: string, list = 1): string =>
  String.raw`\pard{\listtext\tab ${label}\tab}\ls${list}\ilvl${level} ${text}\par`;

/** Texts of RTF. */
export const RTF_SNIPPETS: readonly string[] = [
  String.raw`a{\b b{\i c{\b0 d}e}f}g\b h\plain i`,
  String.raw`{\strike a}{\striked b}{\strike0 c}{\super a}{\sub b}{\super c\nosupersub d}{\super0 e}{\sub0 f}`,
  String.raw`a{\v b\v0 c}{\deleted d}{\deleted0 e}{\plain\v f}g`,
  String.raw`a\~b\_c\-d\\e\{f\}g\:h`,
  String.raw`a\tab b\line c\emdash d\endash e\bullet f\lquote g\rquote h\ldblquote i\rdblquote j\emspace k\enspace l\unknown m`,
  "a\\\nb\\\rc\r\nd",
  String.raw`\u8364?\u8364 ?a\u-3913?b\u65536?c\u0?d`,
  String.raw`{\uc2\u8364 ??a\u8364\'80\'80b\u8364 x}c\uc0\u8364 d\uc200\u8364 e`,
  String.raw`{\uc3\u8364 {\b ab}cdef}`,
  String.raw`\ansicpg1251\'cf\ansicpg1252\'cf\mac\'8e\ansicpg\'cf\ansicpg99999\'cf`,
  ...[0, 2, 77, 128, 129, 130, 134, 136, 161, 162, 163, 177, 178, 186, 204, 222, 238, 255].map(
    (set) => String.raw`{\fonttbl{\f0\fcharset${set} A;}}\f0 a\'e0\'c1\'b0`,
  ),
  ...[437, 708, 850, 866, 874, 932, 936, 949, 950, 1250, 1253, 1254, 1255, 1256, 1257, 1258, 10000, 10007, 65001].map(
    (page) => String.raw`{\fonttbl{\f3\cpg${page} A;}}\f3 a\'e0\'c1\'b0`,
  ),
  String.raw`{\fonttbl{\f1\fcharset204 A;}{\f2 B;}}\f1\'cf\f2\'cf\f\'cf{\f1\'cf}\'cf`,
  ...[
    "heading 1",
    "heading 6",
    "heading 9",
    "heading 0",
    "Heading 2",
    "  heading 3",
    "my heading 1",
    "Title",
    "title",
  ].map((name) => String.raw`{\stylesheet{\s0 Normal;}{\s3 ${name};}}\pard\s3 a\par\pard b\par`),
  String.raw`{\stylesheet{heading 1;}{\s2 heading 2;}}\pard\s a\par\pard\s2 b\par\s9 c\par`,
  ...[0, 1, 5, 6, 8, 9, -1].map((level) => String.raw`\pard\outlinelevel${level} a\par b\par`),
  String.raw`\pard\outlinelevel a\par`,
  String.raw`\pard\outlinelevel0{\listtext (a)\tab}a\par{\listtext 3)\tab}b\par\pard c\par`,
  item("1.", 0, "a") + item("2.", 0, "b") + String.raw`\pard c\par` + item("3.", 0, "d"),
  item("5)", 0, "a") + item("(6)", 0, "b") + item("7", 0, "c"),
  item("-", 0, "a") +
    item("-", 1, "b") +
    item("-", 2, "c") +
    item("-", 0, "d") +
    item("-", 9, "e") +
    item("-", -1, "f"),
  item("1.", 0, "a") + item("-", 0, "b") + item("1.", 0, "c", 2) + item("2.", 0, "d", 3),
  item("iv.", 0, "a") + item("abcd)", 0, "b") + item("abcde)", 0, "c") + item("1234567890.", 0, "d"),
  item("", 0, "a") + item("   ", 0, "b") + item("1.", 0, ""),
  row("a", "b") + row("c", "d"),
  row("a") + row("b"),
  row("a", String.raw`b\par c`) + row(String.raw`d\line e`, "") + row("", "f"),
  `${row("a", "b")}\\pard c\\par${row("d", "e")}${row("f", "g")}`,
  String.raw`\trowd\pard\intbl a\cell b\cell\row\trowd\pard\intbl c\nestcell d\nestcell\nestrow\pard e`,
  String.raw`\pard\intbl a\cell b`,
  String.raw`\row\row a\cell\row b`,
  String.raw`{\field{\*\fldinst HYPERLINK "https://a.test/"}{\fldrslt a}}b{\field{\*\fldinst PAGE}{\fldrslt c}}d`,
  String.raw`{\field{\*\fldinst HYPERLINK "https://a.test/"}{\fldrslt a{\b b}}{\fldrslt c}}d{\fldrslt e}`,
  String.raw`{\field{\*\fldinst{HYPERLINK }{"https://a.test/x"}}{\fldrslt a}}`,
  String.raw`{\field{\fldinst HYPERLINK \\l "mark"}{\fldrslt a}}`,
  String.raw`a{\footnote b{\footnote c}d\par e}f{\footnote g}\par\pard\b h{\footnote i\par}j`,
  String.raw`\outlinelevel0 a{\footnote b}c\par`,
  String.raw`{\info{\title A}{\author B}{\subject C}{\title{\b D}}}a`,
  String.raw`{\info{\title  }{\author  }}a`,
  String.raw`{\pict{\*\picprop a}0102}{\*\shppict{\pict 01}}{\nonshppict{\pict 02}}b{\*\pn c}{\*\unknown d}{\header e}{\unknown f}`,
  String.raw`{\shp{\*\shpinst{\sp{\sn a}{\sv b}}{\shptxt c\par}}}d`,
  String.raw`{\object{\*\objdata 0102}{\result e}}f`,
  String.raw`{\*\bkmkstart a}b{\*\bkmkend a}c{\colortbl;\red0;}d{\*\generator e;}f`,
  String.raw`a\bin3 }}}b\bin0 c\bin d`,
  String.raw`a\'4gb\'g4c\'`,
  "a}b}c",
  "{{{a",
  String.raw`a\par\par\par b\sect c\page d`,
  String.raw`{a\*b}{\*\b c}{\b\* d}`,
];
