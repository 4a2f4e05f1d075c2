/** Characters of the text of a file, and its elements. The rest is missing from the result. @operator */
const MAX_TEXT = 5_000_000;
const MAX_BLOCKS = 300_000;

/** Counts what a reader makes of a file. */
export class Budget {
  #text = MAX_TEXT;
  #blocks = MAX_BLOCKS;

  get isSpent(): boolean {
    return this.#text <= 0 || this.#blocks <= 0;
  }

  /** Counts one element with a text. */
  spend(characters: number): void {
    this.#text -= characters;
    this.#blocks -= 1;
  }
}
