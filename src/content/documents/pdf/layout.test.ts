import { describe, expect, test } from "bun:test";
import { makePdf, pdfColumn, type PdfText, pdfTexts } from "../../testing/pdf.ts";
import { pdfContent } from "../pdf.ts";
import { contentOf, LEFT, markdownOf, RIGHT } from "./testing/read-texts.ts";

/** Rows of cells at these places, 14 points apart. */
function table(top: number, places: readonly number[], rows: readonly (readonly string[])[]): PdfText[] {
  return rows.flatMap((row, at) => row.map((text, column): PdfText => [places[column] ?? 0, top - at * 14, text]));
}

const SHIPS = [
  ["Ship", "Flag", "Tons", "Remark"],
  ["Anna", "GB", "1,204", "first of its kind"],
  ["Berta", "NO", "922", "left at once"],
];
const SHIPS_TABLE =
  "| Ship | Flag | Tons | Remark |\n| --- | --- | --- | --- |\n| Anna | GB | 1,204 | first of its kind |\n| Berta | NO | 922 | left at once |";

describe("columns", () => {
  test("above and below a table that spans them are read apart", async () => {
    const page = [
      ...pdfColumn(72, 740, LEFT),
      ...pdfColumn(318, 740, RIGHT),
      ...table(640, [72, 160, 230, 330], SHIPS),
      ...pdfColumn(72, 580, RIGHT),
      ...pdfColumn(318, 580, LEFT),
    ];
    expect((await markdownOf(page)).split("\n\n")).toEqual([
      LEFT.join(" "),
      RIGHT.join(" "),
      SHIPS_TABLE,
      RIGHT.join(" "),
      LEFT.join(" "),
    ]);
  });

  test("of a newspaper are four, below a date that spans two of them, and their justified lines stay whole", async () => {
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
    const page: PdfText[] = [[215, 730, "Monday, 6 May 2024", 12], ...[72, 184, 296, 408].flatMap(column)];
    const text = words.flat().join(" ");
    expect((await markdownOf(page)).split("\n\n").slice(1)).toEqual([text, text, text, text]);
  });

  test("with short lines are read apart if their lines do not stand beside one another", async () => {
    const side = ["Skills", "Python", "Cataloguing", "First aid", "Welsh"].map(
      (text, at): PdfText => [72, 737 - at * 13, text],
    );
    expect(await markdownOf([...side, ...pdfColumn(240, 740, LEFT)])).toEndWith(`\n\n${LEFT.join(" ")}`);
  });

  test("of an index are read one after the other", async () => {
    const entries = [
      "apple 3, 17",
      "anchor 12-14",
      "ballast 9",
      "captain 5",
      "cargo 6, 11",
      "chart 30",
      "crane 7",
      "dock 21",
    ];
    const second = entries.map((entry) => `m${entry}`);
    const page = [...pdfColumn(72, 740, entries), ...pdfColumn(318, 740, second)];
    expect((await markdownOf(page)).split(/\s*\n/).filter((line) => line !== "")).toEqual([...entries, ...second]);
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

test("the lines of an address in a narrow column are kept, and those of a narrow text are joined", async () => {
  const address = ["12 Quay Street", "Cardiff CF10", "029 1234 5678", "ada@harbour.example"];
  expect(await markdownOf(pdfColumn(72, 740, address))).toBe(address.join("  \n"));
  const text = ["The Harbour Office", "Of Cardiff and the", "City of Newport on", "The River Usk has"];
  expect(await markdownOf(pdfColumn(72, 740, text))).toBe(text.join(" "));
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

  test("such as a list and a caption are read one after the other, and the list stays whole", async () => {
    const page: PdfText[] = [
      ...pdfColumn(40, 740, [
        "- Customers ask for smaller",
        "  boats with larger engines",
        "- Delivery takes six weeks",
      ]),
      ...pdfColumn(380, 740, ["Figure: orders by month", "Source: sales office"]),
    ];
    const list = "- Customers ask for smaller boats with larger engines\n- Delivery takes six weeks";
    expect(await markdownOf(page)).toBe(`${list}\n\nFigure: orders by month Source: sales office`);
  });

  test("such as the items of a list and a word for each stay in their lines", async () => {
    const page: PdfText[] = [
      ...pdfColumn(40, 740, ["- Anna Smith", "- Bo Jones"]),
      ...pdfColumn(380, 740, ["Director", "Clerk"]),
    ];
    expect(await markdownOf(page)).toBe("- Anna Smith Director\n- Bo Jones Clerk");
  });

  test("do not part an address at whose middle a heading stands", async () => {
    const page: PdfText[] = [
      [72, 716, "Invoice", 20, "F2"],
      [400, 740, "Gates and Sons"],
      [400, 728, "12 Quay Street"],
      [400, 716, "Cardiff"],
      [72, 640, LEFT.slice(0, 3).join(" ")],
    ];
    expect(await markdownOf(page)).toStartWith("# Invoice\n\nGates and Sons  \n12 Quay Street  \nCardiff\n\n");
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
  test("have numbers that are close together, and one head for each of their columns", async () => {
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
      [345, 714, "Price   Amount"],
    ];
    expect(await markdownOf([...head, ...rows])).toBe(
      "| Item | Qty | Price | Amount |\n| --- | --- | --- | --- |\n| Rope | 25 | 4.20 | 105.00 |\n| Anchor | 1 | 310.00 | 310.00 |\n| Jacket | 4 | 59.90 | 239.60 |",
    );
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

  test("of a manual page are the bold lines before the text, and not its terms", async () => {
    const page: PdfText[] = [
      [72, 760, "FLOW(1)"],
      [250, 760, "User Commands"],
      [450, 760, "FLOW(1)"],
      [72, 730, "NAME", 10, "F2"],
      [108, 718, "flow - filter the flows of an office"],
      [72, 700, "OPTIONS", 10, "F2"],
      [90, 688, "Filters", 10, "F2"],
      [108, 676, "-v, --verbose", 10, "F2"],
      [144, 664, "Be verbose, which is of use to those who look for"],
      [144, 652, "the reason of a fault."],
      [108, 634, "file", 10, "F2"],
      [144, 622, "Read this file."],
    ];
    const content = await contentOf([page]);
    expect(content.title).toBe("FLOW(1)");
    expect(content.markdown().match(/^#.*/gm)).toEqual(["# NAME", "# OPTIONS", "## Filters"]);
    expect(content.markdown()).toContain("file\n\nRead this file.");
  });
});

/** A bitmap font as PostScript converters write it: its own unit, and names of two signs that are also characters. */
function bitmapFont(names: Readonly<Record<string, string>>): string {
  const letters = Object.entries(names);
  const widths = Array.from({ length: 128 }, (_, code) =>
    !(String.fromCharCode(code) in names) ? 0 : code === 105 ? 25 : 50,
  );
  return `/F4 << /Type /Font /Subtype /Type3 /FontMatrix [1 0 0 1 0 0] /FontBBox [0 0 0 0] /FirstChar 0 /LastChar 127
    /Widths [${widths.join(" ")}] /CharProcs << ${letters.map(([, name]) => `/${name} 3 0 R`).join(" ")} >>
    /Encoding << /Type /Encoding /Differences [${letters.map(([letter, name]) => `${letter.charCodeAt(0)} /${name}`).join(" ")}] >> >>`;
}

test("bitmap fonts of PostScript converters are read with the size and all letters of their text", async () => {
  const names = {
    o: "D3",
    f: "CU",
    i: "CX",
    c: "CR",
    e: "CT",
    s: "D7",
    "\u000B": "AB",
    "\u000E": "AE",
    "\u0013": "AJ",
    d: "CS",
    r: "D6",
  };
  const shown = "BT /F4 0.12 Tf 1 0 0 1 72 700 Tm [(o\\016ce) -30000 (di\\013ers) -30000 (cof\\023) 50000 (e)] TJ ET";
  const heading = "BT /F1 16 Tf 72 740 Td (Offices) Tj ET";
  const content = await pdfContent(makePdf([`${heading}\n${shown}`], { fonts: bitmapFont(names) }));
  expect(typeof content === "string" ? content : content.text()).toBe("Offices\n\noffice differs cofé");
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

  test("that begin a text and are as high as several lines belong to its first line", async () => {
    const page: PdfText[] = [
      [72, 717, "T", 32],
      ...pdfColumn(94, 740, [`h${(LEFT[0] ?? "").slice(2)}`, ...LEFT.slice(1, 3)]),
    ];
    expect(await markdownOf(page)).toBe(LEFT.slice(0, 3).join(" "));
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

  test("is a watermark if it is much larger than the text", async () => {
    const pages = [0, 1, 2].map((number) => pageWith(number, [[200, 400, "DRAFT", 40]]));
    const content = await contentOf(pages);
    expect([content.text().includes("DRAFT"), content.title]).toEqual([false, ""]);
  });
});
