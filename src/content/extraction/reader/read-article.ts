import { type Document } from "domhandler";
import { Addresses } from "../tree/addresses.ts";
import { type Extraction } from "../tree/extraction.ts";
import { markdownOf } from "../markdown/writer.ts";
import { prepare } from "../tree/prune.ts";
import { choose } from "./choice.ts";
import { ChosenTree } from "./chosen-tree.ts";
import { detailsOf } from "./details.ts";
import { featuresOf } from "./features.ts";
import { hintsOf, isForum } from "./hints.ts";
import { MAX_SAMPLE, languageByScript, languageOf } from "./language.ts";
import { type PageMetadata, metadataOf } from "./metadata.ts";
import { readerModel } from "./model.ts";
import { type Outline, outlineOf } from "./outline.ts";
import { groupAlike, titleAmong } from "./page-parts.ts";
import { type PageHints } from "./page-values.ts";
import { groupByTemplate } from "./templates.ts";
import { dropPictures } from "./pictures.ts";
import { siteNameOf } from "./site-name.ts";
import { beginsStory } from "./stories.ts";
import { separateWords } from "./separate.ts";
import { dropTitleHeading, titleOf } from "./title.ts";
import { bodyOf, wordsIn } from "./words.ts";
import { type VisibleDetails } from "./visible-details.ts";
import { RULES } from "./rules.ts";
import { shareScores } from "./together.ts";

/** Minimum number of words of a block whose language counts. Not all languages end their sentences with a mark. */
const MIN_WORDS_OF_SAMPLE = 12;

/** Maximum number of characters of a site's name. A longer text is not a name. */
const MAX_SITE_NAME = 200;

export interface ReadOptions {
  /** Whether to include the readers' comments below an article. */
  readonly comments?: boolean;
  /** Scores of blocks that replace the model's, to evaluate a model before its file is written. */
  readonly scores?: Float32Array;
  /** The name of a rule that is left out, to measure its gain. */
  readonly without?: string;
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
  const hints = hintsOf(declared, url);
  const scores = shareScores(outline.blocks, options.scores ?? scoresOf(outline, hints));
  const isThread = hints.isThread || isForum(url);
  const isNews = [...declared.types.keys()].some((type) => type.endsWith("NewsArticle"));
  const { chosen, expected, threshold } = choose(outline.blocks, scores, isNews && !isThread);
  const language = languageIn(declared, outline, chosen);
  const metadata = { ...declared, siteName: siteNameOf(declared, url), language };
  const own = titleAmong(outline.blocks, hints.title);
  const page = {
    ranking: { scores, threshold },
    isThread,
    isNews: isNews && !isThread,
    isStory: !isThread && !hints.isProduct && (isNews || beginsStory(outline.blocks, own)),
    title: own,
    isProduct: hints.isProduct,
    hasComments: options.comments === true,
  };
  for (const [name, apply] of Object.entries(RULES)) if (name !== options.without) apply(outline, chosen, page);
  const article = new ChosenTree(outline, chosen).copy(body, outline.root);
  prepare(article, url, tree);
  const title = titleOf(metadata, outline, url);
  dropPictures(article, { url, name: metadata.siteName });
  separateWords(article);
  dropTitleHeading(article, title);
  return {
    article: wordsIn(article) > 0 ? article : whole(outline, body, { tree, url }),
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

function scoresOf(outline: Outline, hints: PageHints): Float32Array {
  const model = readerModel();
  return model.score(featuresOf(outline, hints, model.lexicon));
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
