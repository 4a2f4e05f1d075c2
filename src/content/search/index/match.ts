import { stemOf, termsOf } from "./words.ts";
import { type Vocabulary } from "./vocabulary.ts";

/** Maximum number of words of a query that are searched for. */
const MAX_TERMS = 24;
/** Maximum number of characters of a query that are read. */
const MAX_LENGTH = 1_000;
/** Characters of the shortest word that may be the beginning of another. */
const MIN_PREFIX = 3;
/** Words of a query that are corrected. Each is compared with all words that have its first character. */
const MAX_CORRECTED = 4;
/** The share of pages that have a word which is too common to tell pages apart. */
const COMMON = 0.6;

export interface MatchedPages {
  readonly count: number;
  /** The languages of the pages, by ISO 639-1. */
  readonly languages: readonly string[];
  readonly vocabulary: Vocabulary;
  /** Whether misspelt words are corrected. */
  readonly corrections: boolean;
}

export interface IndexMatch {
  /** The full-text query: any of the words. Each is quoted, so that it is never read as syntax. Empty without words. */
  readonly text: string;
  readonly stems: ReadonlySet<string>;
}

/** A word of a query with its alternatives in the syntax of full-text queries. */
interface Alternatives {
  readonly quoted: readonly string[];
  /** The number of pages that have the word. */
  readonly pages: number;
}

/**
 * The index query for a text. If no page has a word, the query has the words that begin with it, and words of almost
 * the same spelling.
 */
export function matchOf(query: string, pages: MatchedPages): IndexMatch {
  const found = termsOf(query.slice(0, MAX_LENGTH)).slice(0, MAX_TERMS);
  const stems = new Set<string>();
  let corrections = pages.corrections ? MAX_CORRECTED : 0;
  const words = found.map((parts) => {
    const alternatives = alternativesOf(parts, { ...pages, corrections: corrections > 0 }, stems);
    if (parts.length === 1 && alternatives.pages === 0) corrections -= 1;
    return alternatives;
  });
  const telling = words.filter(({ pages: number }) => number < pages.count * COMMON);
  const used = telling.some(({ pages: number }) => number > 0) ? telling : words;
  return { text: [...new Set(used.flatMap(({ quoted }) => quoted))].join(" OR "), stems };
}

function alternativesOf(
  parts: readonly string[],
  { languages, vocabulary, corrections }: MatchedPages,
  stems: Set<string>,
): Alternatives {
  const [word = "", ...others] = parts;
  if (others.length > 0) return { quoted: [`"${parts.join(" ")}"`], pages: 0 };
  const forms = [...new Set(languages.map((language) => stemOf(word, language)))];
  const known = forms.map((form) => ({ form, pages: vocabulary.pages(form) })).filter(({ pages }) => pages > 0);
  const corrected =
    known.length > 0 || !corrections ? [] : forms.flatMap((form) => vocabulary.corrections(form, word.length));
  const begun = known.length > 0 ? [] : forms.filter((form) => form.length >= MIN_PREFIX);
  const whole = [...known.map(({ form }) => form), ...corrected];
  for (const form of whole) stems.add(form);
  return {
    quoted: [...whole.map((form) => `"${form}"`), ...begun.map((form) => `"${form}" *`)],
    pages: known.reduce((sum, { pages }) => sum + pages, 0),
  };
}
