import { folded } from "./folded.ts";
import { type Document, type Element, Text, isTag } from "domhandler";
import { headingLevel } from "../tree/display.ts";
import { type PageMetadata } from "./metadata.ts";
import { type Box, FLAGS, type Outline } from "./outline.ts";
import { tokens } from "./page-parts.ts";
import { removeAll } from "./tree-copy.ts";
import { countWords, shortText } from "./words.ts";
import { walkNodes } from "../tree/walk.ts";

/** Maximum number of headings of one level that are examined. */
const MAX_HEADINGS = 10;
/**
 * Maximum number of characters of a title in a heading, and of the article's beginning that is searched for the title.
 */
const MAX_TITLE_LENGTH = 500;
/** Maximum number of words before the heading that repeats the title: a date, an author, the name of a section. */
const MAX_WORDS_BEFORE_TITLE = 25;

/** Separators between a title and the name of a site. Between ideographs, a dash has no spaces around it. */
const SEPARATOR =
  /\s+(?:[-|–—―·•»«›‹:~]|::|\/|\\)\s+|\s*[|｜_»]\s*|\s+[<>]\s+|(?<=[\p{Script=Han}\p{Script=Katakana}])\s?[-–—]\s?(?=[\p{Script=Han}\p{Script=Katakana}])/u;

/** Brackets around the name of a site or a remark, as in Japanese and Chinese titles. */
const BRACKETS = /\s*[【】]\s*/u;

/** The title of a page without the site's name: its heading if that agrees with the page's metadata. */
export function titleOf(page: PageMetadata, outline: Outline, url: string): string {
  const headings = firstHeadings(outline, 1);
  const host = hostName(url);
  const named = [page.socialTitle, page.title, page.headline]
    .map((title) => title.slice(0, MAX_TITLE_LENGTH).replace(/\s+/g, " ").trim())
    .filter((title) => title !== "");
  const isAgreed = (heading: string): boolean => named.some((title) => agrees(heading, title, page.siteName));
  // On some sites, the first heading of each page is the site's name.
  const agreed = headings.find(isAgreed) ?? firstHeadings(outline, 2).find(isAgreed);
  if (agreed !== undefined) return agreed;
  const [lone, other] = headings;
  // The title of a start page begins with the site's name: "Quay: all ports".
  const isStart = (URL.parse(url)?.pathname ?? "/") === "/";
  if (lone !== undefined && other === undefined && named.some((title) => resembles(lone, title))) return lone;
  const stripped = named.map((title) => withoutSite(title, page.siteName, { host, isStart }));
  const saying = stripped.find((title) => title !== "" && !isSite(title, page.siteName, host));
  const [only] = headings;
  // If the title is only the site's name, the page's only heading is better.
  return saying ?? (headings.length === 1 ? only : undefined) ?? stripped[0] ?? only ?? "";
}

function firstHeadings({ blocks }: Outline, level: 1 | 2): string[] {
  const texts = new Map<Box, string>();
  for (const { heading, box, text } of blocks) {
    if (heading !== level || (box.flags & NEVER_A_TITLE) !== 0) continue;
    const around = headingBox(box);
    if (texts.size >= MAX_HEADINGS && !texts.has(around)) break;
    const known = texts.get(around);
    texts.set(around, known === undefined ? text : `${known} ${text}`);
  }
  return [...texts.values()]
    .map((text) =>
      text
        .replace(/\s+/g, " ")
        .trim()
        .replace(/\s?[¶#§]$/u, ""),
    )
    .filter((text) => text !== "" && text.length <= MAX_TITLE_LENGTH);
}

const NEVER_A_TITLE = FLAGS.hidden | FLAGS.nav | FLAGS.footer | FLAGS.dialog;

/** The box of the heading that contains a box, which can be the box itself; without a heading, the box. */
function headingBox(box: Box): Box {
  let at: Box | undefined = box;
  while (at !== undefined && (at.element === undefined || headingLevel(at.element) === undefined)) at = at.parent;
  return at ?? box;
}

/** Whether a heading is the whole title or its first parts, but not only the site's name. */
function agrees(heading: string, title: string, siteName: string): boolean {
  const short = folded(heading);
  if (short.length < 2) return false;
  if (short === folded(title)) return true;
  if (short === folded(siteName)) return false;
  // The first part counts. The last part is the name of a site or a section.
  let beginning = "";
  const parts = title.split(SEPARATOR).flatMap((part) => part.split(BRACKETS));
  for (const part of parts.map(folded)) {
    beginning += part;
    if (beginning === short) return true;
    if (beginning === folded(siteName)) beginning = "";
  }
  return false;
}

/** The share of words that a heading and a title must have in common. */
const MIN_SHARE_OF_WORDS = 0.5;
/** Minimum number of words of a heading that is the title in other words. */
const MIN_WORDS_OF_A_TITLE = 3;

/** Whether a heading is the title in other words. */
function resembles(heading: string, title: string): boolean {
  const [own, wanted] = [new Set(tokens(heading)), new Set(tokens(title))];
  if (own.size < MIN_WORDS_OF_A_TITLE || wanted.size < MIN_WORDS_OF_A_TITLE) return false;
  const same = [...own].filter((word) => wanted.has(word)).length;
  return same >= Math.min(own.size, wanted.size) * MIN_SHARE_OF_WORDS;
}

function withoutSite(
  title: string,
  siteName: string,
  { host, isStart }: { readonly host: string; readonly isStart: boolean },
): string {
  const isBracketed = (name: string | undefined): boolean => name !== undefined && isSite(name, siteName, host);
  let rest = title;
  if (isBracketed(/^【([^】]*)】/u.exec(rest)?.[1])) rest = rest.slice(rest.indexOf("】") + 1).trim();
  if (isBracketed(/【([^】]*)】$/u.exec(rest)?.[1])) rest = rest.slice(0, rest.lastIndexOf("【")).trim();
  // Only this separator has no space before it.
  if (siteName !== "" && !isStart && rest.startsWith(`${siteName}: `)) rest = rest.slice(siteName.length + 2);
  for (;;) {
    const parts = rest.split(SEPARATOR);
    const first = parts[0] ?? "";
    const last = parts.at(-1) ?? "";
    if (parts.length < 2) return rest;
    const begins = isSite(first, siteName, host);
    if (isSite(last, siteName, host)) rest = rest.slice(0, rest.lastIndexOf(last)).replace(trailingSeparator, "");
    else if (begins && !isStart) rest = rest.slice(first.length).replace(leadingSeparator, "");
    else return rest;
    rest = rest.trim();
  }
}

const trailingSeparator = /[\s|｜\-–—―·•»«›‹:/\\_~<>]+$/u;
const leadingSeparator = /^[\s|｜\-–—―·•»«›‹:/\\_~<>]+/u;

function isSite(part: string, siteName: string, host: string): boolean {
  const name = folded(part);
  if (name === "") return true;
  if (name === folded(siteName)) return true;
  return name.length >= 3 && (name === host || name === host.replace(/(?:com|org|net|co|io|test)$/, ""));
}

/** The host's letters without `www` and dots. Both `dailytimes` and `dailytimescom` can be the name of a site. */
function hostName(url: string): string {
  if (!URL.canParse(url)) return "";
  return folded(new URL(url).hostname.replace(/^www\./, ""));
}

/** The first heading that agrees with the title. */
function titleHeading(tree: Document | Element, title: string): Element | undefined {
  const wanted = folded(title);
  let found: Element | undefined;
  if (wanted === "") return undefined;
  walkNodes(tree, {
    enter(node) {
      if (found !== undefined) return false;
      if (!isTag(node) || !/^h[1-3]$/.test(node.name)) return true;
      if (folded(shortText(node, MAX_TITLE_LENGTH) ?? "") === wanted) found = node;
      return false;
    },
  });
  return found;
}

/**
 * Removes the heading that repeats the title from the beginning of the content, since the response has a separate
 * title.
 */
export function dropTitleHeading(tree: Document, title: string): void {
  const heading = titleHeading(tree, title);
  if (heading === undefined) return;
  let words = 0;
  walkNodes(tree, {
    enter(node) {
      if (node === heading || words > MAX_WORDS_BEFORE_TITLE) return "stop";
      if (node instanceof Text) words += countWords(node.data);
      return true;
    },
  });
  if (words <= MAX_WORDS_BEFORE_TITLE) removeAll(tree, new Set([heading]));
}
