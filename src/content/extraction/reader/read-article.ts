import { type Document } from "domhandler";
import { Addresses } from "../addresses.ts";
import { type Extraction } from "../extraction.ts";
import { markdownOf } from "../markdown/writer.ts";
import { prepare } from "../prune.ts";
import { parseTree } from "../tree.ts";
import { choose } from "./choice.ts";
import { ChosenTree } from "./chosen-tree.ts";
import { cleanArticle } from "./clean.ts";
import { addComments } from "./comments.ts";
import { detailsOf } from "./details.ts";
import { featuresOf } from "./features.ts";
import { addFirstPost } from "./first-post.ts";
import { hintsOf, isForum } from "./hints.ts";
import { MAX_SAMPLE, languageByScript, languageOf } from "./language.ts";
import { type PageMetadata, metadataOf } from "./metadata.ts";
import { readerModel } from "./model.ts";
import { type Outline, outlineOf } from "./outline.ts";
import { groupAlike } from "./page-parts.ts";
import { fitCode } from "./code-parts.ts";
import { evenTemplates, fillTemplates } from "./consistent.ts";
import { keepHeadings } from "./sections.ts";
import { groupByTemplate } from "./templates.ts";
import { blended, secondFeatures } from "./second-stage.ts";
import { dropPictures } from "./pictures.ts";
import { siteNameOf } from "./site-name.ts";
import { separateWords } from "./separate.ts";
import { addPostDetails } from "./posts.ts";
import { dropOtherProducts } from "./other-products.ts";
import { addPrice } from "./price.ts";
import { dropTitleHeading, titleOf } from "./title.ts";
import { blockText, bodyOf, countWords, wordsIn } from "./words.ts";
import { dropNarrowCopies } from "./narrow-copies.ts";
import { type VisibleDetails } from "./visible-details.ts";
import { dropCopies, dropRepeats, dropTwins, fillGroups, keepCode, keepWhole } from "./whole.ts";

/** The JSON-LD text replaces the article's text if it has at least 1.5 times as many words, and at least 50. */
const MUCH_MORE = 1.5;
const MIN_WORDS_OF_TEXT = 50;
/** The longest text, in words, that it replaces, and the minimum share of the article's words that it must contain. */
const MAX_WORDS_OF_PART = 400;
const SHARE_OF_PART = 0.95;

/** Minimum number of words of a block whose language counts. Not all languages end their sentences with a mark. */
const MIN_WORDS_OF_SAMPLE = 12;

/** Maximum number of characters of a site's name. A longer text is not a name. */
const MAX_SITE_NAME = 200;

/** The options of `readArticle` and `articleOf`. */
export interface ReadOptions {
  /** Whether to include the readers' comments below an article. */
  readonly comments?: boolean;
  /** Scores of blocks that replace the model's, to evaluate a model before its file is written. */
  readonly scores?: Float32Array;
}

/**
 * The main content of a page, without navigation, advertisements and sidebars. It is never empty if the page has text.
 */
export function readArticle(tree: Document, url: string, options: ReadOptions = {}): Extraction {
  const { article, confidence, metadata, details, title } = articleOf(tree, url, options);
  const about = aboutOf({ ...metadata, ...details }, new Addresses(tree, url));
  return { content: markdownOf(article), title, confidence, ...about };
}

function aboutOf(metadata: PageMetadata, addresses: Addresses): Partial<Extraction> {
  const { byline, published, language, siteName, canonical, image } = metadata;
  const absolute = (address: string | undefined): string | undefined =>
    address === undefined ? undefined : addresses.media(address);
  const about = {
    byline,
    published,
    language,
    siteName: siteName === "" ? undefined : siteName.slice(0, MAX_SITE_NAME),
    canonical: absolute(canonical),
    image: absolute(image),
  };
  return Object.fromEntries(Object.entries(about).filter(([, value]) => value !== undefined));
}

interface ReadPage {
  /** The main content as a separate tree. */
  readonly article: Document;
  /** The expected F1 over words, from 0 to 1. */
  readonly confidence: number;
  readonly metadata: PageMetadata;
  readonly details: VisibleDetails;
  readonly title: string;
}

/** The article as a tree, with the page's metadata. */
export function articleOf(tree: Document, url: string, options: ReadOptions = {}): ReadPage {
  const declared = metadataOf(tree);
  const body = bodyOf(tree);
  const outline = outlineOf(body);
  // The rules below need the groups, which the features find as well.
  if (options.scores !== undefined) {
    groupAlike(outline.root);
    groupByTemplate(outline.blocks);
  }
  const scores = options.scores ?? scoresOf(outline, declared, url);
  const { chosen, expected, threshold } = choose(outline.blocks, scores);
  const language = languageIn(declared, outline, chosen);
  const metadata = { ...declared, siteName: siteNameOf(declared, url), language };
  fillGroups(outline, chosen);
  fillTemplates(outline, chosen);
  evenTemplates(outline, chosen, { scores, threshold });
  const hints = hintsOf(metadata, url);
  const isThread = hints.isThread || isForum(url);
  if (isThread) addFirstPost(outline, chosen);
  dropCopies(outline, chosen);
  dropTwins(outline, chosen);
  dropRepeats(outline, chosen);
  dropNarrowCopies(outline, chosen);
  keepWhole(outline, chosen);
  keepCode(outline, chosen);
  fitCode(outline, chosen);
  keepHeadings(outline, chosen);
  addPostDetails(outline, chosen, isThread);
  // A list of products declares each of them.
  if (hints.isProduct && (metadata.types.get("Product") ?? 0) <= 1) dropOtherProducts(outline, chosen);
  if (hints.isProduct) addPrice(outline, chosen);
  if (options.comments === true) addComments(outline, chosen);
  const article = new ChosenTree(outline, chosen).copy(body, outline.root);
  prepare(article, url, tree);
  const title = titleOf(metadata, outline, url);
  cleanArticle(article);
  dropPictures(article, { url, name: metadata.siteName, isThread });
  separateWords(article);
  dropTitleHeading(article, title);
  const shown = wordsIn(article) > 0 ? article : whole(outline, body, { tree, url });
  const isPart = isMoreOf(metadata.articleBody, shown);
  return {
    article: isPart ? treeOfText(metadata.articleBody, url) : shown,
    confidence: Math.round(expected * 1000) / 1000,
    metadata,
    details: detailsOf(metadata, outline, { title, url }),
    title,
  };
}

/** The declared language, if the text has its script, otherwise the language of the text. */
function languageIn({ language, title }: PageMetadata, { blocks }: Outline, chosen: Uint8Array): string | undefined {
  const isLatin = /^[\x00-\u024f\u2000-\u206f]*$/.test(title);
  if (language !== undefined && (isLatin || !/^en\b/i.test(language))) return language;
  let sample = "";
  for (const [at, block] of blocks.entries()) {
    if (chosen[at] === 1 && block.count.words >= MIN_WORDS_OF_SAMPLE) sample += `${block.text}\n`;
    if (sample.length > MAX_SAMPLE) break;
  }
  return language === undefined ? languageOf(sample) : (languageByScript(sample) ?? language);
}

function scoresOf(outline: Outline, metadata: PageMetadata, url: string): Float32Array {
  const model = readerModel();
  const scores = model.score(featuresOf(outline, hintsOf(metadata, url), model.lexicon));
  return blended(scores, model.scoreAgain(secondFeatures(outline, scores)));
}

/** The whole body, for a page from which the choice leaves nothing. */
function whole(
  outline: Outline,
  body: Parameters<typeof outlineOf>[0],
  { tree, url }: { readonly tree: Document; readonly url: string },
): Document {
  const all = new ChosenTree(outline, new Uint8Array(outline.blocks.length).fill(1)).copy(body, outline.root);
  prepare(all, url, tree);
  return all;
}

/**
 * Whether the page shows only a part of its JSON-LD text: the JSON-LD text has nearly all words of the article, and
 * many more.
 */
function isMoreOf(text: string, tree: Document): boolean {
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
