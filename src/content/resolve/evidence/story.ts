/** Words of a shingle, and words of a text that are read. Further words are ignored. @bound */
const SHINGLE_WORDS = 6;
const MAX_WORDS = 20_000;
/** Minimum number of shingles for a comparison: fewer may be alike by chance. */
const MIN_SHINGLES = 12;
/** The minimum share of the shorter text in the other at which both tell one story. */
const SAME_SHARE = 0.5;

/** A word. In scripts without spaces, each character is a word. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]|[\p{L}\p{N}]+/gu;

/** The fingerprint of a text, by which its copies are recognised. */
export class Story {
  readonly #shingles: ReadonlySet<number>;
  readonly #words: string;

  constructor(text: string) {
    const words = wordsOf(text);
    const shingles = new Set<number>();
    for (let at = 0; at + SHINGLE_WORDS <= words.length; at += 1) {
      shingles.add(Bun.hash.xxHash32(words.slice(at, at + SHINGLE_WORDS).join(" ")));
    }
    this.#shingles = shingles;
    this.#words = shingles.size < MIN_SHINGLES ? words.join(" ") : "";
  }

  /** Whether one text is mostly a copy of the other, or of a part of it. */
  isSameAs(other: Story): boolean {
    const [less, more] = this.#shingles.size <= other.#shingles.size ? [this, other] : [other, this];
    if (less.#shingles.size < MIN_SHINGLES) return less.#words === more.#words && less.#words !== "";
    let shared = 0;
    for (const shingle of less.#shingles) if (more.#shingles.has(shingle)) shared += 1;
    return shared / less.#shingles.size >= SAME_SHARE;
  }
}

function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    words.push(word);
    if (words.length >= MAX_WORDS) break;
  }
  return words;
}
