import { type Document, type Element, isTag } from "domhandler";
import { type PageMetadata } from "./metadata.ts";
import { type Measure, type Measures } from "./measures.ts";
import { type Survey } from "./survey.ts";
import { walkNodes } from "./words.ts";

/** What a page's content is made of: an article, one text of another kind, or many pieces of one kind. */
export type PageKind = "article" | "text" | "pieces";

const ARTICLES = /^(?:\w*Article|BlogPosting|Report|Recipe|HowTo|APIReference|LiveBlogPosting)$/;
const THREADS = ["DiscussionForumPosting", "QAPage", "Question", "Answer"];
const LISTS = ["ItemList", "CollectionPage", "SearchResultsPage", "OfferCatalog"];
const PRODUCTS = ["Product", "ProductGroup", "IndividualProduct"];

/** Pieces of one kind: so many at least, of so many words each at least, with so much of the page's words in all. */
const MIN_CARDS = 6;
const MIN_SHARE_OF_CARDS = 0.7;
const MIN_POSTS = 2;
const MIN_WORDS_OF_A_PIECE = 4;
const MIN_SHARE_OF_PIECES = 0.35;
/** With less, they are comments below something. */
const MIN_SHARE_OF_POSTS = 0.6;

/** One `<article>` with this much of the text is the page's content. */
const MIN_SHARE_OF_ARTICLE = 0.5;

/** Whole words of classes of what people write below one another. */
const POST =
  /(?:^|[^a-z])(?:post|comment|message|reply|answer|topic-?post|forum-?post|postcontainer|postbody|thread-?item)(?:s)?(?:$|[^a-z])/i;

/** Looks at what the page says of itself, then at how it is built. */
export function kindOf(page: PageMetadata, survey: Survey): PageKind {
  const has = (types: readonly string[]): boolean => types.some((type) => page.types.has(type));
  if (has(THREADS)) return "pieces";
  const isArticle = [...page.types.keys()].some((type) => ARTICLES.test(type));
  if (isArticle) return "article";
  if (has(PRODUCTS) || has(LISTS) || /^(?:og:)?product/.test(page.socialType)) return "pieces";
  if (hasPieces(survey)) return "pieces";
  return page.socialType === "article" || page.published !== undefined || hasArticle(survey) ? "article" : "text";
}

/** Whether one `<article>` holds most of the text. */
function hasArticle({ kept, root }: Survey): boolean {
  const enough = (kept.get(root)?.words ?? 0) * MIN_SHARE_OF_ARTICLE;
  for (const [element, { words }] of kept) {
    if (words >= enough && isTag(element) && element.name === "article") return true;
  }
  return false;
}

/** Whether siblings of one name and class are most of what the page has. */
function hasPieces({ kept, root }: Survey): boolean {
  const total = kept.get(root)?.words ?? 0;
  let found = false;
  walkNodes(root, {
    enter(node) {
      if (!isTag(node) && node !== root) return false;
      if (found || (kept.get(node)?.words ?? 0) < total * MIN_SHARE_OF_PIECES) return false;
      found = groupsOf(node, kept).some((group) => isMostOf(total, group));
      return !found;
    },
  });
  return found;
}

function isMostOf(total: number, group: readonly Piece[]): boolean {
  const words = group.reduce((sum, { own }) => sum + own.words, 0);
  if (words < total * MIN_SHARE_OF_PIECES) return false;
  const arePosts = group.every(({ element: { attribs } }) =>
    POST.test(`${attribs["class"] ?? ""} ${attribs["id"] ?? ""}`),
  );
  if (arePosts) return group.length >= MIN_POSTS && words >= total * MIN_SHARE_OF_POSTS;
  const cards = group.filter(({ own }) => own.links > 0);
  return group.length >= MIN_CARDS && cards.length >= group.length * MIN_SHARE_OF_CARDS;
}

interface Piece {
  readonly element: Element;
  readonly own: Measure;
}

/** An element's children by name and first class. */
function groupsOf(parent: Element | Document, measures: Measures): Piece[][] {
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
