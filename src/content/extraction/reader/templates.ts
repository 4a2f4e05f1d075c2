import { type Block, type Box, type Template } from "./outline.ts";
import { hashOf } from "./text-count.ts";

/**
 * Number of ancestors whose first class is a part of a block's template. Of higher ancestors, only the tag names count.
 */
const CLASS_LEVELS = 4;

/** Sets the template of each block. Call it once for each outline. Takes time linear in blocks and boxes. */
export function groupByTemplate(blocks: readonly Block[]): void {
  const templates = new Map<number, Template>();
  // By the index of a box. With a map by boxes, the features of the slowest long pages take 6 % longer (`npm run bench
  // -- reader --data DIR --cost`).
  const known: Known = { paths: [], classes: [] };
  for (const [at, block] of blocks.entries()) {
    const { box, count } = block;
    const key = keyOf(box, known);
    const template = templates.getOrInsertComputed(key, () => ({
      count: 0,
      words: 0,
      linkWords: 0,
      sentences: 0,
      currencies: 0,
      first: at,
      last: at,
      texts: new Set(),
    }));
    template.count += 1;
    template.words += count.words;
    template.linkWords += count.linkWords;
    template.sentences += count.sentences;
    template.currencies += count.currencies;
    template.last = at;
    template.texts.add(count.hash);
    block.template = template;
  }
}

/** Hashes by the index of a box: of its path and of its first class. */
interface Known {
  readonly paths: (number | undefined)[];
  readonly classes: (number | undefined)[];
}

function keyOf(own: Box, { paths, classes }: Known): number {
  let key = pathOf(own, paths);
  let box: Box | undefined = own;
  for (let level = 0; level < CLASS_LEVELS && box !== undefined; level += 1) {
    const first = classes[box.index] ?? firstClass(box.element?.attribs["class"] ?? "");
    classes[box.index] = first;
    key = Math.imul(key ^ first, 31);
    box = box.parent;
  }
  return key;
}

/** A hash of the tag names of a box and of all its ancestors. */
function pathOf(box: Box, paths: Known["paths"]): number {
  const known = paths[box.index];
  if (known !== undefined) return known;
  const outer = box.parent === undefined ? 17 : pathOf(box.parent, paths);
  const path = Math.imul(outer ^ hashOf(box.element?.name ?? ""), 31);
  paths[box.index] = path;
  return path;
}

/** A hash of the first class, without digits, since numbers often distinguish the members of a list. */
function firstClass(names: string): number {
  const end = names.indexOf(" ", 1);
  return hashOf((end === -1 ? names : names.slice(0, end)).replace(/\d/g, ""));
}
