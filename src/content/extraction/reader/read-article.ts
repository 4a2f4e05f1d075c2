import { Document, Element, Text } from "domhandler";
import { render } from "dom-serializer";
import { parsePage } from "../document.ts";
import { type Extraction } from "../extraction.ts";
import { toMarkdown } from "../markdown.ts";
import { type Article, type ArticleExtractor, type ReaderPage } from "./article-extractor.ts";
import { cleanArticle } from "./clean.ts";
import { defuddle } from "./defuddle.ts";
import { mainRegion } from "./main-region.ts";
import { type PageMetadata, metadataOf } from "./metadata.ts";
import { kindOf } from "./page-kind.ts";
import { readability } from "./readability.ts";
import { bodyOf, readerPage } from "./reader-page.ts";
import { dropTitleHeading } from "./title.ts";
import { append, copyTree } from "./tree-copy.ts";
import { wordsIn } from "./words.ts";

/** Readability is believed where it keeps this much of the body's words; measured on 1,497 pages of seven kinds. */
const ENOUGH_OF_BODY = 0.4;
/** The second extractor is believed where it keeps so many times more words; measured on the same. */
const MUCH_MORE = 1.5;
/** The second extractor is left out where the first took longer: together they must stay far under the worker's deadline. */
const MAX_FIRST_MS = 1500;

/** The main content of a page, without navigation, advertisements and side columns; never empty where the page has text. */
export function readArticle(tree: Document, url: string): Extraction {
  const { article, metadata, title } = articleOf(tree, url);
  const content = toMarkdown(parsePage(render(article.tree, { encodeEntities: "utf8" }), url).body);
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
  const found = kindOf(metadata, page.survey) === "pieces" ? choosePieces(page) : chooseText(page);
  const article = orBody(found, page, metadata);
  cleanArticle(article.tree);
  dropTitleHeading(article.tree, title);
  return { article: orBody(article, page, metadata), metadata, title };
}

const choosePieces: ArticleExtractor = (page) => mainRegion(page) ?? chooseText(page);

const chooseText: ArticleExtractor = (page) => {
  const startedAt = performance.now();
  const first = readability(page);
  const kept = first === undefined ? 0 : wordsIn(first.tree);
  if (first !== undefined && kept >= page.words * ENOUGH_OF_BODY) return first;
  if (performance.now() - startedAt > MAX_FIRST_MS) return first;
  const second = defuddle(page);
  if (second !== undefined && wordsIn(second.tree) > kept * MUCH_MORE) return second;
  return first ?? second ?? mainRegion(page);
};

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
