import { Readability } from "@mozilla/readability";
import { type Article, orNothing, type TreeWeight } from "./article-extractor.ts";
import { type LightDocument, lightDocument, type LightElement, treeOf } from "./light-dom.ts";

/** It looks at subtrees again and again: a page above one of these takes a second and more. */
const READABILITY_MAX: TreeWeight = { elements: 60_000, characters: 10_000_000, nesting: 6_000_000 };

interface ReadabilityResult {
  readonly content: LightElement | null | undefined;
  readonly byline: string | null | undefined;
}

type ReadabilityClass = new (
  document: LightDocument,
  options: {
    readonly keepClasses: boolean;
    readonly disableJSONLD: boolean;
    serializer(node: LightElement): LightElement;
  },
) => { parse(): ReadabilityResult | null };

// The library's own types name the browser's global ones, which are not known here.
const Library = Readability as unknown as ReadabilityClass;

/** Works on the light document, where what is hidden is pruned already. */
class PrunedReadability extends Library {
  // oxlint-disable-next-line no-underscore-dangle -- the library names it so
  _isProbablyVisible(): boolean {
    return true;
  }

  /** Asked of the same elements again and again between two changes. */
  // oxlint-disable-next-line no-underscore-dangle -- the library names it so
  _getInnerText(element: LightElement, normalizeSpaces = true): string {
    return normalizeSpaces ? element.foldedText : element.textContent.trim();
  }
}

/** Mozilla's Readability: the best there is at articles and documentation, weak where text is in many small pieces. */
export const readability = orNothing((page): Article | undefined => {
  if (isHeavier(page.weight, READABILITY_MAX)) return undefined;
  const document = lightDocument(page.tree, page.url);
  const options = { keepClasses: true, disableJSONLD: true, serializer: (node: LightElement) => node };
  const parser = new PrunedReadability(document, options);
  const result = parser.parse();
  if (!result?.content) return undefined;
  return { tree: treeOf(result.content), byline: result.byline ?? undefined };
});

export function isHeavier(weight: TreeWeight, limit: TreeWeight): boolean {
  return weight.elements > limit.elements || weight.characters > limit.characters || weight.nesting > limit.nesting;
}
