/** Tables with known cells, the same in each run. */

/** Pseudo-random numbers from 0 to 1, the same in each run. */
export type Random = () => number;

export function randomFrom(seed: number): Random {
  let state = Math.imul(seed + 1, 2_654_435_761) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export interface Cell {
  readonly text: string;
  readonly align: "left" | "right" | "center";
  readonly isBold: boolean;
  /** The number of columns and of rows that it covers. */
  readonly across: number;
  readonly down: number;
}

/** The cells of each row. Places that a cell above covers are left out, as in HTML. */
export interface Table {
  readonly rows: readonly (readonly Cell[])[];
  readonly heads: number;
}

/** A cell at its place. */
export interface PlacedCell extends Cell {
  readonly row: number;
  readonly column: number;
}

export function placesOf({ rows }: Table): PlacedCell[] {
  const taken = new Set<string>();
  return rows.flatMap((cells, row) => {
    let column = 0;
    return cells.map((own) => {
      while (taken.has(`${row} ${column}`)) column += 1;
      const placed = { ...own, row, column };
      for (let y = row; y < row + own.down; y += 1) {
        for (let x = column; x < column + own.across; x += 1) taken.add(`${y} ${x}`);
      }
      return placed;
    });
  });
}

/** The texts of the cells by row and column. A cell that covers several places has its text at the first one. */
export function textsOf(table: Table): string[][] {
  const cells = placesOf(table);
  const columns = Math.max(...cells.map(({ column, across }) => column + across));
  const texts = table.rows.map(() => Array.from({ length: columns }, () => ""));
  for (const { row, column, text } of cells) (texts[row] ?? [])[column] = text;
  return texts;
}

const WORDS = (
  "harbour tide lantern bridge toll road market grain river ledger clock window winter signal engine copper letter " +
  "garden station paper island morning railway council survey measure water timber canal season traveller price"
).split(" ");

export function pick<T>(random: Random, values: readonly T[]): T {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error("Cannot pick a value: the list is empty");
  return value;
}

export function words(random: Random, least: number, most: number): string {
  const length = least + Math.floor(random() * (most - least + 1));
  const text = Array.from({ length }, () => pick(random, WORDS)).join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function sentences(random: Random, count: number): string {
  return Array.from({ length: count }, () => `${words(random, 7, 16)}.`).join(" ");
}

function amount(random: Random): string {
  const value = Math.floor(10 ** (1 + random() * 5)).toLocaleString("en");
  return random() < 0.15 ? `(${value})` : value;
}

function cell(text: string, more: Partial<Cell> = {}): Cell {
  return { text, align: "left", isBold: false, across: 1, down: 1, ...more };
}

const right = (text: string): Cell => cell(text, { align: "right" });
const head = (text: string, more: Partial<Cell> = {}): Cell => cell(text, { isBold: true, ...more });

function times<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_none, at) => make(at));
}

/** Kinds of tables by name. `size` is the number of rows below the head. */
export const TABLES: Readonly<Record<string, (random: Random, size: number) => Table>> = {
  finance: (random, size) => {
    const years = 2 + Math.floor(random() * 3);
    return {
      heads: 1,
      rows: [
        [head("Item"), ...times(years, (at) => head(String(2019 + at), { align: "right" }))],
        ...times(size, () => [cell(words(random, 1, 4)), ...times(years, () => right(amount(random)))]),
        [head("Total"), ...times(years, () => right(amount(random)))],
      ],
    };
  },
  groups: (random, size) => ({
    heads: 1,
    rows: [
      [head("Account"), ...["Budget", "Actual", "Change"].map((text) => head(text, { align: "right" }))],
      ...times(size, (at) =>
        at % 4 === 0
          ? [head(words(random, 1, 2)), cell(""), cell(""), cell("")]
          : [cell(words(random, 1, 3)), ...times(3, () => (random() < 0.15 ? cell("") : right(amount(random))))],
      ),
    ],
  }),
  levels: (random, size) => ({
    heads: 2,
    rows: [
      [head("Region", { down: 2 }), ...["Income", "Costs"].map((text) => head(text, { across: 2, align: "center" }))],
      times(4, (at) => head(String(2023 + (at % 2)), { align: "center" })),
      ...times(size, () => [cell(words(random, 1, 2)), ...times(4, () => right(amount(random)))]),
    ],
  }),
  texts: (random, size) => ({
    heads: 1,
    rows: [
      [head("Term"), head("Meaning"), head("Remarks")],
      ...times(Math.ceil(size / 2), () => [
        cell(words(random, 1, 2)),
        cell(words(random, 6, 24)),
        cell(words(random, 1, 12)),
      ]),
    ],
  }),
  stock: (random, size) => ({
    heads: 1,
    rows: [
      [
        head("No."),
        head("Code"),
        head("Description"),
        head("Qty", { align: "right" }),
        head("Price", { align: "right" }),
      ],
      ...times(size, (at) => [
        cell(String(at + 1)),
        cell(`${pick(random, ["AB", "KX", "TR"])}-${Math.floor(random() * 9000 + 1000)}`),
        cell(words(random, 2, 12)),
        right(String(Math.floor(random() * 90 + 1))),
        right((random() * 900 + 1).toFixed(2)),
      ]),
    ],
  }),
  science: (random, size) => ({
    heads: 1,
    rows: [
      ["Variable", "Mean", "SD", "t", "p"].map((text, at) => head(text, { align: at === 0 ? "left" : "center" })),
      ...times(size, () => [
        cell(words(random, 1, 3)),
        ...times(4, (at) => cell((random() * 10 ** (3 - at)).toFixed(at === 3 ? 3 : 2), { align: "center" })),
      ]),
    ],
  }),
  schedule: (random, size) => ({
    heads: 1,
    rows: [
      [head("Time"), ...["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"].map((day) => head(day))],
      ...times(size, (at) => [
        cell(`${8 + at}:00`),
        ...times(5, () => (random() < 0.4 ? cell("") : cell(words(random, 1, 2)))),
      ]),
    ],
  }),
  people: (random, size) => ({
    heads: 1,
    rows: [
      [head("Name"), head("Office"), head("E-mail"), head("Phone")],
      ...times(size, () => {
        const name = words(random, 2, 2);
        return [
          cell(name),
          cell(words(random, 1, 3)),
          cell(`${name.toLowerCase().replace(" ", ".")}@gates.test`),
          cell(`029 ${Math.floor(random() * 9000 + 1000)}`),
        ];
      }),
    ],
  }),
  spans: (random, size) => ({
    heads: 1,
    rows: [
      [head("Region"), head("Town"), head("Ships", { align: "right" }), head("Remarks")],
      ...times(size, (at) => [
        ...(at % 3 === 0 ? [cell(words(random, 1, 1), { down: Math.min(3, size - at) })] : []),
        cell(words(random, 1, 2)),
        right(amount(random)),
        cell(random() < 0.3 ? "" : words(random, 1, 6)),
      ]),
    ],
  }),
  pairs: (random, size) => ({
    heads: 1,
    rows: [
      [head("Key"), head("Value")],
      ...times(size, () => [cell(words(random, 1, 2)), cell(random() < 0.5 ? amount(random) : words(random, 1, 3))]),
    ],
  }),
};
