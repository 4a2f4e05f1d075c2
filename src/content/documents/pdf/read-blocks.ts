import { readRegion, type Setting } from "./blocks.ts";
import { setHeadings } from "./headings.ts";
import { compoundsOf, joined } from "./pieces.ts";
import { regionsOf } from "./regions.ts";
import { joinedWords, segmentsOf } from "./segments.ts";
import { type Block, type PageBlocks, paragraphWith, type PdfPage, plainOf, type Run, usualSize } from "./shapes.ts";
import { ruledTables } from "./grids.ts";
import { taggedBlocks } from "./tagged.ts";
import { shownTitle } from "./title.ts";
import { withoutFurniture } from "./furniture.ts";

/** The part of a page's height below which footnotes may begin. */
const NOTE_PLACE = 0.5;

/** The blocks of a document in reading order, its title, and the number of pages that they come from. */
export interface DocumentBlocks {
  readonly blocks: Block[];
  readonly pages: number;
  /** The title that the text shows. May be empty. */
  readonly title: string;
}

/**
 * The blocks of a document: from its tags if it has them, otherwise from the positions of its text. The pages after the
 * first one are left out as soon as `isOver` returns true.
 */
export function blocksOfDocument(read: readonly PdfPage[], isOver: () => boolean): DocumentBlocks {
  const pages = withoutFurniture(read);
  const setting = settingOf(pages);
  const blocks: Block[] = [];
  const marked = new Set<Block>();
  let [done, ofFirst] = [0, 0];
  for (const page of pages) {
    if (done > 0 && isOver()) break;
    done += 1;
    const tagged = taggedBlocks(page, setting);
    const { blocks: text, notes } = tagged ?? laidOutBlocks(page, setting);
    for (const block of tagged?.blocks ?? []) marked.add(block);
    const last = openBlock(blocks);
    joinPages(blocks, last, text, setting.compounds);
    blocks.push(...text, ...notes);
    for (const note of notes) notesOf.add(note);
    if (ofFirst === 0) ofFirst = blocks.length;
  }
  // If the tags name headings, no other text is a heading.
  const isNamed = [...marked].some((block) => block.kind === "text" && block.level > 0);
  setHeadings(
    blocks.filter((block) => !notesOf.has(block) && !(isNamed && marked.has(block))),
    setting.bodySize,
  );
  const { bodySize } = setting;
  const at = pages.findIndex(({ runs }) => runs.length > 0);
  const first = { blocks: blocks.slice(0, ofFirst), page: pages[at], whole: read[at], bodySize };
  return { blocks, pages: done, title: shownTitle(first, blocks) };
}

/** Notes at the end of a page, before the text continues. */
const notesOf = new WeakSet<Block>();

/** The last block of a page before its notes. */
function openBlock(blocks: readonly Block[]): number {
  return blocks.findLastIndex((block) => !notesOf.has(block));
}

function settingOf(pages: readonly PdfPage[]): Setting {
  const runs = pages.flatMap((page) => page.runs);
  const isTypewritten = lettersIn(runs.filter(({ isMono }) => isMono)) > lettersIn(runs) * 0.6;
  return { bodySize: usualSize(pages), isTypewritten, compounds: compoundsOf(runs) };
}

function lettersIn(runs: readonly Run[]): number {
  return runs.reduce((sum, { text }) => sum + text.length, 0);
}

function laidOutBlocks({ runs, rules, aside, height }: PdfPage, setting: Setting): PageBlocks {
  const page: PageBlocks = { blocks: [], notes: [] };
  const { tables, rest } = ruledTables(runs, rules);
  const letters = runs.reduce((sum, { isRtl, text }) => sum + (isRtl ? text.length : -text.length), 0);
  for (const region of regionsOf(joinedWords([...segmentsOf(rest), ...tables]), letters > 0)) {
    const part: PageBlocks = { blocks: [], notes: [] };
    readRegion(region, { setting, noteTop: height * NOTE_PLACE, rules }, part);
    joinPages(page.blocks, openBlock(page.blocks), part.blocks, setting.compounds);
    page.blocks.push(...part.blocks);
    page.notes.push(...part.notes);
  }
  const text = aside.map((run) => run.text).join(" ");
  if (text.length > 2) page.notes.push(paragraphWith(text, setting.bodySize));
  return page;
}

/** Joins a paragraph, table or list that continues at the top of the next page or column. */
function joinPages(blocks: Block[], at: number, next: Block[], compounds: ReadonlySet<string>): void {
  const last = blocks[at];
  const [first] = next;
  if (last?.kind === "text" && first?.kind === "text") {
    if (!goesOn(last, first)) return;
    last.pieces = joined(last.pieces, first.pieces, compounds);
    next.shift();
  } else if (last?.kind === "table" && first?.kind === "table") {
    const [head] = last.rows;
    if (head?.length !== first.rows[0]?.length || first.caption.length > 0) return;
    const text = (row: (typeof first.rows)[number] | undefined) => row?.map(plainOf).join("\t");
    last.rows.push(...(text(first.rows[0]) === text(head) ? first.rows.slice(1) : first.rows));
    next.shift();
  } else if (last?.kind === "list" && first?.kind === "list") {
    if ((last.items[0]?.number === undefined) !== (first.items[0]?.number === undefined)) return;
    last.items.push(...first.items);
    next.shift();
  }
}

type Text = Extract<Block, { kind: "text" }>;

/** Whether a paragraph breaks off inside a sentence that continues in lower case. */
function goesOn(last: Text, first: Text): boolean {
  if (last.level > 0 || first.level > 0 || Math.abs(last.look.size - first.look.size) > 0.6) return false;
  const end = plainOf(last.pieces).trimEnd();
  // Texts with line breaks, such as addresses, end with their last line.
  if (end.includes("\n")) return false;
  const start = plainOf(first.pieces);
  // Scripts without capital letters.
  const isInside = last.look.lines > 1 && /\p{Lo}$/u.test(end) && /^\p{Lo}/u.test(start);
  return (
    isInside || (!/[.!?:;\u3002\uFF01\uFF1F]["'\u201D\u2019)\]]?$/.test(end) && /^["'\u201C(]?\p{Ll}/u.test(start))
  );
}
