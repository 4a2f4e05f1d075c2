import { Document, Element, Text } from "domhandler";
import { type Extraction } from "../extraction.ts";
import { markdownOf } from "../markdown/writer.ts";
import { type Article, type ReaderPage } from "./article-extractor.ts";
import { cleanArticle } from "./clean.ts";
import { defuddle } from "./defuddle.ts";
import { mainRegion } from "./main-region.ts";
import { type PageMetadata, metadataOf } from "./metadata.ts";
import { kindOf, type PageKind } from "./page-kind.ts";
import { readability } from "./readability.ts";
import { bodyOf, readerPage } from "./reader-page.ts";
import { dropTitleHeading } from "./title.ts";
import { append, copyTree } from "./tree-copy.ts";
import { wordsIn } from "./words.ts";

/** Readability is believed where it keeps this much of the body's words; measured on 1,497 pages of seven kinds. */
const ENOUGH_OF_BODY = 0.4;
/** The second extractor is believed where it keeps so many times more words; measured on the same. */
const MUCH_MORE = 1.5;
/** What is around the content is left out of the region by itself: where it is so many times longer, it is believed. */
const SOME_MORE = 1.1;
/** The second extractor is left out where the first took longer: together they must stay far under the worker's deadline. */
const MAX_FIRST_MS = 1500;

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
  const article = orBody(found, page, metadata);
  cleanArticle(article.tree);
  dropTitleHeading(article.tree, title);
  return { article: orBody(article, page, metadata), metadata, title };
}

function choose(page: ReaderPage, kind: PageKind): Article | undefined {
  const region = mainRegion(page);
  if (kind === "pieces" && region !== undefined) return region;
  const startedAt = performance.now();
  const first = readability(narrowed(page));
  const kept = first === undefined ? 0 : wordsIn(first.tree);
  // Pages of several sections, of which Readability takes the longest: a company's services, a town's offices.
  if (kind === "text" && region !== undefined && wordsIn(region.tree) > kept * SOME_MORE) return region;
  if (first !== undefined && kept >= page.words * ENOUGH_OF_BODY) return first;
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
  if (article !== undefined && wordsIn(article.tree) > 0) return article;
  if (page.words > 0) return { tree: copyTree(bodyOf(page.tree), () => true) };
  const tree = new Document([]);
  for (const text of articleBody.split(/\n\s*\n?/)) {
    const paragraph = new Element("p", {}, []);
    append(paragraph, new Text(text));
    append(tree, paragraph);
  }
  return { tree };
}
