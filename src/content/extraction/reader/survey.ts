import { type Document, Element, isTag } from "domhandler";
import { AROUND_ROLES, isTrailerHeading, namedAround } from "./boilerplate.ts";
import { type Measure, type Measures, measure } from "./measures.ts";
import { titleHeading } from "./title.ts";
import { shortText, walkNodes } from "./words.ts";

/** An element that holds more of the region's words is content, whatever it is called. */
const MAX_SHARE_AROUND = 0.4;
/** How much of an element's text one of its children must hold to be the main region in its place. */
const MIN_SHARE_WITH_HEADING = 0.3;
const MIN_SHARE_WITHOUT_HEADING = 0.6;
/** From here on, what is lost is little, whatever it is. */
const SURE_SHARE = 0.95;
/** An element beside it with this much of the text is a section, unless it is built like something around the content. */
const MIN_SHARE_OF_SECTION = 0.04;
const LINK_DISCOUNT = 0.6;
const CONTAINERS = new Set("body div main article section table tbody tr td center form".split(" "));
/** Where less is left, lists of links are taken for content. */
const MIN_SHARE_KEPT = 0.3;
const LISTS = new Set(["ul", "ol", "div", "td"]);
/** From here on, an element called after navigation is one. Links' words to all words. */
const LINK_DENSITY = 0.3;
/** A list of so many links and hardly anything else, none with a picture or a heading, is navigation. */
const MIN_LINKS_OF_A_LIST = 4;
const LINK_LIST_DENSITY = 0.8;
const MAX_WORDS_A_LINK = 4;

/** What of a page stands around its content, and where its content is. */
export interface Survey {
  /** Of all elements of the body. */
  readonly all: Measures;
  /** The same, without what is around the content. */
  readonly kept: Measures;
  /** The outermost elements that are called or built as something around the content. */
  readonly around: ReadonlySet<Element>;
  /** The deepest element that holds most of the text, and the title's heading where there is one. */
  readonly root: Element | Document;
}

/** Surveys a body in a few walks; linear. */
export function surveyBody(body: Element | Document, title: string): Survey {
  const all = measure(body);
  const total = all.get(body)?.words ?? 0;
  let around = elementsAround(body, all, isLinks);
  let kept = measure(body, around);
  if ((kept.get(body)?.words ?? 0) < total * MIN_SHARE_KEPT) {
    // A directory or an index: lists of links are what it has.
    around = elementsAround(body, all, () => false);
    kept = measure(body, around);
  }
  return { all, kept, around, root: narrowest(body, { all, kept, heading: titleHeading(body, title) }) };
}

function elementsAround(body: Element | Document, all: Measures, isList: (own: Measure) => boolean): Set<Element> {
  const most = (all.get(body)?.words ?? 0) * MAX_SHARE_AROUND;
  const around = new Set<Element>();
  const named = memoised(namedAround);
  walkNodes(body, {
    enter(node) {
      if (!isTag(node) || node === body) return true;
      if (around.has(node)) return false;
      const own = all.get(node);
      if (own === undefined) return true;
      if (own.words <= most && (isAround(node, own, named) || (LISTS.has(node.name) && isList(own)))) {
        around.add(node);
        return false;
      }
      if (/^h[2-6]$/.test(node.name) && isTrailerHeading(shortText(node, MAX_HEADING_LENGTH) ?? "")) {
        const trailer = trailerOf(node, all);
        const words = trailer.reduce((sum, element) => sum + (all.get(element)?.words ?? 0), 0);
        if (words <= most) for (const element of trailer) around.add(element);
      }
      return !around.has(node);
    },
  });
  return around;
}

/** Most elements of a page have one of few classes. */
function memoised(name: typeof namedAround): typeof namedAround {
  const known = new Map<string, ReturnType<typeof namedAround>>();
  return (names, id) => {
    if (names === undefined && id === undefined) return undefined;
    const key = `${names ?? ""} ${id ?? ""}`;
    if (known.has(key)) return known.get(key);
    const found = name(names, id);
    known.set(key, found);
    return found;
  };
}

interface Landmarks {
  readonly all: Measures;
  readonly kept: Measures;
  readonly heading: Element | undefined;
}

/** The deepest element that holds most of the text, and the title's heading where there is one. */
function narrowest(body: Element | Document, { all, kept, heading }: Landmarks): Element | Document {
  let root = body;
  for (;;) {
    const weight = weightOf(kept.get(root));
    const children: Element[] = root.children.filter(isTag);
    const [next, ...others] = children.toSorted((a, b) => weightOf(kept.get(b)) - weightOf(kept.get(a)));
    if (next === undefined || !CONTAINERS.has(next.name)) return root;
    const holdsHeading = heading !== undefined && contains(next, heading);
    if (heading !== undefined && !holdsHeading && contains(root, heading)) return root;
    const share = weightOf(kept.get(next)) / weight;
    if (!(share >= (holdsHeading ? MIN_SHARE_WITH_HEADING : MIN_SHARE_WITHOUT_HEADING))) return root;
    const losesText = others.some(
      (other) => weightOf(kept.get(other)) >= weight * MIN_SHARE_OF_SECTION && !isBeside(other, all.get(other)),
    );
    if (losesText && share < SURE_SHARE) return root;
    root = next;
  }
}

/** Names of columns, heads and feet, in pages that are built of boxes without a meaning. */
const BESIDE =
  /(?:^|\s)(?:(?:left|right|ft|foot|footer|bottom|hd|head|top|side|secondary|copyright)|(?:left|right|side|secondary|foot|head|top|bottom)[-_]?(?:col|column|bar|nav|menu|pane|rail|line|links)|(?:col|column|side|nav)[-_]?(?:left|right|l|r))(?:\s|$)/i;

/** Whether an element beside the main one is a column of links, a head or a foot. */
function isBeside({ attribs, name }: Element, own: Measure | undefined): boolean {
  if (own === undefined || own.linkWords >= own.words * LINK_DENSITY) return true;
  return name !== "main" && name !== "article" && BESIDE.test(`${attribs["id"] ?? ""} ${attribs["class"] ?? ""}`);
}

/** Words in links count for less: navigation is made of them, but so are the titles of lists. */
function weightOf(own: Measure | undefined): number {
  return own === undefined ? 0 : own.words - own.linkWords * LINK_DISCOUNT;
}

function contains(root: Element | Document, element: Element): boolean {
  let above: Element["parent"] | Element = element;
  while (above !== null && above !== root) above = above.parent;
  return above === root;
}

function isAround(element: Element, own: Measure, namedSo: typeof namedAround): boolean {
  const { name, attribs } = element;
  if (name === "nav" || AROUND_ROLES.has(attribs["role"] ?? "")) return true;
  if (name === "aside") return own.linkWords >= own.words * LINK_DENSITY || !isWithin(element, "article", "main");
  if (name === "footer") return !isWithin(element, "article", "blockquote", "li") || isLinks(own);
  if (name === "header" && own.headings === 0 && !isWithin(element, "article", "blockquote", "li")) return true;
  const named = namedSo(attribs["class"], attribs["id"]);
  if (named === "surely") return true;
  if (named === "with-links" && own.links > 0 && own.linkWords >= own.words * LINK_DENSITY) return true;
  return false;
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

/** A longer heading names no list of other pages; in characters. */
const MAX_HEADING_LENGTH = 60;

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
function trailerOf(heading: Element, measures: Measures): Element[] {
  const trailer = [heading];
  for (let next = heading.next; next !== null; next = next.next) {
    if (!isTag(next)) continue;
    const own = measures.get(next);
    if (/^h[1-6]$/.test(next.name) && next.name <= heading.name) break;
    // A text without links is no list of others' titles.
    if (own !== undefined && own.words > 0 && own.links === 0) break;
    trailer.push(next);
  }
  return trailer;
}
