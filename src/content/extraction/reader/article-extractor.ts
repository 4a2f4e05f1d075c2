import { type Document } from "domhandler";
import { type Survey } from "./survey.ts";

/** A page as the reader has it: pruned of what is never content, its addresses absolute. Extractors leave it as it is. */
export interface ReaderPage {
  readonly tree: Document;
  readonly url: string;
  readonly title: string;
  /** The words of its body; of scripts without spaces, characters. */
  readonly words: number;
  readonly weight: TreeWeight;
  readonly survey: Survey;
}

/** How large a page is, and what extractors pay that look at whole subtrees again and again. */
export interface TreeWeight {
  readonly elements: number;
  /** Of its text. */
  readonly characters: number;
  /** The sum of all nodes' depths: each is seen once for each element that it lies in. */
  readonly nesting: number;
}

/** The main content of a page as a tree of its own. */
export interface Article {
  readonly tree: Document;
  /** Who wrote it, where the extractor knows. */
  readonly byline?: string | undefined;
}

/**
 * Finds the main content of a page; undefined where it finds none, or where the page is too large for it.
 * Another extractor takes the place of today's by this one type: read-article.ts chooses among them.
 */
export type ArticleExtractor = (page: ReaderPage) => Article | undefined;

/** An extractor that finds nothing on a page at which the library beneath it fails: the others find the page's content then. */
export function orNothing(extractor: ArticleExtractor): ArticleExtractor {
  return (page) => {
    try {
      return extractor(page);
    } catch {
      return undefined;
    }
  };
}
