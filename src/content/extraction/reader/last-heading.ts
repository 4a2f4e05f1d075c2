import { isTrailerHeading } from "./boilerplate.ts";
import { type Lexicon } from "./lexicon.ts";
import { type Block } from "./outline.ts";

/** The last heading before a block, and whether it announces other pages. */
export class LastHeading {
  readonly #lexicon: Lexicon;
  level = 0;
  wordsBefore = 0;
  isTrailer = false;
  says = 0;

  constructor(lexicon: Lexicon) {
    this.#lexicon = lexicon;
  }

  see(block: Block, wordsBefore: number): void {
    const { heading, count } = block;
    if (heading === 0) return;
    this.wordsBefore = wordsBefore;
    this.says = this.#lexicon.phrase("heading", count);
    const isTrailer = isTrailerHeading(block.text);
    // A lower heading below a heading of other pages also belongs to other pages.
    this.isTrailer = isTrailer || (this.isTrailer && heading > this.level);
    this.level = this.isTrailer && !isTrailer ? this.level : heading;
  }
}
