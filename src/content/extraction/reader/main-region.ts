import { type Element } from "domhandler";
import { type Article, type ArticleExtractor } from "./article-extractor.ts";
import { isPostDetail } from "./boilerplate.ts";
import { copyTree } from "./tree-copy.ts";

/** What is longer is no rank and no count of votes. */
const MAX_WORDS_OF_A_DETAIL = 15;

/**
 * The page's main region without what is called or built as something around it. Linear, and takes many small pieces for
 * content where they are most of the region: the one for forums, lists, products and what is too large for the others.
 */
export const mainRegion: ArticleExtractor = ({ survey }): Article | undefined => {
  const { root, around, kept } = survey;
  const total = kept.get(root)?.words ?? 0;
  if (total === 0) return undefined;
  const isDetail = (element: Element): boolean =>
    isPostDetail(element.attribs["class"]) && (kept.get(element)?.words ?? 0) <= MAX_WORDS_OF_A_DETAIL;
  return { tree: copyTree(root, (element) => !around.has(element) && !isDetail(element)) };
};
