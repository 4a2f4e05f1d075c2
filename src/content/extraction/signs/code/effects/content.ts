import { isAside } from "../values/page-elements.ts";
import { type Made, tagsIn } from "../values/value.ts";

/** Elements without words that belong to the content. */
const WITHOUT_CONTENT =
  /^(?:script|link|style|canvas|meta|noscript|svg|img|source|button|input|select|option|label|progress|base|template|path|i|br|hr|dialog|slot)$/;

/** The present year, as footers show it. */
export const YEAR = /^[^\p{L}\d]{0,9}20\d\d[^\p{L}\d]{0,9}$/u;

/** Styles of created elements that are over the content or not visible. */
const UNSEEN = /position\s*:\s*fixed|display\s*:\s*none|visibility\s*:\s*hidden/;

/** Whether created elements show words, and are not a banner or the like. */
export function hasContent({ tags, names }: Made): boolean {
  if (isAside(names) || UNSEEN.test(names)) return false;
  const elements = [...tags].filter((tag) => tag !== "#text");
  if (elements.length === 0) return tags.size > 0;
  const [, ...inner] = elements;
  // An element around controls and pictures without a text.
  if (elements.length === tags.size && inner.length > 0 && inner.every((tag) => WITHOUT_CONTENT.test(tag)))
    return false;
  // A link without a text is the mark of a heading, or leads to the top.
  return elements.some((tag) => !WITHOUT_CONTENT.test(tag) && (tag !== "a" || tags.has("#text")));
}

/** Whether HTML has only elements without content. */
export function isWithoutContent(html: string): boolean {
  return tagsIn(html).every((tag) => WITHOUT_CONTENT.test(tag));
}

/** Whether HTML has a text outside of style sheets and buttons. */
export function hasWords(html: string): boolean {
  return tagsIn(html.replaceAll(/<(style|button)\b[^]*?<\/\1>/gi, "")).includes("#text");
}

/** Whether an element has another text. An empty element that gets the present year has the same: it is the end of a footer. */
export function isOther(shown: string, html: string): boolean {
  const [before, after] = [normal(shown), normal(html.replaceAll(/<[^>]*>/g, ""))];
  return before !== after && !(before === "" && YEAR.test(after));
}

const normal = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
