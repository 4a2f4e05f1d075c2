import { type Database } from "bun:sqlite";

/** Characters of the shortest words for which one and two wrong characters are corrected. */
const ONE_WRONG = 4;
const TWO_WRONG = 8;
/** Words that take the place of a misspelt one. */
const MAX_CORRECTIONS = 3;

interface Entry {
  readonly word: string;
  readonly pages: number;
}

/** The words of an index, and the number of pages that have each. */
export class Vocabulary {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Counts a page with these words, or with -1 its removal. */
  count(words: ReadonlySet<string>, by: 1 | -1): void {
    const change = this.#database.query<unknown, [string, number]>(
      "INSERT INTO vocabulary (word, pages) VALUES (?, ?) ON CONFLICT (word) DO UPDATE SET pages = pages + excluded.pages",
    );
    for (const word of words) change.run(word, by);
  }

  /** The number of pages with a word. */
  pages(word: string): number {
    const row = this.#database.query<Entry, [string]>("SELECT word, pages FROM vocabulary WHERE word = ?").get(word);
    return row?.pages ?? 0;
  }

  /** The words that a misspelt word of `length` characters, now without its ending, most likely stands for. */
  corrections(word: string, length: number): string[] {
    const most = length >= TWO_WRONG ? 2 : length >= ONE_WRONG ? 1 : 0;
    if (most === 0) return [];
    // First characters are seldom wrong, and the others need not be compared.
    const [first = ""] = word;
    const alike = this.#database
      .query<Entry, [string, string, number, number]>(
        "SELECT word, pages FROM vocabulary WHERE word >= ? AND word < ? AND pages > 0 AND length(word) BETWEEN ? AND ?",
      )
      .all(first, `${first}\u{10ffff}`, word.length - most, word.length + most)
      .map((entry) => ({ ...entry, distance: distance(word, entry.word, most) }))
      .filter((entry) => entry.distance <= most)
      .toSorted((a, b) => a.distance - b.distance || b.pages - a.pages);
    return alike
      .filter((entry) => entry.distance === alike[0]?.distance)
      .slice(0, MAX_CORRECTIONS)
      .map((entry) => entry.word);
  }
}

/**
 * The number of characters that are wrong, missing, added or swapped with the next one. A result above `most` may be too
 * low.
 */
function distance(a: string, b: string, most: number): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    for (let at = 1; at <= b.length; at += 1) {
      const isSame = a[row - 1] === b[at - 1];
      const isSwapped = a[row - 1] === b[at - 2] && a[row - 2] === b[at - 1];
      const replaced = valueAt(last, at - 1) + (isSame ? 0 : 1);
      const best = Math.min(valueAt(last, at) + 1, valueAt(line, at - 1) + 1, replaced);
      line.push(isSwapped ? Math.min(best, valueAt(before, at - 2) + 1) : best);
    }
    if (Math.min(...line) > most) return most + 1;
    before = last;
    last = line;
  }
  return last.at(-1) ?? 0;
}

function valueAt(line: readonly number[], at: number): number {
  return line[at] ?? Number.POSITIVE_INFINITY;
}
