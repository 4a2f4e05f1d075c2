import { type Block, type Box, type Template } from "./outline.ts";
import { hashOf } from "./text-count.ts";

/** Levels up to which an element's class is a part of its template. Above them, only element names count. */
const CLASS_LEVELS = 4;

/** Sets the template of each block. Called once for each outline, in linear time of blocks and boxes. */
export function groupByTemplate(blocks: readonly Block[]): void {
  const known = new Map<number, Template>();
  const paths = new Map<Box, number>();
  const parts = new Map<string, number>();
  for (const [at, block] of blocks.entries()) {
    const { box, count } = block;
    const key = keyOf(box, paths, parts);
    let template = known.get(key);
    if (template === undefined) {
      template = {
        count: 0,
        words: 0,
        linkWords: 0,
        sentences: 0,
        currencies: 0,
        first: at,
        last: at,
        texts: new Set(),
      };
      known.set(key, template);
    }
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

function keyOf(own: Box, paths: Map<Box, number>, parts: Map<string, number>): number {
  let key = pathOf(own, paths, parts);
  let box: Box | undefined = own;
  for (let level = 0; level < CLASS_LEVELS && box !== undefined; level += 1) {
    const names = firstClass(box.element?.attribs["class"] ?? "");
    key = Math.imul(key ^ partOf(names, parts), 31);
    box = box.parent;
  }
  return key;
}

/** A hash of the names of a box's element and of all its ancestors. */
function pathOf(box: Box, paths: Map<Box, number>, parts: Map<string, number>): number {
  const known = paths.get(box);
  if (known !== undefined) return known;
  const outer = box.parent === undefined ? 17 : pathOf(box.parent, paths, parts);
  const path = Math.imul(outer ^ partOf(box.element?.name ?? "", parts), 31);
  paths.set(box, path);
  return path;
}

function partOf(name: string, parts: Map<string, number>): number {
  let part = parts.get(name);
  if (part === undefined) {
    part = hashOf(name);
    parts.set(name, part);
  }
  return part;
}

/** The first class, without digits, since numbers often distinguish the members of a list. */
function firstClass(names: string): string {
  const end = names.indexOf(" ", 1);
  return (end === -1 ? names : names.slice(0, end)).replace(/\d+/g, "");
}
