import { type StatementKind } from "../reading/analysis.ts";
import { type Passage } from "../evidence/passages.ts";
import { conceptsIn } from "../reading/concepts.ts";
import { type Asked } from "./question.ts";

/** A sentence's reading of an outcome, without its dates: 1 affirms it, -1 denies it, 0 does neither. */
export interface Reading {
  readonly sign: -1 | 0 | 1;
  readonly strength: number;
  /** Whether the sentence says "not (yet)" and does not name a contrary outcome. */
  readonly isAbsence: boolean;
  readonly kind?: StatementKind | undefined;
  readonly isFigure?: boolean;
  /** Whether it says that the event is still to come. */
  readonly isPending?: boolean;
  /** Whether it supports no firm verdict: the event is put off, or a table is not final. */
  readonly isLoose?: boolean;
  /** Whether its time is that of the question, by a label beside it. */
  readonly isDated?: boolean;
  /** Whether its verb has the form of the past. */
  readonly isPast?: boolean;
  /** Whether it excludes that the outcome follows later. */
  readonly isFinal?: boolean;
  /** The part of the sentence that says it. Its dates are those of the outcome. */
  readonly part?: { readonly start: number; readonly end: number } | undefined;
}

/** The reading of a sentence that states nothing. */
export const NOTHING: Reading = { sign: 0, strength: 0, isAbsence: false };

/** The minimum share of the question's terms in a sentence that states the outcome. The sentences before it count too. */
export const STATED = 0.5;

/** The strength of a sentence that gives another actor what only one can have. It names none of the question's actors. */
export const OTHER_ACTOR = 0.75;

/** The shares of the question's terms in a sentence, and in the sentence with its context. */
export function sharesOf(asked: Asked, { words, shared, near }: Passage): { coverage: number; context: number } {
  const outcomes = conceptsIn(words);
  return { coverage: shareOf(asked, shared, outcomes), context: shareOf(asked, near, outcomes) };
}

/** The share of the question's terms among words. Another word for the outcome stands for the question's. */
export function shareOf(asked: Asked, words: ReadonlySet<string>, outcomes: ReadonlySet<string>): number {
  const isOutcome = [...asked.outcomes].some((one) => outcomes.has(one));
  let sum = 0;
  let all = 0;
  for (const term of asked.terms) {
    const weight = asked.weightOf(term);
    all += weight;
    if (words.has(term) || (isOutcome && term === asked.predicate?.stem)) sum += weight;
  }
  return sum / Math.max(1, all);
}

/** A sentence with half of the words decides a quarter as much as one with all words. */
export function strengthOf(coverage: number, context: number): number {
  return (0.35 * coverage + 0.65 * context) ** 2;
}

/** If the arguments are those of the question, the words of the page's title and of the sentences before count nearly as much. */
export function boundStrengthOf(coverage: number, context: number): number {
  return (0.2 * coverage + 0.8 * context) ** 1.2;
}
