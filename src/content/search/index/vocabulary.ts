import { type Database } from "bun:sqlite";
import { editDistance } from "../../../lib/text/edit-distance.ts";

/** Characters of the shortest words for which one and two wrong characters are corrected. */
const ONE_WRONG = 4;
const TWO_WRONG = 8;
/** Words that take the place of a misspelt one. */
const MAX_CORRECTIONS = 3;

interface Word {
  readonly word: string;
  readonly pages: number;
}

/** The words of an index, and the number of pages that have each. */
export class Vocabulary {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  add(words: ReadonlySet<string>): void {
    const add = this.#database.query<unknown, [string]>(
      "INSERT INTO vocabulary (word, pages) VALUES (?, 1) ON CONFLICT (word) DO UPDATE SET pages = pages + 1",
    );
    for (const word of words) add.run(word);
  }

  /** Counts a page with these words no longer, and forgets the words that no page has. */
  remove(words: ReadonlySet<string>): void {
    const last = this.#database.query<unknown, [string]>("DELETE FROM vocabulary WHERE word = ? AND pages <= 1");
    const other = this.#database.query<unknown, [string]>("UPDATE vocabulary SET pages = pages - 1 WHERE word = ?");
    for (const word of words) if (last.run(word).changes === 0) other.run(word);
  }

  pages(word: string): number {
    const row = this.#database.query<Word, [string]>("SELECT word, pages FROM vocabulary WHERE word = ?").get(word);
    return row?.pages ?? 0;
  }

  /** The words that a misspelt word of `length` characters, now without its ending, most likely stands for. */
  corrections(word: string, length: number): string[] {
    const most = length >= TWO_WRONG ? 2 : length >= ONE_WRONG ? 1 : 0;
    if (most === 0) return [];
    // First characters are seldom wrong, and the others need not be compared.
    const [first = ""] = word;
    const alike = this.#database
      .query<Word, [string, string, number, number]>(
        "SELECT word, pages FROM vocabulary WHERE word >= ? AND word < ? AND length(word) BETWEEN ? AND ?",
      )
      .all(first, `${first}\u{10ffff}`, word.length - most, word.length + most)
      .map((entry) => ({ ...entry, distance: editDistance(word, entry.word, most) }))
      .filter((entry) => entry.distance <= most)
      .toSorted((a, b) => a.distance - b.distance || b.pages - a.pages);
    return alike
      .filter((entry) => entry.distance === alike[0]?.distance)
      .slice(0, MAX_CORRECTIONS)
      .map((entry) => entry.word);
  }
}
