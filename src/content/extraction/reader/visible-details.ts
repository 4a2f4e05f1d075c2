import { type ParentNode, isTag } from "domhandler";
import { beforeDate, dateIn, momentIn } from "./dates.ts";
import { type Block, FLAGS, type Outline } from "./outline.ts";
import { folded } from "./folded.ts";
import { dashed } from "./lexicon.ts";
import { hasNameLabel, isNameLabel, personNameOf, nameWithin } from "./people.ts";

/** The author and the date that a page shows beside its title. */
export interface VisibleDetails {
  readonly byline: string | undefined;
  /** As `2026-11-23`, with the time of day if the page declares it. */
  readonly published: string | undefined;
}

/** Maximum number of blocks before and after the title that are searched. */
const MAX_BLOCKS_BEFORE = 5;
const MAX_BLOCKS_AFTER = 16;
/** Maximum number of words of a line with an author or a date. A longer text is content. */
const MAX_WORDS = 25;
/** Maximum number of characters of titles, class names and addresses that are read. */
const MAX_LENGTH = 300;
/** Maximum number of characters of a label on a line of its own. */
const MAX_LABEL_LENGTH = 20;
/**
 * Maximum number of texts in a line, because each text is compared with all others. A line with more consists of marks
 * without words.
 */
const MAX_TEXTS = 100;
/** Levels around a text that are searched for the class of an author or a link to a profile. */
const LEVELS = 4;

const HIDDEN = FLAGS.nav | FLAGS.footer | FLAGS.hidden | FLAGS.dialog;
const AROUND = HIDDEN | FLAGS.form | FLAGS.quote | FLAGS.code;
const AUTHOR =
  /(?:^|[^a-z])(?:(?:post|entry|article|blog|story|content)[-_]*)?(?:authors?|byline|writers?|written-?by|posted-?by|contributors?|username|nick(?:name)?|poster)(?:[-_]{1,2}(?:name|link|title|info))*(?:$|[^a-z])/i;
const PROFILE =
  /\/(?:authors?|contributors?|writers?|reviewers?|staff|people|users?|members?|profiles?|u|by|columnists?|producers|editors?|@[\w.-]+)(?:\/|$)|\/@[\w.-]+$|member\.php\?|space-uid-|mode=viewprofile|action=profile|mod=space/i;
const AUTHOR_PAGE = /\/(?:authors?|contributors?|writers?|columnists?)\/[^/?#]/i;
/** Labels of a date that is not the date of publication. */
const OTHER_DATE = new RegExp(
  String.raw`\b(?:updated?|modified|edited|reviewed|aktualisiert|actualizado|atualizado|aggiornato|bijgewerkt|uppdaterad|` +
    String.raw`diperbarui|expires?|joined)\b|mis à jour|güncelle|aktualiz|обновлен|изменен|оновлено|ενημ[εέ]ρωσ|עודכן|` +
    String.raw`تحديث|به‌روز|अपडेट|แก้ไข|อัปเดต|อัพเดต|cập nhật|수정|업데이트|更新|修改`,
  "iu",
);

/** Labels of a date on which something else than the publication happens. */
const NEVER = /\b(?:expires?|joined|apply|deadline|closing date|closes)\b/i;
/** Minimum number of words of a sentence. If it names no author, its date is that of an event. */
const MIN_WORDS_OF_A_SENTENCE = 10;

/** Searches the blocks around the title, or around the first heading of level 1 if no heading is the title. */
export function visibleDetails({ blocks }: Outline, title: string, language = ""): VisibleDetails {
  let byline: string | undefined;
  let published: string | undefined;
  let changed: string | undefined;
  for (const at of aroundTitle(blocks, title)) {
    const block = blocks[at];
    if (block === undefined || block.heading === 1 || (block.box.flags & AROUND) !== 0) continue;
    const { count } = block;
    if (count.words > MAX_WORDS) continue;
    const author = authorIn(block, blocks[at - 1]);
    byline ??= author;
    if (published !== undefined) continue;
    const date = dateOf(block, language);
    if (date === undefined) continue;
    const before = beforeDate(block.text);
    const isSentence = author === undefined && count.endsSentence && count.words >= MIN_WORDS_OF_A_SENTENCE;
    if (isSentence || NEVER.test(before)) continue;
    if (OTHER_DATE.test(before)) changed ??= date;
    else published = date;
  }
  return { byline: byline ?? onlyAuthor(blocks), published: published ?? changed };
}

/** The only name that the page's links to authors, or its elements with the class of an author, have. */
function onlyAuthor(blocks: readonly Block[]): string | undefined {
  let only: string | undefined;
  for (const block of blocks) {
    if ((block.box.flags & AROUND) !== 0 || block.count.words > MAX_WORDS) continue;
    const isMarked = block.texts.slice(0, MAX_TEXTS).some(({ parent }) => isOfAuthor(parent));
    const name = isMarked ? markedName(block) : undefined;
    if (name === undefined) continue;
    if (only !== undefined && folded(only) !== folded(name)) return undefined;
    only = name;
  }
  return only;
}

/** Indexes of the blocks after the title, then of those before it. A page may have fewer blocks. */
function aroundTitle(blocks: readonly Block[], title: string): number[] {
  const start = titleBlock(blocks, title);
  if (start === -1) return [];
  return [
    ...Array.from({ length: MAX_BLOCKS_AFTER }, (_, at) => start + 1 + at),
    ...Array.from({ length: MAX_BLOCKS_BEFORE }, (_, at) => start - 1 - at),
  ];
}

function titleBlock(blocks: readonly Block[], title: string): number {
  const wanted = folded(title.slice(0, MAX_LENGTH));
  let first = -1;
  for (const [at, block] of blocks.entries()) {
    if (block.heading === 0 || (block.box.flags & HIDDEN) !== 0) continue;
    if (wanted !== "" && block.heading <= 3) {
      const own = folded(block.text.slice(0, MAX_LENGTH));
      if (own === wanted || (block.heading === 1 && own.startsWith(wanted))) return at;
    }
    if (first === -1 && block.heading === 1) first = at;
  }
  return first;
}

/** The author in a block: in an element that is named as one or leads to a profile, or after a label such as "By". */
function authorIn(block: Block, before: Block | undefined): string | undefined {
  const marked = markedName(block);
  if (marked !== undefined) return marked;
  const { text } = block;
  const label = before?.text.trim() ?? "";
  const isLabelled = hasNameLabel(text) || (label.length <= MAX_LABEL_LENGTH && isNameLabel(label));
  return partName(block) ?? (isLabelled ? personNameOf(text) : undefined) ?? nameWithin(text);
}

/** The name in one of several texts of a line, after a label in the same text or as the whole text before. */
function partName({ texts: all }: Block): string | undefined {
  const texts = all
    .slice(0, MAX_TEXTS)
    .map(({ data }) => data.trim())
    .filter((text) => text !== "");
  if (texts.length < 2) return undefined;
  for (const [at, text] of texts.entries()) {
    const name = hasNameLabel(text) && !isNameLabel(text) ? personNameOf(text) : nameWithin(text);
    // "By" inside of a line begins a sentence if no name follows: "by continuing, you agree".
    if (name !== undefined && (at === 0 || !/^\p{Ll}/u.test(name))) return name;
    const before = at === 1 ? "" : (texts[at - 1] ?? "");
    if (before.length > MAX_LABEL_LENGTH || !isNameLabel(before)) continue;
    const next = personNameOf(text);
    if (next !== undefined) return next;
  }
  return undefined;
}

/** The name in the first link to a profile, or in the first element with the class of an author. */
function markedName({ texts: all, box }: Block): string | undefined {
  const texts = all.slice(0, MAX_TEXTS);
  for (const text of texts) {
    if (text.data.trim() === "") continue;
    const element = authorElement(text.parent);
    if (element === undefined) continue;
    const isAround = box.element !== undefined && isInside(box.element, element);
    const own = isAround ? texts : texts.filter(({ parent }) => parent !== null && isInside(parent, element));
    const name = personNameOf(own.map(({ data }) => data).join(""));
    if (name !== undefined) return name;
  }
  return undefined;
}

/** Whether a text is in an element with the class of an author, or in a link to the texts of one. */
function isOfAuthor(around: ParentNode | null): boolean {
  const element = authorElement(around);
  if (element === undefined || !isTag(element)) return false;
  const { href } = element.attribs;
  return element.name !== "a" || href === undefined || AUTHOR_PAGE.test(href.slice(0, MAX_LENGTH));
}

function authorElement(around: ParentNode | null): ParentNode | undefined {
  let node = around;
  for (let level = 0; level < LEVELS && node !== null && isTag(node); level += 1, node = node.parent) {
    const { class: names = "", itemprop = "", rel = "", href = "" } = node.attribs;
    if (AUTHOR.test(dashed(`${names} ${itemprop} ${rel}`))) return node;
    if (node.name === "a" && PROFILE.test(href.slice(0, MAX_LENGTH))) return node;
  }
  return undefined;
}

/** Whether a node is the element, or at most some levels below it. */
function isInside(inner: ParentNode, element: ParentNode): boolean {
  let node: ParentNode | null = inner;
  for (let level = 0; level <= LEVELS && node !== null; level += 1, node = node.parent) {
    if (node === element) return true;
  }
  return false;
}

/** The date of a `time` element, or the date in the text. */
function dateOf({ texts, text }: Block, language: string): string | undefined {
  for (const { parent } of texts) {
    if (parent === null || !isTag(parent)) continue;
    const time = [parent, parent.parent].find((node) => node !== null && isTag(node) && node.name === "time");
    const declared = time !== undefined && time !== null && isTag(time) ? time.attribs["datetime"] : undefined;
    const date = declared === undefined ? undefined : (momentIn(declared) ?? dateIn(declared, language));
    if (date !== undefined) return date;
  }
  return dateIn(text, language);
}
