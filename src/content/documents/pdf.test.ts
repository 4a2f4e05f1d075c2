import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { makePdf, pdfColumn, type PdfText, pdfTexts } from "../testing/pdf.ts";
import { pdfContent } from "./pdf.ts";
import { contentOf, LEFT, markdownOf, RIGHT } from "./pdf/testing/read-texts.ts";
import { patient } from "../../lib/testing/patience.ts";

// A busy machine is slow.
setDefaultTimeout(patient(20_000));

describe("columns", () => {
  test("are read one after the other, below a title that spans them", async () => {
    const title: PdfText = [130, 740, "Of tolls and roads, and of those who keep them", 16];
    expect(await markdownOf([title, ...pdfColumn(72, 700, LEFT), ...pdfColumn(318, 700, RIGHT)])).toBe(
      `# ${title[2]}\n\n${LEFT.join(" ")}\n\n${RIGHT.join(" ")}`,
    );
  });

  test("are recognised in any order of the file", async () => {
    const lines = LEFT.flatMap((_line, at): PdfText[] => [
      [318, 700 - at * 12, RIGHT[at] ?? ""],
      [72, 700 - at * 12, LEFT[at] ?? ""],
    ]);
    expect(await markdownOf(lines)).toBe(`${LEFT.join(" ")}\n\n${RIGHT.join(" ")}`);
  });

  test("continue a sentence in the next column and on the next page", async () => {
    const broken = ["A sentence that is", "long goes on and on"];
    const pages = [pdfColumn(72, 60, broken), pdfColumn(72, 740, ["until it ends."])];
    expect(await markdownOf(...pages)).toBe("A sentence that is long goes on and on until it ends.");
  });
});

describe("paragraphs", () => {
  test("begin after a gap, with an indented line, and after a line that ends early", async () => {
    const lines: PdfText[] = [
      [72, 700, "The first paragraph has two lines that fill the measure"],
      [72, 688, "and ends here."],
      [72, 676, "The second follows a line that had place for its first word"],
      [72, 664, "and goes on to the very end of its last line in the measure."],
      [87, 652, "The third one has a first line that is indented a little,"],
      [72, 640, "and others that are not."],
      [72, 610, "The fourth stands apart."],
    ];
    expect((await markdownOf(lines)).split("\n\n").map((text) => text.slice(0, 10))).toEqual([
      "The first ",
      "The second",
      "The third ",
      "The fourth",
    ]);
  });

  test("have divided words joined, and keep the hyphens of compounds", async () => {
    const lines = ["A para-", "graph of well-", "known words, which are well-known to all readers."];
    expect(await markdownOf(pdfColumn(72, 700, lines))).toBe(
      "A paragraph of well-known words, which are well-known to all readers.",
    );
  });

  test("mark raised letters and bold words", async () => {
    const line: PdfText[] = [
      [72, 700, "Water has"],
      [122, 700, "two parts", 10, "F2"],
      [172, 700, "of hydrogen"],
      [226, 704, "1", 6],
      [232, 700, "and one of oxygen."],
    ];
    expect(await markdownOf(line)).toBe("Water has **two parts** of hydrogen<sup>1</sup> and one of oxygen.");
  });
});

test("headings are recognised by the size and the weight of their letters", async () => {
  const lines: PdfText[] = [
    [72, 740, "The title", 20],
    [72, 700, "1. Of gates", 14],
    ...pdfColumn(72, 680, LEFT),
    [72, 590, "Of keepers", 10, "F2"],
    ...pdfColumn(72, 570, RIGHT),
    [72, 480, "2. Of roads", 14],
    [72, 460, "Figure 1: A gate", 10, "F2"],
  ];
  const markdown = await markdownOf(lines);
  expect(markdown.match(/^#.*/gm)).toEqual(["# The title", "## 1. Of gates", "### Of keepers", "## 2. Of roads"]);
});

test("lists keep their numbers, their depth and their wrapped lines", async () => {
  const lines: PdfText[] = [
    [72, 700, "\u2022"],
    [90, 700, "apples, which are red"],
    [90, 688, "or green"],
    [90, 676, "-"],
    [102, 676, "green ones"],
    [102, 664, "-"],
    [114, 664, "sour ones"],
    [90, 652, "-"],
    [102, 652, "yellow ones"],
    [72, 640, "\u2022"],
    [90, 640, "pears"],
    [72, 606, "3. three"],
    [72, 594, "4. four"],
  ].map(([x, y, text]): PdfText => [Number(x), Number(y), String(text).replace("\u2022", "\\225")]);
  const pdf = makePdf([pdfTexts(lines).replaceAll("\\\\225", "\\267")]);
  const content = await pdfContent(new Uint8Array(pdf));
  expect(typeof content === "string" ? content : content.markdown()).toBe(
    "- apples, which are red or green\n  - green ones\n    - sour ones\n  - yellow ones\n- pears\n\n3. three\n4. four",
  );
});

test("a table of contents is a list", async () => {
  const lines = ["1 Gates . . . . . . . . . . . . . . . 1", "2 Roads . . . . . . . . . . . . . . . 12"];
  expect(await markdownOf(pdfColumn(72, 700, lines))).toBe("- 1 Gates \u2026 1\n- 2 Roads \u2026 12");
});

/** Rows of aligned cells. */
function cells(lines: readonly (readonly string[])[]): PdfText[] {
  return lines.flatMap((row, at) => row.map((text, column): PdfText => [72 + column * 90, 700 - at * 16, text]));
}

describe("tables", () => {
  const TABLE = "| Road | Toll | Year |\n| --- | --- | --- |\n| A1 | 3.50 | 1999 |\n| B2, long | 4 | 2001 |";
  const ROWS = [
    ["Road", "Toll", "Year"],
    ["A1", "3.50", "1999"],
    ["B2, long", "4", "2001"],
  ];

  test("are recognised by aligned columns", async () => {
    expect(await markdownOf([[72, 740, "Tolls of the roads:"], ...cells(ROWS)])).toBe(
      `Tolls of the roads:\n\n${TABLE}`,
    );
  });

  test("are recognised by the lines around their cells, which may have several lines of text", async () => {
    const [xs, ys] = [
      [68, 158, 248, 338],
      [714, 694, 678, 650],
    ];
    const drawn = [...xs.map((x) => `${x} 650 m ${x} 714 l S`), ...ys.map((y) => `68 ${y} m 338 ${y} l S`)];
    const wrapped = [["Road", "Toll", "Year"], ["A1", "3.50", "1999"], ["B2,", "4", "2001"], ["long"]];
    const pdf = makePdf([
      `${pdfTexts(cells(wrapped).map(([x, y, text]) => [x, y === 652 ? 656 : y, text]))}\n${drawn.join("\n")}`,
    ]);
    const content = await pdfContent(new Uint8Array(pdf));
    expect(typeof content === "string" ? content : content.markdown()).toBe(TABLE);
  });

  test("continue on the next page without their heads", async () => {
    const next = cells([
      ["Road", "Toll", "Year"],
      ["C3", "5", "2002"],
      ["D4", "6", "2003"],
    ]);
    expect(await markdownOf(cells(ROWS), next)).toBe(`${TABLE}\n| C3 | 5 | 2002 |\n| D4 | 6 | 2003 |`);
  });
});

test("code keeps its lines and their indentation", async () => {
  const lines: PdfText[] = [
    ...pdfColumn(72, 740, LEFT),
    [72, 650, "if (toll) {", 10, "F3"],
    [84, 638, "pay(toll);", 10, "F3"],
    [72, 626, "}", 10, "F3"],
  ];
  expect(await markdownOf(lines)).toEndWith("\n\n```\nif (toll) {\n  pay(toll);\n}\n```");
});

const NUMBERS = ["one", "two", "three", "four", "five", "six"];

function numberedPage(number: number): PdfText[] {
  return [
    [72, 760, number % 2 === 0 ? `${number + 4}   The book of gates` : `Tolls   ${number + 4}`, 8],
    [72, 700, `Words that stand on page ${NUMBERS[number]} alone.`],
    [300, 30, String(number + 5)],
  ];
}

test("running headers, footers and page numbers are left out", async () => {
  const markdown = await markdownOf(...NUMBERS.map((_name, number) => numberedPage(number)));
  expect(markdown.split("\n\n")).toEqual(NUMBERS.map((name) => `Words that stand on page ${name} alone.`));
});

test("footnotes come after the text of their page", async () => {
  const lines: PdfText[] = [...pdfColumn(72, 740, LEFT), [72, 80, "1 A note in small letters.", 7]];
  const next = pdfColumn(72, 740, RIGHT);
  expect((await markdownOf(lines, next)).split("\n\n")).toEqual([
    LEFT.join(" "),
    "1 A note in small letters.",
    RIGHT.join(" "),
  ]);
});

test("links have the words that they cover", async () => {
  const text = pdfTexts([[72, 700, "Read the book of gates before you go."]]);
  const pdf = makePdf([text], { links: ["https://gates.test/book"], linkPlace: "108 696 182 712" });
  const content = await pdfContent(new Uint8Array(pdf));
  if (typeof content === "string") throw new Error(content);
  expect(content.markdown()).toBe("Read the [book of gates](https://gates.test/book) before you go.");
  expect(content.links()).toEqual([{ url: "https://gates.test/book", text: "" }]);
});

/** The place of a field beside the label of a row. */
function place(row: number, left = 180): string {
  return `/Rect [${left} ${696 - row * 30} ${left + 150} ${712 - row * 30}]`;
}

/** The place and the state of a box that can be checked. */
function box(row: number, left: number, state: string): string {
  const rect = `${left} ${698 - row * 30} ${left + 12} ${710 - row * 30}`;
  return `/Rect [${rect}] /AS /${state} /AP << /N << /Yes 3 0 R /Off 3 0 R >> >>`;
}

/** The place of one of many small fields. */
function small(n: number): string {
  return `/Rect [${100 + (n % 10) * 30} ${700 - n * 0.5} ${128 + (n % 10) * 30} ${710 - n * 0.5}]`;
}

function labelled(...labels: string[]): PdfText[] {
  return labels.map((label, row): PdfText => [72, 700 - row * 30, label]);
}

async function formOf(texts: readonly PdfText[], fields: readonly string[]): Promise<string> {
  return (await contentOf([texts], { fields, catalog: "/AcroForm << /Fields [] >>" })).markdown();
}

describe("form fields", () => {
  test("have their values beside their labels", async () => {
    const fields = [
      `/FT /Tx /T (b) /V (Sea Otter) ${place(1)}`,
      `/FT /Tx /T (a) /V (Doe) ${place(0)}`,
      `/FT /Ch /Ff 131072 /T (c) /V (gb) /Opt [[(fr) (France)] [(gb) (Great Britain)]] ${place(2)}`,
      `/FT /Ch /Ff 2097152 /T (d) /V [(red) (blue)] /Opt [(red) (green) (blue)] ${place(3)}`,
      `/FT /Tx /Ff 4096 /T (e) /V (12 Quay Street\\rCardiff) /Rect [180 540 330 592]`,
    ];
    const labels = labelled("Surname:", "Boat:", "Country:", "Colours:", "Address:");
    expect((await formOf(labels, fields)).split("\n\n")).toEqual([
      "Surname: Doe",
      "Boat: Sea Otter",
      "Country: Great Britain",
      "Colours: red, blue",
      "Address: 12 Quay Street Cardiff",
    ]);
  });

  test("do not become headings above labels in smaller letters", async () => {
    const labels: PdfText[] = [
      [72, 688, "First name", 7],
      [300, 688, "Last name", 7],
    ];
    const fields = [72, 300].map((x) => `/FT /Tx /T (f${x}) /V (Doe) /Rect [${x} 696 ${x + 150} 712]`);
    expect(await formOf(labels, fields)).not.toContain("#");
  });

  test("show whether boxes and radio buttons are checked", async () => {
    const fields = [
      `/FT /Btn /T (a) /V /Yes ${box(0, 130, "Yes")}`,
      `/FT /Btn /T (b) /V /Off ${box(0, 190, "Off")}`,
      `/FT /Btn /Ff 32768 /T (c) /V /Yes ${box(1, 130, "Yes")}`,
      `/FT /Btn /Ff 32768 /T (d) /V /Off ${box(1, 190, "Off")}`,
      `/FT /Btn /Ff 65536 /T (e) /V (Send) ${place(1, 300)}`,
    ];
    const words: PdfText[] = [0, 1].flatMap((row): PdfText[] => [
      [145, 700 - row * 30, "Sail"],
      [205, 700 - row * 30, "Motor"],
    ]);
    expect((await formOf([...labelled("Boat:", "Crew:"), ...words], fields)).split("\n\n")).toEqual([
      "Boat: [x] Sail [ ] Motor",
      "Crew: [x] Sail [ ] Motor",
    ]);
  });

  test.each([
    ["passwords", `/FT /Tx /Ff 8192 /V (secret) ${place(0)}`],
    ["hidden fields", `/FT /Tx /F 2 /V (secret) ${place(0)}`],
    ["fields that are not shown on screens", `/FT /Tx /F 32 /V (secret) ${place(0)}`],
    ["fields without an area", "/FT /Tx /V (secret) /Rect [180 700 180 700]"],
  ])("that are %s are left out", async (_what, field) => {
    expect(await formOf(labelled("Your words:"), [`/T (a) ${field}`])).toBe("Your words:");
  });

  test("are read up to 1,000 on a page, and 100,000 characters", async () => {
    const many = Array.from({ length: 1_200 }, (_, n) => `/FT /Tx /T (f${n}) /V (v${n}.) ${small(n)}`);
    const text = await formOf(labelled("Form"), many);
    expect(text.match(/v\d+/g)).toHaveLength(1_000);
    const long = [0, 1, 2].map((row) => `/FT /Tx /T (f${row}) /V (${"x".repeat(60_000)}) ${place(row)}`);
    expect((await formOf(labelled("Form"), long)).match(/x/g)).toHaveLength(100_000);
  });
});

describe("free texts", () => {
  const note = "/Subtype /FreeText /DA (/Helv 12 Tf 0 g) /Contents (A typed note.)";

  test("are read at their places, and without a label", async () => {
    const text = await formOf(labelled("Above.", "", "Below."), [`${note} /F 4 /Rect [72 666 200 682]`]);
    expect(text.split("\n\n")).toEqual(["Above.", "A typed note.", "Below."]);
  });

  test("are the text of a page that has no other", async () => {
    expect(await formOf([], [`${note} /F 4 /Rect [72 600 300 650]`])).toBe("A typed note.");
  });

  test("that are hidden are left out", async () => {
    expect(await formOf(labelled("Above."), [`${note} /F 2 /Rect [72 600 300 650]`])).toBe("Above.");
  });
});

describe("rotated pages", () => {
  const upright = [...pdfColumn(72, 540, LEFT), ...pdfColumn(318, 540, RIGHT)];

  test("are read upright according to their attribute", async () => {
    const turned = upright.map(([x, y, text]) => `BT /F1 10 Tf 0 1 -1 0 ${612 - y} ${x} Tm (${text}) Tj ET`).join("\n");
    for (const page of ["/Rotate 90", ""]) {
      const content = await pdfContent(new Uint8Array(makePdf([turned], { page })));
      expect(typeof content === "string" ? content : content.markdown()).toBe(
        `${LEFT.join(" ")}\n\n${RIGHT.join(" ")}`,
      );
    }
  });

  test("have text of other directions at their end", async () => {
    const stamp = "BT /F1 10 Tf 0 1 -1 0 20 300 Tm (Received 1999) Tj ET";
    const content = await pdfContent(new Uint8Array(makePdf([`${stamp}\n${pdfTexts(pdfColumn(72, 540, LEFT))}`])));
    expect(typeof content === "string" ? content : content.markdown()).toBe(`${LEFT.join(" ")}\n\nReceived 1999`);
  });
});

describe("the title", () => {
  test.each([
    ["Of gates", "Of gates"],
    ["Microsoft Word - gates.doc", "The heading"],
    ["gates.dvi", "The heading"],
    ["untitled", "The heading"],
    ["(anonymous)", "The heading"],
    ["Untitled Document 2", "The heading"],
    ["PowerPoint Presentation", "The heading"],
    ["The untitled book", "The untitled book"],
    [undefined, "The heading"],
  ])("of %p is %p", async (title, expected) => {
    const page: PdfText[] = [[72, 740, "The heading", 20], ...pdfColumn(72, 700, LEFT)];
    expect((await contentOf([page], title === undefined ? {} : { title })).title).toBe(expected);
  });

  test.each<[what: string, pages: PdfText[][], expected: string]>([
    [
      "the heading of the first page, also if later ones are larger",
      [
        [[72, 740, "Report of the gates", 16], ...pdfColumn(72, 700, LEFT)],
        [[72, 740, "Contents", 24], ...pdfColumn(72, 700, RIGHT)],
      ],
      "Report of the gates",
    ],
    [
      "the largest letters of the first page, if they are not a heading",
      [
        [
          ...cells([
            ["", "No.", "Gates and Sons"],
            ["Number", "77", "12 Quay Street"],
            ["Date", "June", "Alder Town"],
          ]),
          [72, 700, "INVOICE", 18],
        ],
      ],
      "INVOICE",
    ],
    ["a first line that stands alone", [[[72, 740, "User commands"], ...pdfColumn(72, 700, LEFT)]], "User commands"],
    ["empty if the first line is part of a text", [pdfColumn(72, 700, LEFT)], ""],
    ["empty if the first line is a sentence", [[[72, 740, "Dear Sir,"], ...pdfColumn(72, 700, LEFT)]], ""],
  ])("without properties is %s", async (_what, pages, expected) => {
    expect((await contentOf(pages)).title).toBe(expected);
    expect((await contentOf(pages, { title: "untitled" })).title).toBe(expected);
  });
});

describe("a PDF without text", () => {
  test.each([
    ["drawings alone", makePdf(["10 10 m 100 100 l S"]), "scanned"],
    ["no pages", makePdf([]), "scanned"],
    ["no PDF", Buffer.from("%PDF-1.4 nonsense"), "broken"],
    ["half a PDF", makePdf([pdfTexts(pdfColumn(72, 700, LEFT))]).subarray(0, 60), "broken"],
  ])("of %s is an error", async (_what, pdf, error) => {
    expect(await pdfContent(new Uint8Array(pdf))).toBe(error as "scanned");
  });
});

describe("a PDF of which pages are missing", () => {
  const WORDS = ["Gates are of oak.", "Roads are of stone.", "Fords have no name.", "Weirs need a keeper."];
  const PAGES = WORDS.map((words, at) => pdfTexts([[72, 700 - 40 * at, words]]));

  test.each([
    ["pages", { pages: 2 }, WORDS.slice(0, 2), "Pages 3 to 4 of this document are missing: it is too long"],
    ["text", { text: 45 }, WORDS.slice(0, 2), "Pages 3 to 4 of this document are missing: it is too long"],
    ["runs", { runs: 3 }, WORDS.slice(0, 3), "Pages 4 to 4 of this document are missing: it is too long"],
  ])("because of the limit of %s gives the others, and says which ones", async (_what, limits, words, note) => {
    const content = await pdfContent(new Uint8Array(makePdf(PAGES)), limits);
    if (typeof content === "string") throw new Error(`The PDF is ${content}`);
    expect(content.isPartial).toBe(true);
    for (const text of [content.markdown(), content.text(), content.html()]) {
      for (const one of WORDS) expect(text.includes(one)).toBe(words.includes(one));
      expect(text).toContain(note);
    }
  });

  test("because they are damaged gives the others", async () => {
    // The third page has no dictionary.
    const pdf = makePdf(PAGES).toString("latin1").replace("\n8 0 obj\n<< /Type /Page", "\n8 0 obj\n[ /Type /Page");
    const content = await pdfContent(new Uint8Array(Buffer.from(pdf, "latin1")));
    if (typeof content === "string") throw new Error(`The PDF is ${content}`);
    expect(content.text()).toContain(`${WORDS[1]}`);
    expect(content.text()).toContain("Page 3 of this document is missing: it is damaged.");
  });

  test.each([
    ["to read them", [0, 0, 0, 1_000, 2_000, 6_500, 6_600, 6_700], WORDS.slice(0, 3)],
    ["for their layout", [0, 0, 0, 1_000, 2_000, 3_000, 6_900, 7_100], WORDS.slice(0, 2)],
  ])("because there is no time %s gives the pages until then", async (_what, times, words) => {
    const left = [...times];
    const limits = { ms: 6_000, now: () => left.shift() ?? 0 };
    const content = await pdfContent(new Uint8Array(makePdf(PAGES)), limits);
    if (typeof content === "string") throw new Error(`The PDF is ${content}`);
    for (const one of WORDS) expect(content.text().includes(one)).toBe(words.includes(one));
  });

  test("is whole if no limit is reached", async () => {
    const content = await pdfContent(new Uint8Array(makePdf(PAGES)), { pages: 4 });
    expect(typeof content === "string" ? content : content.isPartial).toBeUndefined();
  });
});

describe("hostile pages", () => {
  test.each([
    [
      "single letters all over",
      Array.from(
        { length: 20_000 },
        (_, n) => `BT /F1 4 Tf 1 0 0 1 ${(n * 7919) % 600} ${(n * 104_729) % 790} Tm (x) Tj ET`,
      ),
    ],
    [
      "a line of letters on each other",
      Array.from({ length: 10_000 }, () => "BT /F1 9 Tf 1 0 0 1 72 700 Tm (xyz) Tj ET"),
    ],
    [
      "a grid of lines",
      [
        ...Array.from({ length: 600 }, (_, n) => `${n} 0 m ${n} 790 l S 0 ${n} m 600 ${n} l S`),
        "BT /F1 9 Tf 72 700 Td (xyz) Tj ET",
      ],
    ],
    [
      "huge places",
      [
        "BT /F1 9 Tf 1 0 0 1 1e30 700 Tm (x) Tj ET",
        "BT /F1 9 Tf 1 0 0 1 -1e30 -1e30 Tm (y) Tj ET",
        "BT /F1 1e9 Tf 72 700 Td (z) Tj ET",
      ],
    ],
  ])("of %s are read", async (_what, operators) => {
    const content = await pdfContent(new Uint8Array(makePdf([operators.join("\n")])));
    expect(typeof content === "string" ? content : content.text()).toMatch(/[xyz]/);
  });
});

/** A font without a Unicode table, whose codes a predefined map defines. */
function asianFont(map: string, ordering: string): string {
  return `/F4 << /Type /Font /Subtype /Type0 /BaseFont /Own /Encoding /${map} /DescendantFonts [ << /Type /Font
    /Subtype /CIDFontType0 /BaseFont /Own /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >>
    /DW 1000 /FontDescriptor << /Type /FontDescriptor /FontName /Own /Flags 4 /FontBBox [0 -200 1000 900]
    /ItalicAngle 0 /Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 >> >> ] >>`;
}

async function asianText(map: string, ordering: string, stream: string): Promise<string> {
  const content = await pdfContent(makePdf([stream], { fonts: asianFont(map, ordering) }));
  return typeof content === "string" ? content : content.text().trim();
}

test.each([
  ["90ms-RKSJ-H", "Japan1", "93FA967B8CEA", "日本語"],
  ["UniJIS-UTF16-H", "Japan1", "65E5672C8A9E", "日本語"],
  ["GBK-EUC-H", "GB1", "D6D0CEC4", "中文"],
  ["ETen-B5-H", "CNS1", "A4A4A4E5", "中文"],
  ["KSCms-UHC-H", "Korea1", "C7D1B1B9BEEE", "한국어"],
])("text in the predefined map %s of %s is read", async (map, ordering, codes, text) => {
  expect(await asianText(map, ordering, `BT /F4 12 Tf 72 700 Td <${codes}> Tj ET`)).toBe(text);
});

test("columns of vertical writing are read from right to left", async () => {
  const stream = "BT /F4 12 Tf 500 700 Td <65E5672C8A9E> Tj ET BT /F4 12 Tf 480 700 Td <4E2D6587> Tj ET";
  expect((await asianText("UniJIS-UTF16-V", "Japan1", stream)).replace(/\s/g, "")).toBe("日本語中文");
});

test.each(["../../pdf", "Nope-H", "H/../../../x", "x".repeat(200)])(
  "a font with the map %j is read without its text",
  async (map) => {
    const stream = "BT /F4 12 Tf 72 700 Td <65E5> Tj ET BT /F1 12 Tf 72 600 Td (plain words) Tj ET";
    expect(await asianText(map.replaceAll("/", "#2F"), "Japan1", stream)).toContain("plain words");
  },
);

/** A bitmap font as TeX writes it, without a Unicode table. Its characters are empty boxes. */
const BITMAP_FONT = `/F4 << /Type /Font /Subtype /Type3 /FontMatrix [0.01 0 0 0.01 0 0] /FontBBox [0 -20 50 80]
  /FirstChar 0 /LastChar 127 /Widths [${"50 ".repeat(128)}] /CharProcs << >> /Encoding << /Type /Encoding /Differences [
  ${Array.from({ length: 128 }, (_, code) => `${code} /a${code}`).join(" ")} ] >> >>`;

async function bitmapText(...lines: readonly string[]): Promise<string> {
  const stream = lines.map((line, at) => `BT /F4 10 Tf 72 ${700 - at * 12} Td (${line}) Tj ET`).join("\n");
  const content = await pdfContent(makePdf([stream], { fonts: BITMAP_FONT }));
  return typeof content === "string" ? content : content.text().trim();
}

describe("bitmap fonts of TeX without a Unicode table", () => {
  test("have the ligatures, the quotation marks and the dashes of T1", async () => {
    const lines = [
      "The o\\036ce has \\034ltered its \\035ows, and di\\033erent ba\\037es",
      "are \\020gates\\021 \\025 as it says.",
    ];
    expect(await bitmapText(...lines)).toBe(
      "The office has filtered its flows, and different baffles are \u201Cgates\u201D \u2013 as it says.",
    );
  });

  test("have the ligatures of OT1, some of whose codes are spaces in Unicode, if they are more frequent", async () => {
    expect(await bitmapText("The o\\016ce of ba\\017es \\014nds co\\013ee that \\015ows.")).toBe(
      "The office of baffles finds coffee that flows.",
    );
  });

  test("leave formulas as they are, because their letters are not words", async () => {
    expect(await bitmapText("x\\033 = y\\034")).toBe("x = y");
  });
});

/** Fonts without a Unicode table: F4 shows glyphs by their numbers, F5 has names that are numbers, F6 no encoding. */
const DESCRIPTOR = `/FontDescriptor << /Type /FontDescriptor /FontName /Own /Flags 4 /FontBBox [0 -200 1000 900]
  /ItalicAngle 0 /Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 >>`;
const UNKNOWN_FONTS = `/F4 << /Type /Font /Subtype /Type0 /BaseFont /Own /Encoding /Identity-H /DescendantFonts [ << /Type
  /Font /Subtype /CIDFontType2 /BaseFont /Own /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>
  /DW 500 ${DESCRIPTOR} >> ] >>
  /F5 << /Type /Font /Subtype /Type1 /BaseFont /Own /FirstChar 33 /LastChar 60 /Widths [${"500 ".repeat(28)}] ${DESCRIPTOR}
  /Encoding << /Type /Encoding /Differences [33 ${Array.from({ length: 28 }, (_, n) => `/G${n + 16}`).join(" ")}] >> >>
  /F6 << /Type /Font /Subtype /TrueType /BaseFont /Own /FirstChar 33 /LastChar 90 /Widths [${"500 ".repeat(58)}]
  ${DESCRIPTOR} >>`;
/** Numbers of the glyphs of a usual font for a text. */
function glyphsOf(text: string): string {
  return `<${Array.from(text, (letter) => (letter.charCodeAt(0) - 29).toString(16).padStart(4, "0")).join("")}>`;
}

describe("text in a font that does not say which characters it has", () => {
  const sequence = '(!"#$%&\\47*+,-./!"#$%&*+,-.)';

  test.each([
    ["numbers of glyphs", `/F4 12 Tf 72 700 Td ${glyphsOf("The gate is of oak.")} Tj`],
    ["names of glyphs that are numbers", `/F5 12 Tf 72 700 Td ${sequence} Tj`],
    ["no encoding", `/F6 12 Tf 72 700 Td ${sequence} Tj`],
  ])("such as %s is an error if there is no other text", async (_what, operators) => {
    expect(await pdfContent(makePdf([`BT ${operators} ET`], { fonts: UNKNOWN_FONTS }))).toBe("unreadable");
  });

  test("is left out beside other text, and its page is named", async () => {
    const stream = `BT /F4 12 Tf 72 700 Td ${glyphsOf("The gate is of oak.")} Tj ET BT /F1 12 Tf 72 600 Td (It is paid.) Tj ET`;
    const content = await pdfContent(makePdf([stream], { fonts: UNKNOWN_FONTS }));
    expect(typeof content === "string" ? content : [content.isPartial, content.text()]).toEqual([
      true,
      "It is paid.\n\nText of page 1 is missing: its font does not say which characters it has.",
    ]);
  });

  test("is left out of a document with compressed objects", async () => {
    const bytes = await Bun.file(new URL("./testdata/compressed-objects.pdf", import.meta.url)).bytes();
    const content = await pdfContent(bytes);
    expect(typeof content === "string" ? content : [content.isPartial, content.text()]).toEqual([
      true,
      "It is paid.\n\nText of page 1 is missing: its font does not say which characters it has.",
    ]);
  });

  test("is left out beside a font with a character map of UTF-16", async () => {
    const stream = `BT /F5 12 Tf 72 700 Td ${sequence} Tj ET BT /F4 12 Tf 72 600 Td <65E5672C8A9E> Tj ET`;
    const fonts = asianFont("UniJIS-UTF16-H", "Japan1") + UNKNOWN_FONTS.slice(UNKNOWN_FONTS.indexOf("/F5"));
    const content = await pdfContent(makePdf([stream], { fonts }));
    expect(typeof content === "string" ? content : content.text()).toStartWith("日本語\n\nText of page 1 is missing");
  });

  test("is kept if it is language, because the numbers are those of its characters", async () => {
    const codes = Array.from("The gate is of oak.", hexOf).join("");
    const content = await pdfContent(makePdf([`BT /F4 12 Tf 72 700 Td <${codes}> Tj ET`], { fonts: UNKNOWN_FONTS }));
    expect(typeof content === "string" ? content : content.text()).toBe("The gate is of oak.");
  });
});

function hexOf(letter: string): string {
  return letter.charCodeAt(0).toString(16).padStart(4, "0");
}

/** The text of a PDF in F4 of `UNKNOWN_FONTS`, or in F6, with a table of the characters of its codes. */
async function mappedText(font: "F4" | "F6", codes: string, entries: readonly string[]): Promise<unknown> {
  const table = `1 begincodespacerange <0000> <FFFF> endcodespacerange
    ${entries.length} beginbfchar ${entries.join("\n")} endbfchar`;
  const fonts = UNKNOWN_FONTS.replace("/Encoding /Identity-H", "/Encoding /Identity-H /ToUnicode 7 0 R").replace(
    "/FirstChar 33 /LastChar 90",
    "/FirstChar 33 /LastChar 90 /ToUnicode 7 0 R",
  );
  const content = await pdfContent(makePdf([`BT /${font} 12 Tf 72 700 Td ${codes} Tj ET`, table], { fonts }));
  return typeof content === "string" ? content : [content.isPartial === true, content.text().split("\n")[0]];
}

describe("text in a font whose table does not map all codes", () => {
  const text = "The gate is of oak and the bridge is of stone, but a fence of wood stays.";
  const entriesOf = (letters: string, to: (letter: string) => string) => {
    const used = new Set(Array.from(letters).filter((letter) => letter !== " "));
    return [...used].map((letter) => `${glyphsOf(letter)} <${to(letter)}>`);
  };

  test.each([
    ["nothing", () => ""],
    ["U+0000", () => "0000"],
    ["U+FFFD", () => "FFFD"],
    ["characters for private use", (letter: string) => `E1${hexOf(letter).slice(2)}`],
  ])("is left out if most codes are mapped to %s", async (_what, to) => {
    expect(await mappedText("F4", glyphsOf(text), entriesOf(text, to))).toBe("unreadable");
  });

  test.each([
    ["F4", glyphsOf(text)],
    ["F6", '(!"#$%&\\47*+,-./!"#$%&*+,-.)'],
  ] as const)("is left out if the table of %s has a few other codes", async (font, codes) => {
    expect(await mappedText(font, codes, ["<0021> <0041>", "<0003> <0020>"])).toBe("unreadable");
  });

  test("has spaces if the table leaves out the usual number of the space", async () => {
    expect(await mappedText("F4", glyphsOf(text), entriesOf(text, hexOf))).toEqual([false, text]);
  });

  test("is kept if few characters are missing, which are marked, and its page is named", async () => {
    const entries = entriesOf(text.replaceAll(/[kb]/g, ""), hexOf);
    const kept = text.replaceAll(/[kb]/g, "\uFFFD");
    expect(await mappedText("F4", glyphsOf(text), entries)).toEqual([true, kept]);
  });
});

test("a text that is drawn twice at its place to look bold is read once", async () => {
  const stream = [72, 72.3, 100].map((x) => `BT /F1 12 Tf ${x} ${x > 90 ? 600 : 700} Td (The gate is of oak.) Tj ET`);
  const content = await pdfContent(makePdf([stream.join(" ")]));
  expect(typeof content === "string" ? content : content.text()).toBe("The gate is of oak.\n\nThe gate is of oak.");
});

test("a font may have codes of 32 bits in its Unicode table, and names for codes that it cannot have", async () => {
  const table = `1 begincodespacerange <00000000> <FFFFFFFF> endcodespacerange
    2 beginbfchar <00000021> <0059> <FFFFFFF0> <004E> endbfchar`;
  const encoding = "/Encoding << /Type /Encoding /Differences [33 /G16 4294967290 /G17] >>";
  const fonts = `/F4 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica ${encoding} /ToUnicode 7 0 R >>`;
  const content = await pdfContent(makePdf(["BT /F4 12 Tf 72 700 Td (!) Tj ET", table], { fonts }));
  expect(typeof content === "string" ? content : content.text()).toBe("Y");
});

test.each(["rc4", "aes", "aes256"])(
  "a document that is encrypted by %s with an empty password is read",
  async (name) => {
    const bytes = await Bun.file(new URL(`./testdata/encrypted-${name}.pdf`, import.meta.url)).bytes();
    const content = await pdfContent(bytes);
    expect(typeof content === "string" ? content : content.text()).toBe("Hello encrypted world of trains.");
  },
);
