import { type Block } from "./outline.ts";
import { isProse } from "./page-parts.ts";
import { TextCount } from "./text-count.ts";

/** Compares blocks with the words of the page's title and of its prose. */
export class Topic {
  readonly #title: ReadonlySet<number>;
  /** For each word, the number of prose blocks that contain it, and the last one of them. */
  readonly #prose = new Map<number, { blocks: number; last: number }>();

  constructor(blocks: readonly Block[], title: string) {
    const count = new TextCount();
    count.add(title, false);
    count.end();
    this.#title = new Set(count.hashes);
    for (const [at, block] of blocks.entries()) if (isProse(block)) this.#addProse(block.count.hashes, at);
  }

  #addProse(hashes: readonly number[], at: number): void {
    for (const hash of hashes) {
      const known = this.#prose.get(hash);
      if (known === undefined) this.#prose.set(hash, { blocks: 1, last: at });
      else if (known.last !== at) {
        known.blocks += 1;
        known.last = at;
      }
    }
  }

  /** The shares of the block's words that the title has, and that also occur in other blocks of prose. -1 if unknown. */
  of(block: Block): readonly [title: number, prose: number] {
    const { hashes } = block.count;
    if (hashes.length === 0) return [-1, -1];
    const own = isProse(block) ? 1 : 0;
    let [inTitle, inProse] = [0, 0];
    for (const hash of hashes) {
      if (this.#title.has(hash)) inTitle += 1;
      if ((this.#prose.get(hash)?.blocks ?? 0) > own) inProse += 1;
    }
    return [this.#title.size === 0 ? -1 : inTitle / hashes.length, inProse / hashes.length];
  }
}
