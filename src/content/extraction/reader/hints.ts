import { type PageHints } from "./page-values.ts";
import { type PageMetadata } from "./metadata.ts";

/** Maximum number of characters of an address that are read. */
const MAX_ADDRESS_LENGTH = 1000;
const FORUM =
  /(?:^|[./-])(?:forums?|boards?|bbs|community|communities|discuss(?:ions?)?|talk|threads?|topics?|questions|showtopic|showthread|viewtopic|t)(?:[./-]|$)/i;

const ARTICLES = /^(?:\w{0,30}Article|BlogPosting|LiveBlogPosting|Report|Recipe|HowTo)$/;
const PRODUCTS = /^(?:Product|ProductGroup|Offer|AggregateOffer|IndividualProduct)$/;
const THREADS = /^(?:QAPage|DiscussionForumPosting|Question|Answer|Comment)$/;
const LISTS = /^(?:ItemList|CollectionPage|SearchResultsPage|OfferCatalog|Blog|JobPosting|EventSeries)$/;

/** The kind of a page, from its types in JSON-LD, microdata and OpenGraph, and from its address. */
export function hintsOf(metadata: PageMetadata, url: string): PageHints {
  const { types, socialType, headline, socialTitle, title } = metadata;
  const has = (of: RegExp): boolean => [...types.keys()].some((type) => of.test(type));
  return {
    title: headline || socialTitle || title,
    path: URL.parse(url)?.pathname ?? "/",
    isArticle: has(ARTICLES) || socialType === "article",
    isProduct: has(PRODUCTS) || /^(?:og:)?product/.test(socialType),
    isThread: has(THREADS),
    isList: has(LISTS),
  };
}

/** Whether an address looks like one of a forum. */
export function isForum(url: string): boolean {
  const { host = "", pathname = "" } = URL.parse(url) ?? {};
  return FORUM.test(`${host}${pathname}`.slice(0, MAX_ADDRESS_LENGTH));
}
