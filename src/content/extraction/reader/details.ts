import { dateIn } from "./dates.ts";
import { folded } from "./folded.ts";
import { hintsOf } from "./hints.ts";
import { type PageMetadata } from "./metadata.ts";
import { type Outline } from "./outline.ts";
import { type VisibleDetails, visibleDetails } from "./visible-details.ts";

/** The path of an article, a post or a thread: several words, a number, or a telling folder. */
const TEXT_PATH =
  /[a-z\d]+(?:[-_+][a-z\d]+){2,}[^/]*\/?$|\d{4}|\/(?:blogs?|news|articles?|posts?|stor(?:y|ies)|threads?|topics?|t|p|questions?|guides?|learn)\/./i;
const DATE_IN_PATH = /(?<=\/)\d{4}[/-](?:\d{1,2}|[a-z]{3,9})[/-]\d{1,2}(?=[/-]|$)/;
/** A thread in a forum whose pages differ in a number, such as `viewtopic.php?t=5`. */
const THREAD = /\/(?:viewtopic|showthread|showtopic|thread|topic)\b[^/]*\?.*\d/i;
/** Maximum number of characters of a path or an address that are read. */
const MAX_PATH_LENGTH = 1000;

/**
 * The author and the date of a page: those that it declares, otherwise those that an article or a thread shows beside
 * its title, and last the date in its address. A shown author is better than a declared one that is the site itself.
 */
export function detailsOf(
  metadata: PageMetadata,
  outline: Outline,
  { title, url }: { readonly title: string; readonly url: string },
): VisibleDetails {
  const { byline, published, isOfItems, language, siteName } = metadata;
  const { isArticle, isThread, isProduct, isList, path } = hintsOf(metadata, url);
  const start = path.slice(0, MAX_PATH_LENGTH);
  const address = url.slice(0, MAX_PATH_LENGTH);
  const isText = !isProduct && (isArticle || isThread || (!isList && TEXT_PATH.test(start)) || THREAD.test(address));
  const isSite = byline !== undefined && folded(byline) === folded(siteName);
  if (isOfItems && !isThread && !TEXT_PATH.test(start)) return { byline: undefined, published };
  if (!isText || (byline !== undefined && !isSite && published !== undefined)) return { byline, published };
  const seen = visibleDetails(outline, title, language);
  return {
    byline: isSite ? (seen.byline ?? byline) : (byline ?? seen.byline),
    published: published ?? seen.published ?? dateIn(DATE_IN_PATH.exec(start)?.[0] ?? ""),
  };
}
