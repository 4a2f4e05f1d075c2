import { type Block, type Box, FLAGS, type Outline } from "./outline.ts";
import { hashOf } from "./text-count.ts";

/** Elements that are kept or dropped as a whole. */
const WHOLE = new Set(["table", "pre", "dl"]);
/** Maximum number of blocks of a table. A table with more blocks is the page's layout, and is not kept as a whole. */
const MAX_BLOCKS_OF_A_TABLE = 400;
const MIN_SHARE_CHOSEN = 0.5;
/** Maximum number of words of a cell. A table with longer cells contains text. */
const MAX_WORDS_OF_A_CELL = 12;

/** Completes tables, code and definition lists if most of their words are chosen, and drops the other ones. */
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

/** Minimum number of words of a member that is dropped if it repeats an earlier one. */
const MIN_WORDS_SHOWN_ONCE = 5;

/** Drops members of a group that repeat an earlier member of it word for word, as the copies in a moving band do. */
export function dropCopies({ root, boxes, blocks }: Outline, chosen: Uint8Array): void {
  const texts = new Int32Array(boxes);
  for (const [at, block] of blocks.entries()) {
    const { box } = block;
    if (chosen[at] === 1) texts[box.index] = mixed(texts[box.index] ?? 0, hashOf(block.text.trim()));
  }
  const copies = new Set<Box>();
  const visit = (box: Box): number => {
    let own = texts[box.index] ?? 0;
    let seen: Map<Box, Set<number>> | undefined;
    for (const child of box.children) {
      if (child.words === 0) continue;
      const hash = visit(child);
      own = mixed(own, hash);
      const [first] = child.group;
      if (first === undefined || hash === 0 || child.words < MIN_WORDS_SHOWN_ONCE) continue;
      if ((child.flags & (FLAGS.table | FLAGS.code)) !== 0) continue;
      seen ??= new Map();
      const earlier = seen.get(first) ?? new Set();
      if (earlier.has(hash)) copies.add(child);
      seen.set(first, earlier.add(hash));
    }
    return own;
  };
  visit(root);
  if (copies.size === 0) return;
  const copyOf = outermostOf(copies);
  for (const [at, { box }] of blocks.entries()) if (copyOf(box) !== undefined) chosen[at] = 0;
}

function mixed(hash: number, next: number): number {
  return next === 0 ? hash : Math.imul(hash ^ next, 0x01000193) | 1;
}

/** Makes a function that finds the outermost of some boxes around a box. */
function outermostOf(boxes: ReadonlySet<Box>): (box: Box) => Box | undefined {
  const known = new Map<Box, Box | undefined>();
  const find = (box: Box): Box | undefined => {
    if (known.has(box)) return known.get(box);
    const outer = box.parent === undefined ? undefined : find(box.parent);
    const found = outer ?? (boxes.has(box) ? box : undefined);
    known.set(box, found);
    return found;
  };
  return find;
}

/**
 * Minimum number of words of a text that is dropped if it repeats an earlier one. Shorter texts, such as labels, repeat
 * for a reason.
 */
const MIN_WORDS_OF_A_REPEAT = 12;

/**
 * Drops texts that repeat an earlier chosen text word for word, such as a copy for narrow screens or a quoted post.
 * Lists, tables and pages with code keep them, since instructions repeat themselves.
 */
export function dropRepeats({ blocks }: Outline, chosen: Uint8Array): void {
  if (blocks.some(({ box }, at) => chosen[at] === 1 && (box.flags & FLAGS.code) !== 0)) return;
  const shown = new Map<number, string>();
  for (const [at, block] of blocks.entries()) {
    const { box, count } = block;
    if (chosen[at] !== 1 || count.words < MIN_WORDS_OF_A_REPEAT || (box.flags & (FLAGS.table | FLAGS.item)) !== 0)
      continue;
    const folded = block.text.replace(/\s+/g, " ").trim();
    if (shown.get(count.hash) === folded) chosen[at] = 0;
    else shown.set(count.hash, folded);
  }
}

/** Drops a short text directly after the same text, such as a name or a price that is shown twice. */
export function dropTwins({ blocks }: Outline, chosen: Uint8Array): void {
  let last = -1;
  for (const [at, block] of blocks.entries()) {
    if (chosen[at] !== 1) continue;
    const before = blocks[last];
    if (before === undefined || !isTwin(before, block)) last = at;
    else if (block.heading > 0 && before.heading === 0) {
      chosen[last] = 0;
      last = at;
    } else chosen[at] = 0;
  }
}

/** Elements in which the same text may follow itself for a reason. */
const MAY_REPEAT = FLAGS.table | FLAGS.code | FLAGS.quote | FLAGS.definition;

function isTwin(before: Block, { box, count, text }: Block): boolean {
  if (count.words === 0 || before.count.hash !== count.hash || before.count.words !== count.words) return false;
  if (((before.box.flags | box.flags) & MAY_REPEAT) !== 0 || before.box.element?.name === "p") return false;
  return oneLine(before.text) === oneLine(text);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

const BETWEEN = new Set(["pre", "figcaption"]);

/** Adds code and figure captions between two chosen blocks of the same section, since they belong to the text. */
export function keepCode({ blocks }: Outline, chosen: Uint8Array): void {
  for (let at = 1; at < blocks.length; at += 1) {
    const box = blocks[at]?.box;
    if (box === undefined || !BETWEEN.has(box.element?.name ?? "") || chosen[at] === 1 || chosen[at - 1] !== 1)
      continue;
    if ((box.flags & (FLAGS.form | FLAGS.button | FLAGS.hidden)) !== 0) continue;
    let end = at;
    while (blocks[end]?.box === box) end += 1;
    const isSame = isOneSection(blocks[at - 1]?.box, box) && isOneSection(blocks[end]?.box, box);
    if (chosen[end] === 1 && isSame) chosen.fill(1, at, end);
    at = end - 1;
  }
}

/** Number of levels from a table to its cells. */
const LEVELS_TO_SIBLING = 4;

/** Whether a box is a sibling of a code block, or of the box around the code. */
function isOneSection(box: Box | undefined, code: Box): boolean {
  const { parent } = code;
  if (box === undefined || parent === undefined) return false;
  for (
    let [up, level]: [Box | undefined, number] = [box, 0];
    up !== undefined && level < LEVELS_TO_SIBLING;
    level += 1
  ) {
    if (up.parent === parent || up.parent === parent.parent) return true;
    up = up.parent;
  }
  return false;
}

/** A table that contains sections, lists or other tables is the page's layout. */
function isOfData(box: Box): boolean {
  return box.headings === 0 && box.children.every((child) => !LAYOUT.has(child.element?.name ?? "") && isOfData(child));
}

const LAYOUT = new Set(["table", "ul", "ol", "form", "section", "article", "main", "nav", "blockquote"]);

/** The innermost table, code block or definition list that holds a box; undefined if no such element holds it. */
function wholeOf(box: Box): Box | undefined {
  if ((box.flags & (FLAGS.table | FLAGS.code | FLAGS.definition)) === 0) return undefined;
  for (let at: Box | undefined = box; at !== undefined; at = at.parent) {
    if (WHOLE.has(at.element?.name ?? "")) return at;
  }
  return undefined;
}

/** Minimum number of members of a group that is completed. */
const MIN_MEMBERS = 4;
const MIN_SHARE_OF_MEMBERS = 0.5;
/** A member counts as left out if a smaller share of its words is chosen. */
const MIN_SHARE_OF_A_MEMBER = 0.3;
/** Maximum average number of words of a member. Longer members, such as posts of a thread, are chosen one by one. */
const MAX_WORDS_OF_A_MEMBER = 60;
/**
 * Maximum ratio of a member's length to the average of the others. A longer member is other content with the same
 * markup.
 */
const MAX_TIMES_LONGER = 3;

/** Adds the omitted members of a list, a thread or a grid if most of its members are chosen. */
export function fillGroups(outline: Outline, chosen: Uint8Array): void {
  const { root, blocks } = outline;
  const kept = keptWords(outline, chosen);
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
  addMembers(blocks, chosen, added);
}

/** Chooses the blocks of the added members. A member that repeats chosen texts, as in a moving band, is left out. */
function addMembers(blocks: Outline["blocks"], chosen: Uint8Array, added: ReadonlySet<Box>): void {
  const memberOf = outermostOf(added);
  const shown = new Set<number>();
  const more = new Map<Box, number[]>();
  for (const [at, { box, count }] of blocks.entries()) {
    if (chosen[at] === 1) shown.add(count.hash);
    else if ((box.flags & (FLAGS.button | FLAGS.form)) === 0) {
      const member = memberOf(box);
      if (member === undefined) continue;
      const own = more.get(member);
      if (own === undefined) more.set(member, [at]);
      else own.push(at);
    }
  }
  for (const own of more.values()) {
    if (own.every((at) => shown.has(blocks[at]?.count.hash ?? 0))) continue;
    for (const at of own) chosen[at] = 1;
  }
}

function fill(group: readonly Box[], kept: Float64Array, added: Set<Box>): void {
  const isMember = (box: Box): boolean => (kept[box.index] ?? 0) >= box.words * MIN_SHARE_OF_A_MEMBER;
  const members = group.filter(isMember);
  if (members.length < group.length * MIN_SHARE_OF_MEMBERS || members.length === group.length) return;
  const words = members.reduce((sum, box) => sum + box.words, 0) / members.length;
  if (words > MAX_WORDS_OF_A_MEMBER) return;
  for (const box of group) if (!isMember(box) && box.words <= words * MAX_TIMES_LONGER) added.add(box);
}

/** The chosen words in each box, by its index. */
function keptWords({ root, boxes, blocks }: Outline, chosen: Uint8Array): Float64Array {
  const kept = new Float64Array(boxes);
  for (const [at, { box, count }] of blocks.entries()) {
    if (chosen[at] === 1) kept[box.index] = (kept[box.index] ?? 0) + count.words;
  }
  const sum = (box: Box): number => {
    let words = kept[box.index] ?? 0;
    for (const child of box.children) words += sum(child);
    kept[box.index] = words;
    return words;
  };
  sum(root);
  return kept;
}
