import { type Document, type Element, isTag } from "domhandler";
import { type PageMetadata } from "./metadata.ts";
import { type Measure, type Measures } from "./measures.ts";
import { type Survey } from "./survey.ts";

/** What a page's content is made of: one text, or many pieces of one kind. */
export type PageKind = "text" | "pieces";

const ARTICLES = /^(?:\w*Article|BlogPosting|Report|Recipe|HowTo|APIReference|LiveBlogPosting)$/;
const THREADS = ["DiscussionForumPosting", "QAPage", "Question"];
const LISTS = ["ItemList", "CollectionPage", "SearchResultsPage", "OfferCatalog"];
const PRODUCTS = ["Product", "ProductGroup", "IndividualProduct"];

/** Pieces of one kind: so many at least, of so many words each at least, with so much of the page's words in all. */
const MIN_PIECES = 3;
const MIN_POSTS = 2;
const MIN_WORDS_OF_A_PIECE = 4;
const MIN_SHARE_OF_PIECES = 0.35;

/** Whole words of classes of what people write below one another. */
const POST =
  /(?:^|[^a-z])(?:post|comment|message|reply|answer|topic-?post|forum-?post|postcontainer|postbody|thread-?item)(?:s)?(?:$|[^a-z])/i;

/** Looks at what the page says of itself, then at how it is built. */
export function kindOf(page: PageMetadata, survey: Survey): PageKind {
  const has = (types: readonly string[]): boolean => types.some((type) => page.types.has(type));
  if (has(THREADS)) return "pieces";
  const isArticle = [...page.types.keys()].some((type) => ARTICLES.test(type));
  if (isArticle) return "text";
  if (has(PRODUCTS) || has(LISTS) || /^(?:og:)?product/.test(page.socialType)) return "pieces";
  return hasPieces(survey) ? "pieces" : "text";
}

/** Whether siblings of one name and class are most of what the page has. */
function hasPieces({ kept, root }: Survey): boolean {
  const total = kept.get(root)?.words ?? 0;
  for (const [parent, { words: all }] of kept) {
    if (all < total * MIN_SHARE_OF_PIECES) continue;
    for (const group of groupsOf(parent, kept)) {
      const words = group.reduce((sum, { own }) => sum + own.words, 0);
      if (words < total * MIN_SHARE_OF_PIECES) continue;
      const posts = group.every(({ element }) =>
        POST.test(`${element.attribs["class"] ?? ""} ${element.attribs["id"] ?? ""}`),
      );
      if (posts && group.length >= MIN_POSTS) return true;
      const cards = group.filter(
        ({ own }) => own.links > 0 && (own.headings > 0 || own.images > 0 || own.linkWords > 2),
      );
      if (group.length >= MIN_PIECES * 2 && cards.length >= group.length * 0.7) return true;
    }
  }
  return false;
}

interface Piece {
  readonly element: Element;
  readonly own: Measure;
}

/** An element's children by name and first class. */
function groupsOf(parent: Element | Document, measures: Measures): Iterable<Piece[]> {
  const groups = new Map<string, Piece[]>();
  for (const element of parent.children) {
    if (!isTag(element) || /^(?:p|h[1-6]|td|th|dt|dd|span|a)$/.test(element.name)) continue;
    const own = measures.get(element);
    if (own === undefined || own.words < MIN_WORDS_OF_A_PIECE) continue;
    const key = `${element.name} ${/^\s*(\S+)/.exec(element.attribs["class"] ?? "")?.[1] ?? ""}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [{ element, own }]);
    else group.push({ element, own });
  }
  return [...groups.values()].filter((group) => group.length >= MIN_POSTS);
}
