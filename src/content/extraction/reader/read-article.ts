import { Document, Element } from "domhandler";
import { type Extraction } from "../extraction.ts";
import { prepare } from "../prune.ts";
import { parseTree } from "../tree.ts";
import { markdownOf } from "../markdown/writer.ts";
import { type Article, type ReaderPage } from "./article-extractor.ts";
import { cleanArticle } from "./clean.ts";
import { defuddle } from "./defuddle.ts";
import { mainRegion } from "./main-region.ts";
import { type PageMetadata, metadataOf } from "./metadata.ts";
import { kindOf, type PageKind } from "./page-kind.ts";
import { readability } from "./readability.ts";
import { readerPage } from "./reader-page.ts";
import { dropTitleHeading } from "./title.ts";
import { append, copyTree } from "./tree-copy.ts";
import { blockText, bodyOf, countWords, wordsIn } from "./words.ts";

/** Readability is believed where it keeps this much of the body's words; measured on 1,497 pages of seven kinds. */
const ENOUGH_OF_BODY = 0.4;
/** Readability is believed as well where it keeps this much of the surveyed region. */
const AGREEMENT = 0.9;
/** The second extractor is believed where it keeps so many times more words; measured on the same. */
const MUCH_MORE = 1.5;
/** What is around the content is left out of the region by itself: where it is so many times longer, it is believed. */
const SOME_MORE = 1.1;
/** The second extractor is left out where the first took longer: together they must stay far under the worker's deadline. */
const MAX_FIRST_MS = 1500;

/** Text for machines is taken where what is shown has no more words than this, and nearly all of them are in it. */
const MAX_WORDS_OF_PART = 400;
const SHARE_OF_PART = 0.95;
const MIN_WORDS_OF_TEXT = 50;

/** The main content of a page, without navigation, advertisements and side columns; never empty where the page has text. */
export function readArticle(tree: Document, url: string): Extraction {
  const { article, metadata, title } = articleOf(tree, url);
  const content = markdownOf(article.tree);
  return { content, title, ...aboutOf(metadata, article) };
}

function aboutOf(metadata: PageMetadata, article: Article): Partial<Extraction> {
  const byline = metadata.byline ?? article.byline?.replace(/\s+/g, " ").trim();
  return {
    ...(byline === undefined || byline === "" ? {} : { byline }),
    ...(metadata.published === undefined ? {} : { published: metadata.published }),
    ...(metadata.language === undefined ? {} : { language: metadata.language }),
  };
}

interface ReadPage {
  readonly article: Article;
  readonly metadata: PageMetadata;
  readonly title: string;
}

/** The article as a tree, and what the page says of itself. */
export function articleOf(tree: Document, url: string): ReadPage {
  const metadata = metadataOf(tree);
  const page = readerPage(tree, url, metadata);
  const { title } = page;
  const found = choose(page, kindOf(metadata, page.survey));
  if (found !== undefined) {
    cleanArticle(found.tree);
    dropTitleHeading(found.tree, title);
  }
  return { article: orBody(found, page, metadata), metadata, title };
}

function choose(page: ReaderPage, kind: PageKind): Article | undefined {
  const region = mainRegion(page);
  if (kind === "pieces" && region !== undefined) return region;
  const startedAt = performance.now();
  const first = readability(narrowed(page));
  const kept = first === undefined ? 0 : wordsIn(first.tree);
  const surveyed = region === undefined ? Number.POSITIVE_INFINITY : wordsIn(region.tree);
  // Pages of several sections, of which Readability takes the longest: a company's services, a town's offices.
  if (kind === "text" && region !== undefined && surveyed > kept * SOME_MORE) return region;
  // Short articles on pages with much around them: two ways have found the same.
  if (first !== undefined && (kept >= page.words * ENOUGH_OF_BODY || kept >= surveyed * AGREEMENT)) return first;
  const second = performance.now() - startedAt > MAX_FIRST_MS ? undefined : defuddle(page);
  if (second !== undefined && wordsIn(second.tree) > kept * MUCH_MORE) return second;
  return first ?? region;
}

/** The page with nothing but the element that most of its text is in: Readability may take columns beside it for a part. */
function narrowed(page: ReaderPage): ReaderPage {
  const { root } = page.survey;
  if (root === bodyOf(page.tree)) return page;
  const html = new Element("html", {}, []);
  const body = new Element("body", {}, []);
  const tree = new Document([]);
  append(tree, html);
  append(html, body);
  for (const node of copyTree(root, () => true).children) append(body, node);
  return { ...page, tree };
}

/** What was found where it has text; else the whole body; else the text that the page has for machines. */
function orBody(article: Article | undefined, page: ReaderPage, { articleBody }: PageMetadata): Article {
  const found = article !== undefined && wordsIn(article.tree) > 0 ? article : bodyArticle(page);
  return isMoreOf(articleBody, found) ? { ...found, tree: treeOfText(articleBody, page.url) } : found;
}

function bodyArticle(page: ReaderPage): Article {
  return { tree: copyTree(bodyOf(page.tree), () => true) };
}

/** Whether a page shows only a part of the text that it has for machines: all that was found is in it, and much more. */
function isMoreOf(text: string, { tree }: Article): boolean {
  if (text === "") return false;
  const found = wordsIn(tree);
  if (found > MAX_WORDS_OF_PART || countWords(text) < Math.max(found * MUCH_MORE, MIN_WORDS_OF_TEXT)) return false;
  const words = new Set(wordList(text));
  const shown = wordList(blockText(tree));
  return shown.filter((word) => words.has(word)).length >= shown.length * SHARE_OF_PART;
}

function wordList(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
}

function treeOfText(text: string, url: string): Document {
  const html = /<(?:p|br|div)[\s/>]/i.test(text)
    ? text
    : text
        .split(/\n\s*/)
        .map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`)
        .join("");
  const tree = parseTree(html);
  prepare(tree, url);
  return tree;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
