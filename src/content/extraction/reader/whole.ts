import { type Box, FLAGS, type Outline } from "./outline.ts";

/** What is taken as a whole, or not at all. */
const WHOLE = new Set(["table", "pre", "dl"]);
/** Larger tables are the page's layout, or hold other things; share of the page's words. */
const MAX_BLOCKS_OF_A_TABLE = 400;
const MIN_SHARE_CHOSEN = 0.5;
/** A table of text has longer cells; in words. */
const MAX_WORDS_OF_A_CELL = 12;

/** Makes tables, code and lists of definitions whole if most of their words are chosen, and drops the rest of them. */
export function keepWhole({ blocks }: Outline, chosen: Uint8Array): void {
  const groups = new Map<Box, number[]>();
  for (const [at, { box }] of blocks.entries()) {
    const whole = wholeOf(box);
    if (whole === undefined) continue;
    const group = groups.get(whole);
    if (group === undefined) groups.set(whole, [at]);
    else group.push(at);
  }
  for (const [box, group] of groups) {
    if (group.length > MAX_BLOCKS_OF_A_TABLE || box.words > group.length * MAX_WORDS_OF_A_CELL) continue;
    if (box.element?.name === "table" && !isOfData(box)) continue;
    let words = 0;
    for (const at of group) if (chosen[at] === 1) words += blocks[at]?.count.words ?? 0;
    const all = words >= box.words * MIN_SHARE_CHOSEN ? 1 : 0;
    for (const at of group) chosen[at] = all;
  }
}

/** A table that holds sections, lists or other tables is the page's layout. */
function isOfData(box: Box): boolean {
  return box.headings === 0 && box.children.every((child) => !LAYOUT.has(child.element?.name ?? "") && isOfData(child));
}

const LAYOUT = new Set(["table", "ul", "ol", "form", "section", "article", "main", "nav", "blockquote"]);

/** The nearest box around that is whole; undefined where it has another one in it, or there is none. */
function wholeOf(box: Box): Box | undefined {
  for (let at: Box | undefined = box; at !== undefined; at = at.parent) {
    if (WHOLE.has(at.element?.name ?? "")) return at;
  }
  return undefined;
}

/** Groups of siblings with fewer members say nothing of one another. */
const MIN_MEMBERS = 4;
const MIN_SHARE_OF_MEMBERS = 0.5;
/** A member with less of its words is one that was left out. */
const MIN_SHARE_OF_A_MEMBER = 0.3;
/** What is left out is longer than the others: something else that is built in the same way. */
const MAX_TIMES_LONGER = 3;

/** Adds the members of a list, a thread or a grid that were left out although most of its members are chosen. */
export function fillGroups({ root, blocks }: Outline, chosen: Uint8Array): void {
  const kept = keptWords(root, blocks, chosen);
  const added = new Set<Box>();
  const visit = (box: Box): void => {
    for (const child of box.children) {
      if (child.words === 0) continue;
      if (child.alikeIndex === 0 && child.alike >= MIN_MEMBERS && child.element?.name !== "p")
        fill(child.group, kept, added);
      visit(child);
    }
  };
  visit(root);
  if (added.size === 0) return;
  const known = new Map<Box, boolean>();
  const isAdded = (box: Box): boolean => {
    const found = known.get(box);
    if (found !== undefined) return found;
    const is = added.has(box) || (box.parent !== undefined && isAdded(box.parent));
    known.set(box, is);
    return is;
  };
  for (const [at, { box }] of blocks.entries()) {
    if ((box.flags & (FLAGS.button | FLAGS.form)) === 0 && isAdded(box)) chosen[at] = 1;
  }
}

function fill(group: readonly Box[], kept: ReadonlyMap<Box, number>, added: Set<Box>): void {
  const isMember = (box: Box): boolean => (kept.get(box) ?? 0) >= box.words * MIN_SHARE_OF_A_MEMBER;
  const members = group.filter(isMember);
  if (members.length < group.length * MIN_SHARE_OF_MEMBERS || members.length === group.length) return;
  const words = members.reduce((sum, box) => sum + box.words, 0) / members.length;
  for (const box of group) if (!isMember(box) && box.words <= words * MAX_TIMES_LONGER) added.add(box);
}

function keptWords(root: Box, blocks: Outline["blocks"], chosen: Uint8Array): ReadonlyMap<Box, number> {
  const kept = new Map<Box, number>();
  for (const [at, { box, count }] of blocks.entries()) {
    if (chosen[at] === 1) kept.set(box, (kept.get(box) ?? 0) + count.words);
  }
  const sum = (box: Box): number => {
    let words = kept.get(box) ?? 0;
    for (const child of box.children) words += sum(child);
    kept.set(box, words);
    return words;
  };
  sum(root);
  return kept;
}
