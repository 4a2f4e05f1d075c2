/** Documents of the bench that are written text by text, with and without tables. */
import { makePdf } from "../../src/content/testing/pdf.ts";
import { pick, type Random, randomFrom, sentences, type Table, TABLES, textsOf, words } from "./model.ts";
import { drawTable, type Look, type Rules, textAt, widthOf, wrapped } from "./written.ts";

/** The lines of a table: around all cells, some, or none. `text` is a document without tables. */
export type Kind = "ruled" | "partly" | "unruled" | "close" | "text";

export interface Case {
  readonly name: string;
  readonly kind: Kind;
  readonly bytes: Uint8Array;
  /** The texts of the cells of each table. */
  readonly tables: readonly (readonly (readonly string[])[])[];
  /** The headings, if the case counts them. */
  readonly headings?: readonly string[];
}

const LEFT = 60;
const TOP = 730;
const WIDTH = 490;

const KINDS: Readonly<Record<Rules, Kind>> = {
  all: "ruled",
  boxes: "ruled",
  thin: "ruled",
  rows: "partly",
  columns: "partly",
  book: "partly",
  zebra: "partly",
  frame: "partly",
  none: "unruled",
};

/** A page that is filled from above. */
class Sheet {
  readonly stream: string[] = [];
  y: number;
  readonly left: number;
  readonly width: number;

  constructor(left = LEFT, width = WIDTH, y = TOP) {
    this.left = left;
    this.width = width;
    this.y = y;
  }

  text(text: string, size = 10, font = "F1", from = this.left): void {
    for (const line of wrapped(text, this.width - from + this.left, size, font === "F2")) {
      this.stream.push(textAt(line, [from, this.y], size, font));
      this.y -= size * 1.2;
    }
    this.y -= size * 0.7;
  }

  lines(lines: readonly string[], size = 10, from = this.left, font = "F1"): void {
    for (const line of lines) {
      this.stream.push(textAt(line, [from, this.y], size, font));
      this.y -= size * 1.2;
    }
    this.y -= size * 0.7;
  }

  table(table: Table, look: Look): void {
    const drawn = drawTable(table, look, this.left, this.y);
    this.stream.push(drawn.stream);
    this.y -= drawn.height + look.size * 2;
  }
}

function lookOf(random: Random, rules: Rules): Look {
  const size = pick(random, [8, 9, 10, 11]);
  return {
    rules,
    size,
    padding: KINDS[rules] === "unruled" ? pick(random, [5, 7, 10]) : pick(random, [2, 4, 7]),
    room: pick(random, [1, 2.5, 4]),
    most: pick(random, [80, 110]),
    isMiddle: random() < 0.4,
    isByWord: random() < 0.3,
  };
}

/** A page with a heading, a text, a table and another text. */
function tablePage(table: Table, look: Look, random: Random): Uint8Array {
  const sheet = new Sheet();
  sheet.text(words(random, 2, 4), 16, "F2");
  sheet.text(sentences(random, 3));
  if (random() < 0.5) sheet.text(`Table 1: ${words(random, 3, 6)}`, 9);
  sheet.table(table, look);
  sheet.text(sentences(random, 3));
  return makePdf([sheet.stream.join("\n")]);
}

function besideTables(random: Random, rules: Rules): { bytes: Uint8Array; tables: string[][][] } {
  const tables = [TABLES["pairs"], TABLES["science"]].flatMap((make) => (make === undefined ? [] : [make(random, 8)]));
  const sheet = new Sheet();
  sheet.text(sentences(random, 4));
  let left = LEFT;
  for (const table of tables) {
    const drawn = drawTable(table, { ...lookOf(random, rules), size: 8, padding: 5 }, left, sheet.y);
    sheet.stream.push(drawn.stream);
    left += drawn.width + 40;
  }
  sheet.y -= 220;
  sheet.text(sentences(random, 4));
  return { bytes: makePdf([sheet.stream.join("\n")]), tables: tables.map(textsOf) };
}

/** A table in the left half beside two paragraphs in the right half. */
function besideText(random: Random, rules: Rules): { bytes: Uint8Array; tables: string[][][] } {
  const table = (TABLES["pairs"] ?? fail)(random, 10);
  const [left, right] = [new Sheet(), new Sheet(330, 220)];
  left.table(table, { ...lookOf(random, rules), size: 9, padding: 6 });
  right.text(sentences(random, 5));
  right.text(sentences(random, 5));
  return { bytes: makePdf([[...left.stream, ...right.stream].join("\n")]), tables: [textsOf(table)] };
}

function fail(): never {
  throw new Error("Cannot make a table: its kind is unknown");
}

/** A table that continues on a second page, with or without its head. */
function longTable(random: Random, rules: Rules, isRepeated: boolean): { bytes: Uint8Array; tables: string[][][] } {
  const table = (TABLES["stock"] ?? fail)(random, 24);
  const look = { ...lookOf(random, rules), most: 160 };
  const [head = [], ...rows] = table.rows;
  const [first, second] = [new Sheet(), new Sheet()];
  first.text(sentences(random, 3));
  // Both parts have the same columns.
  const widest = drawTable(table, look, LEFT, TOP).width;
  const parts = [rows.slice(0, 12), rows.slice(12)].map((part, at) => ({
    heads: at === 0 || isRepeated ? 1 : 0,
    rows: at === 0 || isRepeated ? [head, ...part] : part,
  }));
  if (widest > WIDTH + 40) throw new Error("Cannot draw a table: it is too wide");
  for (const [at, part] of parts.entries()) (at === 0 ? first : second).table(part, look);
  second.text(sentences(random, 3));
  return { bytes: makePdf([first, second].map(({ stream }) => stream.join("\n"))), tables: [textsOf(table)] };
}

const NONE: readonly (readonly (readonly string[])[])[] = [];

const TEXTS: Readonly<Record<string, (random: Random) => Uint8Array>> = {
  columns: (random) => {
    const sheets = [new Sheet(60, 230), new Sheet(320, 230)];
    for (const sheet of sheets) for (let at = 0; at < 5; at += 1) sheet.text(sentences(random, 4));
    return makePdf([sheets.flatMap(({ stream }) => stream).join("\n")]);
  },
  "three-columns": (random) => {
    const sheets = [60, 226, 392].map((x) => new Sheet(x, 150));
    for (const sheet of sheets) for (let at = 0; at < 5; at += 1) sheet.text(sentences(random, 2), 9);
    return makePdf([sheets.flatMap(({ stream }) => stream).join("\n")]);
  },
  form: (random) => {
    const sheet = new Sheet();
    sheet.text("Application", 16, "F2");
    for (let at = 0; at < 12; at += 1) {
      sheet.stream.push(`200 ${sheet.y - 2} m 460 ${sheet.y - 2} l S`, textAt(words(random, 1, 2), [210, sheet.y], 10));
      sheet.lines([`${words(random, 1, 3)}:`]);
    }
    return makePdf([sheet.stream.join("\n")]);
  },
  definitions: (random) => {
    const sheet = new Sheet();
    for (let at = 0; at < 10; at += 1) {
      sheet.stream.push(textAt(words(random, 1, 1), [LEFT, sheet.y], 10, "F2"));
      sheet.text(sentences(random, 2), 10, "F1", LEFT + 100);
    }
    return makePdf([sheet.stream.join("\n")]);
  },
  items: (random) => {
    const sheet = new Sheet();
    for (let at = 1; at < 12; at += 1) {
      sheet.stream.push(textAt(`${at}.`, [LEFT, sheet.y], 10));
      sheet.text(words(random, 3, 30), 10, "F1", LEFT + 25);
    }
    return makePdf([sheet.stream.join("\n")]);
  },
  letter: (random) => {
    const sheet = new Sheet();
    const address = [0, 1, 2, 3].map(() => words(random, 2, 3));
    address.forEach((line, at) => sheet.stream.push(textAt(line, [380, TOP - at * 12], 10)));
    sheet.lines([0, 1, 2, 3].map(() => words(random, 2, 3)));
    sheet.lines(["Dear Sir or Madam,"]);
    for (let at = 0; at < 4; at += 1) sheet.text(sentences(random, 4));
    return makePdf([sheet.stream.join("\n")]);
  },
  boxes: (random) => {
    const sheet = new Sheet();
    for (let at = 0; at < 4; at += 1) {
      const top = sheet.y + 16;
      sheet.text(sentences(random, 4));
      sheet.stream.push(`${LEFT - 8} ${sheet.y + 6} ${WIDTH + 16} ${top - sheet.y - 6} re S`);
      sheet.y -= 20;
    }
    return makePdf([sheet.stream.join("\n")]);
  },
  "boxed-columns": (random) => {
    const sheets = [new Sheet(60, 230), new Sheet(320, 230)];
    for (const sheet of sheets) {
      for (let at = 0; at < 4; at += 1) sheet.text(sentences(random, 4));
      sheet.stream.push(`${sheet.left - 8} ${sheet.y} ${sheet.width + 16} ${TOP + 14 - sheet.y} re S`);
    }
    return makePdf([sheets.flatMap(({ stream }) => stream).join("\n")]);
  },
  chart: (random) => {
    const sheet = new Sheet();
    sheet.text(sentences(random, 3));
    for (let at = 0; at < 6; at += 1) {
      const y = 600 - at * 40;
      sheet.stream.push(`100 ${y} m 500 ${y} l S`, textAt(String(50 - at * 10), [70, y - 3], 9));
      sheet.stream.push(
        `${130 + at * 60} 400 20 ${random() * 180} re f`,
        textAt(String(2019 + at), [130 + at * 60, 388], 9),
      );
    }
    sheet.y = 360;
    sheet.text(sentences(random, 3));
    return makePdf([sheet.stream.join("\n")]);
  },
  justified: (random) => {
    const sheet = new Sheet(LEFT, 210);
    for (let at = 0; at < 6; at += 1) {
      for (const line of wrapped(sentences(random, 4), 210, 10)) {
        const parts = line.split(" ");
        const spare = (210 - widthOf(parts.join(""), 10)) / Math.max(1, parts.length - 1);
        let x = LEFT;
        for (const part of parts) {
          sheet.stream.push(textAt(part, [x, sheet.y], 10));
          x += widthOf(part, 10) + spare;
        }
        sheet.y -= 12;
      }
      sheet.y -= 7;
    }
    return makePdf([sheet.stream.join("\n")]);
  },
  ruled: (random) => {
    const sheet = new Sheet();
    for (let at = 0; at < 6; at += 1) {
      sheet.text(sentences(random, 3));
      sheet.stream.push(`${LEFT} ${sheet.y + 10} m ${LEFT + WIDTH} ${sheet.y + 10} l S`);
    }
    return makePdf([sheet.stream.join("\n")]);
  },
};

interface Front {
  readonly bytes: Uint8Array;
  readonly headings: readonly string[];
}

/** The first page of a paper, with authors in large or bold letters below the title. */
function frontPage(random: Random, style: number): Front {
  const sheet = new Sheet();
  const [title, part] = [words(random, 5, 8), words(random, 1, 2)];
  sheet.lines([title], 17, LEFT + 40, "F2");
  const names = [0, 1, 2].map(() => words(random, 2, 2).replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()));
  if (style === 0) sheet.lines([names.join(", ")], 12, LEFT + 90);
  if (style === 1) sheet.lines([names.join(", ")], 10, LEFT + 90, "F2");
  if (style === 2) {
    names.forEach((name, at) => {
      sheet.stream.push(textAt(name, [LEFT + at * 170, sheet.y], 12));
      sheet.stream.push(textAt("University of the Harbour", [LEFT + at * 170, sheet.y - 13], 10));
      sheet.stream.push(textAt(`${name.split(" ")[0]?.toLowerCase()}@gates.test`, [LEFT + at * 170, sheet.y - 25], 10));
    });
    sheet.y -= 50;
  } else sheet.lines(["Department of Gates, University of the Harbour"], 10, LEFT + 90);
  if (style === 3) sheet.lines(["14 March 2024"], 12, LEFT + 90);
  sheet.text("Abstract", 10, "F2");
  sheet.text(sentences(random, 5));
  sheet.text(`1 ${part}`, 13, "F2");
  for (let at = 0; at < 4; at += 1) sheet.text(sentences(random, 5));
  return { bytes: makePdf([sheet.stream.join("\n")]), headings: [title, "Abstract", `1 ${part}`] };
}

/** All written documents. */
export function writtenCases(): Case[] {
  const cases: Case[] = [];
  const styles: readonly (readonly Rules[])[] = [
    ["all", "boxes", "thin"],
    ["none"],
    ["rows", "columns", "book", "zebra", "frame"],
    ["none"],
  ];
  for (const [at, [name, make]] of Object.entries(TABLES).entries()) {
    for (const [step, rules] of styles.entries()) {
      const random = randomFrom(at * 31 + step * 7);
      const rule = rules[at % rules.length] ?? "none";
      const table = make(random, 5 + Math.floor(random() * 10));
      const bytes = tablePage(table, lookOf(random, rule), random);
      cases.push({ name: `${name}-${rule}-${step}`, kind: KINDS[rule], bytes, tables: [textsOf(table)] });
    }
  }
  for (const [at, [name, make]] of Object.entries(TABLES).entries()) {
    for (const padding of [0.8, 1.6]) {
      const random = randomFrom(600 + at * 2 + padding);
      const table = make(random, 8 + Math.floor(random() * 20));
      const look: Look = { rules: "none", size: 8, padding, room: 1, most: 200 };
      const bytes = tablePage(table, look, random);
      cases.push({ name: `${name}-close-${padding}`, kind: "close", bytes, tables: [textsOf(table)] });
    }
  }
  for (const rule of ["all", "none", "book", "thin"] as const) {
    const random = randomFrom(700 + rule.length);
    cases.push({ name: `beside-tables-${rule}`, kind: KINDS[rule], ...besideTables(random, rule) });
    cases.push({ name: `beside-text-${rule}`, kind: KINDS[rule], ...besideText(random, rule) });
    cases.push({ name: `pages-${rule}`, kind: KINDS[rule], ...longTable(random, rule, rule !== "thin") });
  }
  for (const [at, [name, make]] of Object.entries(TEXTS).entries()) {
    for (const seed of [0, 1]) {
      const bytes = make(randomFrom(900 + at * 2 + seed));
      cases.push({ name: `text-${name}-${seed}`, kind: "text", bytes, tables: NONE });
    }
  }
  for (let style = 0; style < 4; style += 1) {
    cases.push({ name: `front-${style}`, kind: "text", tables: NONE, ...frontPage(randomFrom(990 + style), style) });
  }
  return cases;
}
