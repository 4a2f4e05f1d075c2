import { type Element } from "domhandler";
import { type Block, type Box, FLAGS } from "./outline.ts";

/** Minimum number of siblings in a group. */
export const MIN_ALIKE = 3;
/** Minimum number of words of running text. */
const MIN_WORDS_OF_PROSE = 12;

/** Sets the group of similar siblings on each box. Called once for each outline. */
export function groupAlike(root: Box): void {
  const groups = new Map<string, Box[]>();
  const visit = (box: Box): void => {
    if (box.children.length === 1) {
      for (const child of box.children) visit(child);
    } else if (box.children.length > 0) {
      groups.clear();
      let [last, lastGroup]: [Element | undefined, Box[]] = [undefined, []];
      for (const child of box.children) {
        const { element } = child;
        if (child.words === 0 || element === undefined) continue;
        // Similar siblings mostly follow each other.
        if (last === undefined || !hasSameNames(last, element)) {
          const key = keyOf(element);
          lastGroup = groups.get(key) ?? [];
          if (lastGroup.length === 0) groups.set(key, lastGroup);
        }
        lastGroup.push(child);
        last = element;
      }
      for (const group of groups.values()) {
        if (group.length < 2) continue;
        const words = group.reduce((sum, { words: own }) => sum + own, 0);
        for (const [at, child] of group.entries()) {
          child.group = group;
          child.alike = group.length;
          child.alikeWords = words;
          child.alikeIndex = at;
        }
      }
      for (const child of box.children) visit(child);
    }
  };
  visit(root);
}

function hasSameNames(one: Element, other: Element): boolean {
  return one.name === other.name && one.attribs["class"] === other.attribs["class"];
}

function keyOf({ name, attribs }: Element): string {
  const names = attribs["class"];
  if (names === undefined) return name;
  const end = names.indexOf(" ", 1);
  return `${name} ${end === -1 ? names : names.slice(0, end)}`;
}

/** A box in the group of siblings with the most words. Groups of paragraphs do not count. */
export function largestGroup(root: Box): Box | undefined {
  let largest: Box | undefined;
  const visit = (box: Box): void => {
    const isGroup = box.alike >= MIN_ALIKE && box.alikeIndex === 0 && box.element?.name !== "p";
    if (isGroup && box.alikeWords > (largest?.alikeWords ?? 0)) largest = box;
    for (const child of box.children) if (child.words > 0) visit(child);
  };
  visit(root);
  return largest;
}

/** Whether a block is running text. */
export function isProse(block: Block | undefined): boolean {
  if (block === undefined) return false;
  const { words, linkWords, sentences } = block.count;
  return words >= MIN_WORDS_OF_PROSE && sentences > 0 && linkWords < words * 0.3;
}

/**
 * The box with the most prose. Each block of prose gives its words to the parent of its box, and half of them to the
 * next box up.
 */
export function coreOf(blocks: readonly Block[]): Box | undefined {
  const weights = new Map<Box, number>();
  let best: Box | undefined;
  let most = 0;
  for (const block of blocks) {
    if (!isProse(block) || (block.box.flags & FLAGS.hidden) !== 0) continue;
    const { parent } = block.box;
    for (const [box, weight] of [
      [parent, block.count.words],
      [parent?.parent, block.count.words / 2],
    ] as const) {
      if (box === undefined) continue;
      const sum = (weights.get(box) ?? 0) + weight;
      weights.set(box, sum);
      if (sum > most) [most, best] = [sum, box];
    }
  }
  return best;
}

/** 3 for blocks of the same box, 2 for boxes of the same parent, otherwise 0. */
export function sameParent(a: Block, b: Block): number {
  if (a.box === b.box) return 3;
  return a.box.parent === b.box.parent ? 2 : 0;
}

/** The nearest box that contains both. */
export function commonBox(a: Box, b: Box): Box {
  let [left, right]: [Box, Box] = [a, b];
  while (left !== right) {
    if (left.depth >= right.depth && left.parent !== undefined) left = left.parent;
    else if (right.parent !== undefined) right = right.parent;
    else return left;
  }
  return left;
}

/** The words of a title or heading in lower case. For scripts without spaces, the characters. */
export function tokens(text: string): string[] {
  return (
    text
      .slice(0, 500)
      .toLowerCase()
      .match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}

/** Minimum share of words that a heading and the title have in common. */
const MIN_SHARE_OF_TITLE = 0.3;

/** The index of the heading most similar to the title. -1 if there is no similar heading. */
export function titleAmong(blocks: readonly Block[], title: string): number {
  const wanted = new Set(tokens(title));
  if (wanted.size === 0) return -1;
  let best = MIN_SHARE_OF_TITLE;
  let found = -1;
  for (const [at, block] of blocks.entries()) {
    const { heading, box } = block;
    if (heading === 0 || heading > 3 || (box.flags & FLAGS.hidden) !== 0) continue;
    const own = new Set(tokens(block.text));
    let same = 0;
    for (const token of own) if (wanted.has(token)) same += 1;
    const score = same / (own.size + wanted.size - same) + (heading === 1 ? 0.05 : 0);
    if (score > best) [best, found] = [score, at];
  }
  return found;
}
