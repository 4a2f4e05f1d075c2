import { type Document, type Element, isTag, isText, type ParentNode } from "domhandler";

/** Words of a page that are compared. Its further words have no effect. */
const MAX_WORDS = 20_000;
/** Words outside links that a page has at least; one with fewer has no sketch, and is like no other. */
const MIN_WORDS = 50;
/** Words of a phrase. */
const PHRASE = 4;
/** Groups of a sketch, and hash functions of a group. */
const GROUPS = 6;
const FUNCTIONS = 12;
/** Groups that two pages share at least if their texts are nearly equal. */
export const NEARLY_EQUAL = 3;
/** Elements whose text is beside the content, or is not shown. Links are mostly navigation. */
const BESIDE = new Set("a aside button footer nav noscript script select style svg template textarea title".split(" "));
/** Scripts without spaces have a word for each character. */
const WORD =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Khmer}\p{sc=Lao}\p{sc=Myanmar}\p{sc=Thai}]|[\p{L}\p{M}\p{N}]+/gu;

/** Odd factors and summands of the hash functions. Any fixed values do. */
const SEEDS = Array.from(
  { length: GROUPS * FUNCTIONS },
  (_, at) => [mixed(2 * at + 1) | 1, mixed(2 * at + 2)] as const,
);

/**
 * The sketch of a page's text (Broder's super-shingles): the least hash values of its phrases, in groups. Two pages
 * share a group with the probability s^12, where s is the share of their phrases that both have. Empty if the page has
 * too few words.
 */
export function sketchOf(tree: Document): string[] {
  const words: number[] = [];
  addWords(tree, words);
  if (words.length < MIN_WORDS) return [];
  const least = new Uint32Array(SEEDS.length).fill(0xffff_ffff);
  for (let at = PHRASE; at <= words.length; at += 1) {
    let phrase = 0;
    for (let back = PHRASE; back > 0; back -= 1) phrase = mixed(Math.imul(phrase, 31) + (words[at - back] ?? 0));
    for (let n = 0; n < SEEDS.length; n += 1) {
      const [factor, summand] = SEEDS[n] ?? [1, 0];
      const value = mixed(Math.imul(phrase, factor) + summand) >>> 0;
      if (value < (least[n] ?? 0)) least[n] = value;
    }
  }
  return Array.from({ length: GROUPS }, (_, group) => {
    const part = least.subarray(group * FUNCTIONS, (group + 1) * FUNCTIONS);
    return Bun.hash.xxHash64(new Uint8Array(part.buffer, part.byteOffset, part.byteLength)).toString(36);
  });
}

function addWords(parent: ParentNode, words: number[]): void {
  for (const node of parent.children) {
    if (words.length >= MAX_WORDS) return;
    if (isText(node)) for (const [word] of node.data.toLowerCase().matchAll(WORD)) words.push(Bun.hash.xxHash32(word));
    else if (isTag(node) && !isBeside(node)) addWords(node, words);
  }
}

function isBeside({ name, attribs }: Element): boolean {
  return BESIDE.has(name) || attribs["hidden"] !== undefined || attribs["aria-hidden"] === "true";
}

/** The final mixer of MurmurHash3. */
function mixed(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) | 0;
}
