/** The texts of the cells of each table in HTML. Cells cover one place each. */
export function tablesIn(html: string): string[][][] {
  const tables: string[][][] = [];
  for (const [table] of html.matchAll(/<table>[^]*?<\/table>/g)) {
    tables.push(
      [...table.matchAll(/<tr>([^]*?)<\/tr>/g)].map(([, row = ""]) =>
        [...row.matchAll(/<t[hd]>([^]*?)<\/t[hd]>/g)].map(([, cell = ""]) => plain(cell)),
      ),
    );
  }
  return tables;
}

const ENTITIES: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"' };

function plain(html: string): string {
  const text = html.replaceAll("<br>", " ").replaceAll(/<[^>]*>/g, "");
  return spaced(text.replaceAll(/&(?:lt|gt|amp|quot);/g, (entity) => ENTITIES[entity] ?? entity));
}

function spaced(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** The texts of the cells of tables, by row and column. */
export type Tables = readonly (readonly (readonly string[])[])[];

/** Cells with text that are right, wanted and found. */
export interface Cells {
  readonly right: number;
  readonly wanted: number;
  readonly found: number;
}

/**
 * Compares the tables of a document with the wanted ones. A cell is right if its text is the same, its column is the
 * same, and its row is one of the rows that are paired in order. Each table is paired with the one that has the most
 * right cells.
 */
export function scoreOf(found: Tables, wanted: Tables): Cells {
  const left = new Set(found);
  let right = 0;
  for (const truth of wanted) {
    let best: { table: Tables[number]; cells: number } | undefined;
    for (const table of left) {
      const cells = rightCells(table, truth);
      if (cells > (best?.cells ?? 0)) best = { table, cells };
    }
    if (best === undefined) continue;
    left.delete(best.table);
    right += best.cells;
  }
  return { right, wanted: filledIn(wanted), found: filledIn(found) };
}

export function f1Of({ right, wanted, found }: Cells): number {
  return wanted + found === 0 ? 1 : (2 * right) / (wanted + found);
}

function filledIn(tables: Tables): number {
  return tables.flat(2).filter((text) => text !== "").length;
}

function rightCells(found: Tables[number], wanted: Tables[number]): number {
  let above = [0, ...wanted.map(() => 0)];
  for (const row of found) {
    const best = [0];
    for (const [at, truth] of wanted.entries()) {
      const same = row.filter((text, column) => text !== "" && text === spaced(truth[column] ?? "")).length;
      best.push(Math.max(above[at + 1] ?? 0, best[at] ?? 0, (above[at] ?? 0) + same));
    }
    above = best;
  }
  return above.at(-1) ?? 0;
}
