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
import { featuresOf } from "./features.ts";
import { hintsOf } from "./hints.ts";
import { type PageMetadata, metadataOf } from "./metadata.ts";
import { readerModel } from "./model.ts";
import { type Outline, outlineOf } from "./outline.ts";
import { blended, secondFeatures } from "./second-stage.ts";
import { addPostDetails } from "./posts.ts";
import { dropTitleHeading, titleOf } from "./title.ts";
import { blockText, bodyOf, countWords, wordsIn } from "./words.ts";
import { fillGroups, keepCode, keepWhole } from "./whole.ts";

/** The JSON-LD text replaces the text that was found if it has at least 1.5 times as many words, and 50. */
const MUCH_MORE = 1.5;
const MIN_WORDS_OF_TEXT = 50;
/** It replaces no longer text than this (in words), and only if it has this share of the words that were found. */
const MAX_WORDS_OF_PART = 400;
const SHARE_OF_PART = 0.95;

/** A longer name is a text in the wrong place; in characters. */
const MAX_SITE_NAME = 200;

export interface ReadOptions {
  /** Whether the comments of readers below an article are wanted. */
  readonly comments?: boolean;
  /** Scores of blocks in the place of the model's, to try a model before it is written. */
  readonly scores?: Float32Array;
}

/** The main content of a page, without navigation, advertisements and side columns; never empty where the page has text. */
export function readArticle(tree: Document, url: string, options: ReadOptions = {}): Extraction {
  const { article, confidence, metadata, title } = articleOf(tree, url, options);
  return { content: markdownOf(article), title, confidence, ...aboutOf(metadata, new Addresses(tree, url)) };
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
  /** The main content as a tree of its own. */
  readonly article: Document;
  /** The F1 over words that is expected of it, from 0 to 1. */
  readonly confidence: number;
  readonly metadata: PageMetadata;
  readonly title: string;
}

/** The article as a tree, and what the page says of itself. */
export function articleOf(tree: Document, url: string, options: ReadOptions = {}): ReadPage {
  const metadata = metadataOf(tree);
  const body = bodyOf(tree);
  const outline = outlineOf(body);
  const { chosen, expected } = choose(outline.blocks, options.scores ?? scoresOf(outline, metadata, url));
  fillGroups(outline, chosen);
  keepWhole(outline, chosen);
  keepCode(outline, chosen);
  addPostDetails(outline, chosen);
  if (options.comments === true) addComments(outline, chosen);
  const article = new ChosenTree(outline, chosen).copy(body, outline.root);
  prepare(article, url, tree);
  const title = titleOf(metadata, outline, url);
  cleanArticle(article);
  dropTitleHeading(article, title);
  const shown = wordsIn(article) > 0 ? article : whole(outline, body, { tree, url });
  const isPart = isMoreOf(metadata.articleBody, shown);
  return {
    article: isPart ? treeOfText(metadata.articleBody, url) : shown,
    confidence: Math.round(expected * 1000) / 1000,
    metadata,
    title,
  };
}

function scoresOf(outline: Outline, metadata: PageMetadata, url: string): Float32Array {
  const model = readerModel();
  const scores = model.score(featuresOf(outline, hintsOf(metadata, url), model.lexicon));
  return blended(scores, model.scoreAgain(secondFeatures(outline, scores)));
}

/** The whole body, for a page of which the choice leaves nothing. */
function whole(
  outline: Outline,
  body: Parameters<typeof outlineOf>[0],
  { tree, url }: { readonly tree: Document; readonly url: string },
): Document {
  const all = new ChosenTree(outline, new Uint8Array(outline.blocks.length).fill(1)).copy(body, outline.root);
  prepare(all, url, tree);
  return all;
}

/** Whether the page shows only a part of its JSON-LD text: that text has nearly all words that were found, and many more. */
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
