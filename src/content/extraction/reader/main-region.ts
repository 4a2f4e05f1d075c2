import { type Document, Element, isTag } from "domhandler";
import { type Article, type ArticleExtractor } from "./article-extractor.ts";
import { AROUND_ROLES, isTrailerHeading, namedAround } from "./boilerplate.ts";
import { type Measure, measure } from "./measures.ts";
import { bodyOf } from "./reader-page.ts";
import { copyTree } from "./tree-copy.ts";
import { inlineText, walkNodes } from "./words.ts";

/** An element that holds more of the region's words is content, whatever it is called. */
const MAX_SHARE_AROUND = 0.4;
/** `<main>` is believed where it holds this much of the page's words. */
const MIN_SHARE_OF_MAIN = 0.2;
/** From here on, an element called after navigation is one. Links' words to all words. */
const LINK_DENSITY = 0.3;
/** A list of so many links and hardly anything else, none with a picture or a heading, is navigation. */
const MIN_LINKS_OF_A_LIST = 4;
const LINK_LIST_DENSITY = 0.8;
const MAX_WORDS_A_LINK = 4;

/**
 * The page's main region without what is called or built as something around it. Linear, and takes many small pieces for
 * content where they are most of the region: the one for forums, lists, products and what is too large for the others.
 */
export const mainRegion: ArticleExtractor = (page): Article | undefined => {
  const body = bodyOf(page.tree);
  const measures = measure(body);
  const root = mainOf(body, measures);
  const total = measures.get(root)?.words ?? 0;
  if (total === 0) return undefined;
  const dropped = new Set<Element>();
  walkNodes(root, {
    enter(node) {
      if (!isTag(node)) return true;
      if (dropped.has(node)) return false;
      if (node === root) return true;
      const own = measures.get(node);
      if (own === undefined) return true;
      if (own.words <= total * MAX_SHARE_AROUND && isAround(node, own)) {
        dropped.add(node);
        return false;
      }
      if (/^h[2-6]$/.test(node.name) && isTrailerHeading(inlineText(node))) dropTrailer(node, measures, dropped);
      return true;
    },
  });
  return { tree: copyTree(root, (element) => !dropped.has(element)) };
};

/** The one `<main>`, or the one `<article>`, where it holds enough; else the body. */
function mainOf(body: Element | Document, measures: ReadonlyMap<Element | Document, Measure>): Element | Document {
  const enough = (measures.get(body)?.words ?? 0) * MIN_SHARE_OF_MAIN;
  let best: Element | undefined;
  walkNodes(body, {
    enter(node) {
      if (!isTag(node)) return true;
      const isMain = node.name === "main" || node.attribs["role"] === "main";
      if (isMain && (measures.get(node)?.words ?? 0) >= enough) best ??= node;
      return best === undefined;
    },
  });
  return best ?? body;
}

function isAround(element: Element, own: Measure): boolean {
  const { name, attribs } = element;
  if (name === "nav" || AROUND_ROLES.has(attribs["role"] ?? "")) return true;
  if (name === "footer" || name === "aside") return !isWithin(element, "article", "blockquote", "li") || isLinks(own);
  if (name === "header" && own.headings === 0 && !isWithin(element, "article", "blockquote", "li")) return true;
  const named = namedAround(attribs);
  if (named === "surely") return true;
  if (named === "with-links" && own.links > 0 && own.linkWords >= own.words * LINK_DENSITY) return true;
  return (name === "ul" || name === "ol" || name === "div") && isLinks(own);
}

function isLinks({ words, linkWords, links, images, headings }: Measure): boolean {
  return (
    links >= MIN_LINKS_OF_A_LIST &&
    images === 0 &&
    headings === 0 &&
    linkWords >= words * LINK_LIST_DENSITY &&
    linkWords <= links * MAX_WORDS_A_LINK
  );
}

/** How far up is looked for an element that changes what another one means. */
const MAX_LEVELS_UP = 12;

function isWithin(element: Element, ...names: readonly string[]): boolean {
  let above = element.parent;
  for (let level = 0; level < MAX_LEVELS_UP && above instanceof Element; level++, above = above.parent) {
    if (names.includes(above.name)) return true;
  }
  return false;
}

/** A heading such as "Related articles", and what follows it up to the next heading of its rank. */
function dropTrailer(
  heading: Element,
  measures: ReadonlyMap<Element | Document, Measure>,
  dropped: Set<Element>,
): void {
  dropped.add(heading);
  for (let next = heading.next; next !== null; next = next.next) {
    if (!isTag(next)) continue;
    const own = measures.get(next);
    if (/^h[1-6]$/.test(next.name) && next.name <= heading.name) return;
    // A long text is no list of others' titles.
    if (own !== undefined && own.linkWords < own.words * LINK_DENSITY && own.links === 0) return;
    dropped.add(next);
  }
}
