import { type Block, type Box, FLAGS } from "./outline.ts";
import { isProse, largestGroup } from "./page-parts.ts";

/** Facts about the page from its metadata and address. */
export interface PageHints {
  readonly title: string;
  /** The path of the page's address. */
  readonly path: string;
  /** From the types in JSON-LD, microdata or OpenGraph. */
  readonly isArticle: boolean;
  readonly isProduct: boolean;
  readonly isThread: boolean;
  readonly isList: boolean;
}

interface Page {
  readonly root: Box;
  readonly blocks: readonly Block[];
  /** The index of the block with the title; -1 if none has it. */
  readonly title: number;
}

/** The value of a distance if one of its ends does not exist. */
export const UNKNOWN = -10_000;

/** The features that are the same for all blocks of a page. */
export function pageValuesOf(page: Page, hints: PageHints): readonly number[] {
  return [...pageSums(page, hints), ...pageFacts(page, hints)];
}

/** Sums over the page, and its kind. */
function pageSums(page: Page, { isArticle, isProduct, isThread, isList }: PageHints): readonly number[] {
  const { root, blocks } = page;
  const words = Math.max(root.words, 1);
  return [
    root.words,
    blocks.length,
    root.linkWords / words,
    root.proseWords / words,
    (root.sentences * 10) / words,
    ...[isArticle, isProduct, isThread, isList].map(Number),
    shareOf(page, "main"),
    shareOf(page, "article"),
  ];
}

/** The path of the address, and statistics of the page. */
function pageFacts({ root, blocks, title }: Page, hints: PageHints): readonly number[] {
  const count = Math.max(blocks.length, 1);
  const path = hints.path.split("/").filter((part) => part !== "");
  const last = path.at(-1) ?? "";
  const group = largestGroup(root);
  return [
    path.length,
    last === "" ? 0 : last.split(/[-_+]|%20/).length,
    (last.match(/\d/g) ?? []).length,
    group === undefined ? 0 : group.alikeWords / Math.max(root.words, 1),
    group === undefined ? 0 : group.alikeWords / group.alike,
    group?.alike ?? 0,
    root.times,
    root.hiddenWords / Math.max(root.words, 1),
    blocks.filter((block) => isProse(block)).length / count,
    blocks.filter(({ count: { currencies } }) => currencies > 0).length / count,
    root.headings / count,
    root.images / count,
    title === -1 ? UNKNOWN : title / count,
  ];
}

/** The share of the page's words in `main` or `article` elements. */
function shareOf({ root, blocks }: Page, name: "main" | "article"): number {
  let words = 0;
  for (const { box, count } of blocks) if ((box.flags & FLAGS[name]) !== 0) words += count.words;
  return words / Math.max(root.words, 1);
}
