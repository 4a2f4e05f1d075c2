import { describe, expect, test } from "bun:test";
import { makePdf, pdfColumn, type PdfText, pdfTexts } from "../../testing/pdf.ts";
import { pdfContent } from "../pdf.ts";
import { contentOf, LEFT, markdownOf, RIGHT } from "./testing/read-texts.ts";

/** Rows of cells at these places, 14 points apart. */
function table(top: number, places: readonly number[], rows: readonly (readonly string[])[]): PdfText[] {
  return rows.flatMap((row, at) => row.map((text, column): PdfText => [places[column] ?? 0, top - at * 14, text]));
}

/** A title, a line, an address, and two sections. */
function titled(line: string): PdfText[] {
  return [
    [72, 760, "On Rivers", 20, "F2"],
    [72, 735, line, 14, "F2"],
    [72, 715, "Cardiff"],
    [72, 690, "Introduction", 14, "F2"],
    ...pdfColumn(72, 670, LEFT),
    [72, 500, "Results", 14, "F2"],
    ...pdfColumn(72, 480, RIGHT),
  ];
}

test("close columns are a table if each text stands at the edge of its column", async () => {
  const rows = ["Ada", "Benno", "Carla", "Dirk", "Elena"].map((name, at) => [
    name,
    String(1000 + at),
    `town of ${name}`,
  ]);
  const read = await markdownOf(table(700, [72, 104, 128], [["Name", "No.", "Town"], ...rows]));
  expect(read.split("\n")).toContain("| Carla | 1002 | town of Carla |");
  expect(read.split("\n")).toContain("| Name | No. | Town |");
});

test("the lowest line of a row may be the only one in the first column", async () => {
  const page: PdfText[] = [
    [72, 740, "Position"],
    [180, 740, "Tasks"],
    [450, 740, "Term"],
    [180, 722, "Guides vessels through the bar, and reports the"],
    [72, 710, "Harbour pilot"],
    [180, 710, "depth of the channel."],
    [450, 710, "until 2029"],
    [180, 692, "Opens the lock from six in the morning, and"],
    [72, 680, "Lock keeper"],
    [180, 680, "keeps the log."],
    [450, 680, "until 2027"],
  ];
  expect((await markdownOf(page)).split("\n").slice(2)).toEqual([
    "| Harbour pilot | Guides vessels through the bar, and reports the depth of the channel. | until 2029 |",
    "| Lock keeper | Opens the lock from six in the morning, and keeps the log. | until 2027 |",
  ]);
});

test.each([160, 161])("a first line of %d letters is a title if it has at most 160", async (length) => {
  const line = "of the gate ".repeat(20).slice(0, length - 1);
  const content = await contentOf([[[20, 740, `${line}s`, 7], ...pdfColumn(72, 700, LEFT)]]);
  expect(content.title).toBe(length > 160 ? "" : `${line}s`);
});

describe("columns", () => {
  test("of a newspaper are four, and their justified lines stay whole", async () => {
    const words = [
      ["Ships of", "all sizes"],
      ["came", "in the", "year"],
      ["of the great flood."],
      ["Nobody has counted"],
      ["them since, and the"],
      ["office is closed now."],
    ];
    const column = (x: number): PdfText[] =>
      words.flatMap((line, at) =>
        line.map((text, part): PdfText => [x + (part * 52) / (line.length - 1 || 1), 700 - at * 10, text, 8]),
      );
    const page: PdfText[] = [72, 184, 296, 408].flatMap(column);
    const text = words.flat().join(" ");
    expect((await markdownOf(page)).split("\n\n")).toEqual([text, text, text, text]);
  });

  test("with short lines are read apart if their lines do not stand beside one another", async () => {
    const side = ["Skills", "Python", "Cataloguing", "First aid", "Welsh"].map(
      (text, at): PdfText => [72, 737 - at * 13, text],
    );
    expect(await markdownOf([...side, ...pdfColumn(240, 740, LEFT)])).toEndWith(`\n\n${LEFT.join(" ")}`);
  });

  test("continue a paragraph in the next column", async () => {
    const [first, second] = [LEFT.slice(0, 3), LEFT.slice(3)];
    const page = [...pdfColumn(72, 740, first), ...pdfColumn(318, 740, second)];
    expect(await markdownOf(page)).toBe(LEFT.join(" "));
  });

  test("are separated from a heading in larger letters close to them", async () => {
    const page: PdfText[] = [
      ...pdfColumn(72, 700, LEFT),
      [290, 700, "References", 14, "F2"],
      ...pdfColumn(290, 680, RIGHT),
    ];
    expect(await markdownOf(page)).toBe(`${LEFT.join(" ")}\n\n# References\n\n${RIGHT.join(" ")}`);
  });
});

describe("lines between a title and the first heading", () => {
  test("are authors if they are names, with initials and marks", async () => {
    const names = "A. Smith, B.K. Jones2 and C. Li";
    expect(await markdownOf(titled(names))).toStartWith(`# On Rivers\n\n${names}\n\nCardiff\n\n## Introduction\n\n`);
  });

  // A pattern that tries all ways to split the word would take years for it.
  test("are headings if they are one long word in capitals with a mark behind it", async () => {
    const word = `${"A".repeat(40)}!`;
    expect(await markdownOf(titled(word))).toStartWith(`# On Rivers\n\n## ${word}\n\nCardiff\n\n## Introduction\n\n`);
  });
});

describe("texts beside one another", () => {
  test("such as a heading and an address are read one after the other", async () => {
    const page: PdfText[] = [
      [72, 740, "INVOICE", 18, "F2"],
      [400, 740, "Gates and Sons"],
      [400, 728, "12 Quay Street"],
      [400, 716, "Cardiff"],
      [72, 660, LEFT.slice(0, 3).join(" ")],
    ];
    expect(await markdownOf(page)).toStartWith("# INVOICE\n\nGates and Sons  \n12 Quay Street  \nCardiff\n\n");
  });

  test("such as the items of a list and a word for each stay in their lines", async () => {
    const page: PdfText[] = [
      ...pdfColumn(40, 740, ["- Anna Smith", "- Bo Jones"]),
      ...pdfColumn(380, 740, ["Director", "Clerk"]),
    ];
    expect(await markdownOf(page)).toBe("- Anna Smith Director\n- Bo Jones Clerk");
  });

  test("keep an amount beside its label", async () => {
    const page: PdfText[] = [
      ...pdfColumn(72, 740, LEFT),
      [300, 640, "Subtotal"],
      [450, 640, "654.60"],
      [300, 628, "VAT"],
    ];
    expect(await markdownOf([...page, [450, 628, "130.92"]])).toEndWith("Subtotal 654.60  \nVAT 130.92");
  });
});

describe("tables without lines", () => {
  test("have numbers that are close together", async () => {
    const rows = table(
      700,
      [72, 300, 345, 385],
      [
        ["Rope", "25", "4.20", "105.00"],
        ["Anchor", "1", "310.00", "310.00"],
        ["Jacket", "4", "59.90", "239.60"],
      ],
    );
    const head: PdfText[] = [
      [72, 714, "Item"],
      [300, 714, "Qty"],
      [345, 714, "Price"],
      [385, 714, "Amount"],
    ];
    expect(await markdownOf([...head, ...rows])).toBe(
      "| Item | Qty | Price | Amount |\n| --- | --- | --- | --- |\n| Rope | 25 | 4.20 | 105.00 |\n| Anchor | 1 | 310.00 | 310.00 |\n| Jacket | 4 | 59.90 | 239.60 |",
    );
  });

  test("have texts across two columns that are divided at their spaces", async () => {
    const rows = table(
      700,
      [72, 300, 330, 385],
      [
        ["Item", "Qty", "Price", "Amount"],
        ["Rope", "25", "4.20", "105.00"],
        ["Anchor", "1", "310.00", "310.00"],
      ],
    );
    const across: PdfText[] = [
      [72, 658, "Jacket"],
      [300, 658, "4000 59.90"],
      [385, 658, "239.60"],
    ];
    expect(await markdownOf([...rows, ...across])).toEndWith("\n| Jacket | 4000 | 59.90 | 239.60 |");
  });

  test("have rows whose cells stand at different heights", async () => {
    const page: PdfText[] = [
      ...table(
        700,
        [72, 300, 400],
        [
          ["Item", "Qty", "Price"],
          ["Rope", "25", "4.20"],
        ],
      ),
      [72, 672, "Anchor with chain"],
      [300, 666, "1"],
      [400, 666, "310.00"],
      [72, 660, "and shackle"],
      ...table(644, [72, 300, 400], [["Jacket", "4", "59.90"]]),
    ];
    expect(await markdownOf(page)).toContain("\n| Anchor with chain and shackle | 1 | 310.00 |\n| Jacket |");
  });
});

test.each([
  [
    "ends before the items of a list below it",
    ["- Buy rope", "- Ask the pilot", "The board left."],
    "| Both adjourned | 2 | 4 |",
  ],
  ["goes on below an item with a wrapped text", ["- Cranes for grain and", "for timber|5|2"], "| for timber | 5 | 2 |"],
  [
    "goes on below an item in another column",
    ["|- at noon", "|- at night"],
    "| Both adjourned | 2 - at noon - at night | 4 |",
  ],
])("a table without lines %s", async (_what, below, last) => {
  const written = ["Motion|For|Against", "New crane|3|1", "Both adjourned|2|4", ...below];
  const page = table(
    700,
    [60, 220, 380],
    written.map((row) => row.split("|")),
  );
  const markdown = await markdownOf(page.filter(([, , text]) => text !== ""));
  expect(markdown.split("\n").findLast((line) => line.startsWith("|"))).toBe(last);
});

test("a label of several lines is one cell above its values, if its lines are closer than the rows", async () => {
  const page: PdfText[] = [
    ...table(700, [60, 220, 300], [["Item", "2024", "2025"]]),
    [60, 682, "Salaries and social costs"],
    ...table(670, [60, 220, 300], [["of the keepers", "1,204", "1,310"]]),
    ...table(652, [60, 220, 300], [["Repairs", "88", "412"]]),
    ...table(634, [60, 220, 300], [["Total", "1,292", "1,722"]]),
  ];
  expect((await markdownOf(page)).split("\n").slice(2)).toEqual([
    "| Salaries and social costs of the keepers | 1,204 | 1,310 |",
    "| Repairs | 88 | 412 |",
    "| Total | 1,292 | 1,722 |",
  ]);
});

test("lines of a table without lines are rows if those below a label are as close as it", async () => {
  const rows = [["Home room"], ["Teacher", "Room", "Pupils"], ["Ann", "12", "30"]];
  const page: PdfText[] = [
    ...table(700, [60, 220, 380], [["Class", "Place", "Number"]]),
    ...[676, 624].flatMap((top) => table(top, [60, 220, 380], rows)),
  ];
  expect((await markdownOf(page)).split("\n").slice(2, 4)).toEqual([
    "| Home room |  |  |",
    "| Teacher | Room | Pupils |",
  ]);
});

test("a grid needs lines between its columns, unlike the frames of slides", async () => {
  const texts: PdfText[] = [
    [80, 700, "Hired"],
    [330, 700, "Left"],
    [80, 680, "two captains"],
    [330, 680, "one cook"],
    [80, 55, "A. Marsh"],
    [330, 55, "Review"],
  ];
  const lines = [
    [60, 40, 60, 740],
    [500, 40, 500, 740],
    [60, 40, 500, 40],
    [60, 70, 500, 70],
    [60, 740, 500, 740],
    [200, 40, 200, 70],
    [350, 40, 350, 70],
  ];
  const drawn = lines.map(([x, y, toX, toY]) => `${x} ${y} m ${toX} ${toY} l S`).join("\n");
  const content = await pdfContent(makePdf([`${pdfTexts(texts)}\n${drawn}`]));
  expect(typeof content === "string" ? content : content.markdown()).not.toContain("A. Marsh |");
});

describe("headings in letters of the text's size", () => {
  test("are numbered or in capitals, end early, and follow a gap", async () => {
    const page = [
      ...pdfColumn(72, 740, ["1. GENERAL", ...LEFT]),
      ...pdfColumn(72, 640, ["1.1 Scope", ...RIGHT]),
      ...pdfColumn(72, 540, ["2. PRICES", ...LEFT]),
    ];
    expect((await markdownOf(page)).match(/^#.*/gm)).toEqual(["# 1. GENERAL", "## 1.1 Scope", "# 2. PRICES"]);
  });

  test("are not items of a list or numbers in a text", async () => {
    const page = [
      ...pdfColumn(72, 740, ["1. one", "2. two", "3. three"]),
      ...pdfColumn(72, 690, [
        "The year of the flood was",
        "1871. NATO was not there",
        "at that time, as far as is known.",
      ]),
    ];
    expect(await markdownOf(page)).not.toContain("#");
  });
});

test("the title of a manual page is its name", async () => {
  const page: PdfText[] = [
    [72, 760, "FLOW(1)"],
    [250, 760, "User Commands"],
    [450, 760, "FLOW(1)"],
    [72, 730, "NAME", 10, "F2"],
    [108, 718, "flow - filter the flows of an office"],
  ];
  expect((await contentOf([page])).title).toBe("FLOW(1)");
});

describe("letters", () => {
  test("have the accents that end the text before them, if they are below these", async () => {
    const page: PdfText[] = [
      [72, 700, "Andr\u00C2"],
      [93.5, 700, "e and Fran\u00CB"],
      [143, 700, "cois write \u00C2 and e."],
    ];
    expect(await markdownOf(page)).toMatch(/^Andr\u00E9 and Fran\u00E7ois write \u00B4 and e\.$/);
  });
});

test("a contents list has leaders or not, and its entries are nested", async () => {
  const entries: [number, string, string][] = [
    [72, "1 Gates", "3"],
    [90, "1.1 Keepers", "4"],
    [90, "1.2 Tolls . . . . . . . . . . . . .", "9"],
    [72, "2 Roads", "12"],
  ];
  const without = entries.map(([x, text, page]): [number, string, string] => [x, text.replace(/[ .]+$/, ""), page]);
  for (const list of [entries, without]) {
    const page = list.flatMap(([x, text, number], at): PdfText[] => [
      [x, 700 - at * 14, text],
      [number.length > 1 ? 394.4 : 400, 700 - at * 14, number],
    ]);
    expect(await markdownOf(page)).toBe(
      "- 1 Gates \u2026 3\n  - 1.1 Keepers \u2026 4\n  - 1.2 Tolls \u2026 9\n- 2 Roads \u2026 12",
    );
  }
});

test("the value of a form field is left out if the page shows it at its place", async () => {
  const fields = ["/FT /Tx /T (a) /V (Doe) /Rect [180 696 330 712]"];
  const texts: PdfText[] = [
    [72, 700, "Surname:"],
    [182, 700, "Doe"],
  ];
  const content = await contentOf([texts], { fields, catalog: "/AcroForm << /Fields [] >>" });
  expect(content.text().match(/Doe/g)).toHaveLength(1);
});

describe("lines", () => {
  test("of an address are kept, and those of a paragraph are joined", async () => {
    const address = ["Jane Doe", "Dockside Cottage 4", "Newport"];
    const page = [...pdfColumn(72, 740, address), ...pdfColumn(72, 680, LEFT)];
    const content = await contentOf([page]);
    expect(content.markdown()).toBe(`${address.join("  \n")}\n\n${LEFT.join(" ")}`);
    expect(content.text()).toBe(`${address.join("\n")}\n\n${LEFT.join(" ")}`);
    expect(content.html()).toContain(address.join("<br>"));
  });

  test("of a term end before the indented text that explains it", async () => {
    const page: PdfText[] = [[72, 740, "Ledger"], ...pdfColumn(100, 728, LEFT)];
    expect(await markdownOf(page)).toBe(`Ledger\n\n${LEFT.join(" ")}`);
  });

  test("have raised and lowered letters that are only a little smaller", async () => {
    const page: PdfText[] = [
      [72, 700, "H"],
      [79, 696, "2", 8.7],
      [84, 700, "O is water, and x"],
      [159.3, 704, "2", 8.7],
      [167, 700, "is not."],
    ];
    expect(await markdownOf(page)).toBe("H<sub>2</sub>O is water, and x<sup>2</sup> is not.");
  });
});

function pageWith(number: number, more: readonly PdfText[]): PdfText[] {
  return [...more, ...pdfColumn(72, 640, [`Words of page ${["one", "two", "three"][number]} alone.`])];
}

describe("text at the same place of each page", () => {
  test("is a heading if it is large and its number changes", async () => {
    const pages = [0, 1, 2].map((number) => pageWith(number, [[72, 740, `Chapter ${number + 1}`, 16]]));
    expect((await markdownOf(...pages)).match(/^#.*/gm)).toEqual(["# Chapter 1", "# Chapter 2", "# Chapter 3"]);
  });
});

/** Six paragraphs with gaps between them. */
function sections(x: number, top: number, lines: readonly string[]): PdfText[] {
  return [0, 60, 120, 180, 240, 300].flatMap((below) => pdfColumn(x, top - below, lines.slice(0, 3)));
}

describe("letters and papers", () => {
  test("have the sender's address at the right before the recipient below it", async () => {
    const page: PdfText[] = [
      ...pdfColumn(470, 740, ["Harbour Office", "2 Pier Road", "Whitby"]),
      ...pdfColumn(72, 700, ["Mr T. Zielinski", "ul. Morska 81", "81-225 Gdynia"]),
      [470, 656, "3 March 2025"],
      [72, 632, "Dear Mr Zielinski,"],
      ...pdfColumn(72, 610, LEFT),
    ];
    const texts = ["Harbour Office", "Mr T. Zielinski", "3 March 2025", "Dear Mr Zielinski,"];
    const markdown = await markdownOf(page);
    const places = texts.map((text) => markdown.indexOf(text));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  test("have columns whose sections end at the same heights by chance", async () => {
    const page = [...sections(72, 740, LEFT), ...sections(318, 735, RIGHT)];
    const markdown = await markdownOf(page);
    expect(markdown).not.toContain("|");
    expect(markdown.lastIndexOf("The toll is paid")).toBeLessThan(markdown.indexOf("The second column"));
  });

  test("have sentences in letters larger than those of their tables that are not headings", async () => {
    const rows = Array.from({ length: 14 }, (_, at) => [`Card payment ${at}`, `${at + 2}.80`, `1,${at + 100}.20`]);
    const small = table(640, [72, 300, 400], rows).map(([x, y, text]): PdfText => [x, y, text, 8]);
    const page: PdfText[] = [
      [72, 740, "Your account", 18, "F2"],
      [72, 700, "The customer may repay the loan at any time.", 10],
      ...small,
    ];
    expect((await markdownOf(page)).match(/^#.*/gm)).toEqual(["# Your account"]);
  });
});

test("codes that are divided after their hyphen have no space", async () => {
  const page = pdfColumn(72, 740, [
    "The relay that is known in the catalogue of the works as the type PG-",
    "100 is old.",
  ]);
  expect(await markdownOf(page)).toEndWith("PG-100 is old.");
});

test("the lines of an address above longer text are kept", async () => {
  const address = ["Marlow Hydraulics GmbH", "Attn. Accounts Payable", "Industriestrasse 41", "70565 Stuttgart"];
  const cells = [
    ["Pos.", "Article", "Amount"],
    ["1", "Pressure gauge", "1,014.00"],
    ["2", "Transmitter", "848.00"],
  ];
  const page = [...pdfColumn(72, 740, address), ...table(680, [72, 200, 480], cells)];
  expect(await markdownOf(page)).toStartWith(address.join("  \n"));
});
