import { type Source } from "../reading/analysis.ts";
import { type Passage } from "../evidence/passages.ts";
import { datesOf } from "../reading/dates.ts";
import { isNegated } from "../reading/negation.ts";
import { quantitiesOf, sameNumber } from "../reading/quantities.ts";
import { type Language } from "../reading/words.ts";
import { type Asked } from "./question.ts";

/** Features that count for or against a statement without deciding it. Each has a weight in the fitted model. */
export const SIGNS = [
  "yes_answers",
  "no_answers",
  "negations",
  "confirmations",
  "coverage_of_all",
  "numbers_shared",
] as const;

export type Signs = Readonly<Record<(typeof SIGNS)[number], number>>;

/** A source with its language and passages. */
export interface ReadSource {
  readonly source: Source;
  readonly language: Language | undefined;
  readonly passages: readonly Passage[];
}

const YES = /^\W*(?:yes|true|correct|indeed|ja|oui|sí)\b/iu;
const NO = /^\W*(?:no(?!\sanswer)|none|not|never|false|incorrect|untrue|fake|nein|non)\b/iu;
const CONFIRMS =
  /\b(?:confirm(?:s|ed)?|announced|signed|approved|official(?:ly)?|according\sto|reported|showed|shows|won|passed|became|released|appointed|elected|increased|rose|record(?:ed)?|transcript|statement)\b/giu;
/** A passage, and the relevance of its source. */
interface Weighed {
  readonly passage: Passage;
  readonly language: Language | undefined;
  readonly weight: number;
}

/** Minimum share of the question's words, relative to the best source. A source below it is about something else. */
const RELEVANT = 0.3;
/** The exponent of the share. */
const SHARPNESS = 1.5;
/** The factor for sources that searches found, if there are also hints. */
const BESIDE_HINTS = 0.25;

/** The relevance of each source to the question, relative to the others. A hint is always relevant. */
function relevanceOf(asked: Asked, sources: readonly ReadSource[]): number[] {
  const shares = sources.map(({ passages, source }) => {
    const found = new Set(passages.flatMap((passage) => [...passage.near]));
    const share = weightOf(asked, found) / Math.max(1, weightOf(asked, asked.terms));
    return source.isHint ? 1 : share;
  });
  const best = Math.max(0.5, ...shares);
  const others = sources.some(({ source }) => source.isHint) ? BESIDE_HINTS : 1;
  return shares.map((share, at) =>
    sources[at]?.source.isHint === true ? 1 : share / best < RELEVANT ? 0 : others * (share / best) ** SHARPNESS,
  );
}

function weightOf(asked: Asked, terms: Iterable<string>): number {
  let sum = 0;
  for (const term of terms) sum += asked.names.has(term) ? 2 : 1;
  return sum;
}

/** Reads the signs of all sources, one source per story. */
export function signsOf(asked: Asked, sources: readonly ReadSource[]): Signs {
  const relevance = relevanceOf(asked, sources);
  const passages = sources.flatMap(({ passages: own, language }, at): Weighed[] =>
    own.map((passage) => ({ passage, language, weight: relevance[at] ?? 0 })).filter(({ weight }) => weight > 0),
  );
  const total = passages.reduce((sum, { weight }) => sum + weight, 0);
  const sumOf = (holds: (text: string) => number): number =>
    passages.reduce((sum, { passage, weight }) => sum + weight * holds(passage.text), 0);
  const share = (holds: (text: string) => boolean): number =>
    total === 0 ? 0 : sumOf((text) => (holds(text) ? 1 : 0)) / total;
  const counted = (pattern: RegExp): number => Math.log1p(sumOf((text) => text.match(pattern)?.length ?? 0));
  // Names show what a page is about, and the other words whether it bears on the statement.
  const content = new Set([...asked.terms].filter((term) => !asked.names.has(term)));
  const covered = (found: ReadonlySet<string>): number => found.intersection(content).size / Math.max(1, content.size);
  const shared = new Set(passages.flatMap(({ passage }) => [...passage.shared]));
  return {
    yes_answers: Math.log1p(sumOf((text) => (YES.test(text) ? 1 : 0))),
    no_answers: Math.log1p(sumOf((text) => (NO.test(text) ? 1 : 0))),
    negations: share(isNegated),
    confirmations: counted(CONFIRMS),
    coverage_of_all: covered(shared),
    numbers_shared: numbersShared(asked, passages),
  };
}

/** The share of the statement's numbers that the sources contain. */
function numbersShared(asked: Asked, passages: readonly Weighed[]): number {
  if (asked.thresholds.length === 0) return 0;
  const found = passages.flatMap(({ passage, language }) =>
    quantitiesOf(passage.text, language, datesOf(passage.text, asked.now)),
  );
  const shared = asked.thresholds.filter(({ value }) => found.some((one) => sameNumber(one.value, value, one.rough)));
  return shared.length / asked.thresholds.length;
}
