import { Readability } from "@mozilla/readability";
import { type Article, type ArticleExtractor, type TreeWeight } from "./article-extractor.ts";
import { type LinkedomDocument, linkedomDocument, treeOf } from "./linkedom-document.ts";

/** It looks at subtrees and siblings again and again: a page above one of these takes seconds (bench reader). */
const READABILITY_MAX: TreeWeight = { elements: 60_000, nesting: 3_000_000, crowding: 20_000_000 };

type Node = LinkedomDocument["documentElement"];

interface ReadabilityResult {
  readonly content: Node | null | undefined;
  readonly byline: string | null | undefined;
}

type ReadabilityClass = new (
  document: LinkedomDocument,
  options: { readonly keepClasses: boolean; readonly disableJSONLD: boolean; serializer(node: Node): Node },
) => { parse(): ReadabilityResult | null };

// The library's own types name the browser's global ones, which are not known here.
const Library = Readability as unknown as ReadabilityClass;

/** What is hidden is pruned already; asking linkedom for each element's style takes a quarter of the time. */
class PrunedReadability extends Library {
  // oxlint-disable-next-line no-underscore-dangle -- the library names it so
  _isProbablyVisible(): boolean {
    return true;
  }
}

/** Mozilla's Readability: the best there is at articles and documentation, weak where text is in many small pieces. */
export const readability: ArticleExtractor = (page): Article | undefined => {
  if (isHeavier(page.weight, READABILITY_MAX)) return undefined;
  const document = linkedomDocument(page.tree, page.url);
  const options = { keepClasses: true, disableJSONLD: true, serializer: (node: Node) => node };
  const parser = new PrunedReadability(document, options);
  const result = parser.parse();
  if (!result?.content) return undefined;
  return { tree: treeOf(result.content), byline: result.byline ?? undefined };
};

export function isHeavier(weight: TreeWeight, limit: TreeWeight): boolean {
  return weight.elements > limit.elements || weight.nesting > limit.nesting || weight.crowding > limit.crowding;
}
