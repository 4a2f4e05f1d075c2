import { type Passage } from "../evidence/passages.ts";
import { GRAMMARS, isFunctionWord } from "../reading/grammar.ts";
import { exceptionIn } from "../reading/negation.ts";
import { STOP_WORDS, type Word, wordsOf } from "../reading/words.ts";
import { type Asked } from "./question.ts";
import { itemsBefore } from "../reading/ranges.ts";

/** The side of a sentence on a question's circumstance, such as "without a strike" or "under budget". */
export type Circumstance = "same" | "contrary" | "open";

const LACKS = /^(?:without|no|not|avoid\p{L}*|avert\p{L}*|ohne|kein\p{L}*|sans|sin|senza|sem)$/u;
const WITH = /^(?:with|mit|avec|con|com|in|after|following|through|nach|im|apres|au|tras|en|dopo|al|apos|no|na)$/u;

/** Prepositions that exclude each other. */
const SIDES = [
  [/^(?:under|below)$/u, /^(?:over|above|beyond)$/u],
  [/^ahead$/u, /^behind$/u],
  [/^(?:within|inside)$/u, /^outside$/u],
] as const;

/** Compares the circumstance that a question names with a passage. Undefined if it names none. */
export function circumstanceOf({ plan, terms }: Asked, { words }: Passage): Circumstance | undefined {
  const exception = exceptionIn(plan.statement);
  if (exception !== undefined) {
    const excepted = wordsOf(exception).filter(({ text }) => !STOP_WORDS.has(text));
    const at = words.findIndex(({ stem }) => excepted.some((word) => word.stem === stem));
    const before = itemsBefore(words, at, 4);
    return comparedBy(before, LACKS, WITH);
  }
  const asked = wordsOf(plan.statement);
  for (const [at, { text }] of asked.entries()) {
    // "fined over the leak"
    const own = text === "over" ? undefined : SIDES.flat().find((side) => side.test(text));
    const noun = asked.slice(at + 1).find((word) => !isLight(word));
    if (own === undefined || noun === undefined || !terms.has(noun.stem)) continue;
    const said = words.findIndex(({ stem }) => stem === noun.stem);
    const next = words[said + 1];
    // "under a new budget law"
    if (next !== undefined && !terms.has(next.stem) && !isFunctionWord(next.text, GRAMMARS.en)) return "open";
    const before = itemsBefore(words, said, words.length).filter((word) => !isLight(word));
    const other = SIDES.find((sides) => sides.some((side) => side === own))?.find((side) => side !== own);
    return comparedBy(before.slice(-1), own, other);
  }
  return undefined;
}

function isLight({ text }: Word): boolean {
  return GRAMMARS.en.determiner.has(text) || text === "of";
}

function comparedBy(before: readonly Word[], own: RegExp, other: RegExp | undefined): Circumstance {
  if (before.some(({ text }) => own.test(text))) return "same";
  return before.some(({ text }) => other?.test(text)) ? "contrary" : "open";
}
