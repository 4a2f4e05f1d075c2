import { type Article, type ArticleExtractor } from "./article-extractor.ts";
import { copyTree } from "./tree-copy.ts";

/**
 * The page's main region without what is called or built as something around it. Linear, and takes many small pieces for
 * content where they are most of the region: the one for forums, lists, products and what is too large for the others.
 */
export const mainRegion: ArticleExtractor = ({ survey }): Article | undefined => {
  const { root, around, kept } = survey;
  if ((kept.get(root)?.words ?? 0) === 0) return undefined;
  return { tree: copyTree(root, (element) => !around.has(element)) };
};
