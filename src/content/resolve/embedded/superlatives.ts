import { type Passage } from "../evidence/passages.ts";
import { GRAMMARS, isFunctionWord } from "../reading/grammar.ts";
import { type ReadSentence, type Token, undatedTokensOf } from "../reading/spans.ts";
import { type Language, type Word, wordsOf } from "../reading/words.ts";
import { type Asked } from "./question.ts";

/** The reading of a sentence with a superlative: 1 if it names the question's subject. */
export interface Ranked {
  readonly sign: -1 | 1;
  readonly part: { readonly start: number; readonly end: number };
}

/** The forms of superlatives, without accents. Those of two words begin with "most", "più" and the like. */
const SUPERLATIVE: Readonly<Record<Language, RegExp>> = {
  en: /^(?:first|last|best|worst|least|\p{L}{3,}est)$/u,
  de: /^(?:erst|best|\p{L}{3,}st)e[nrs]?$/u,
  fr: /^(?:premiere?|meilleure?|pire)$/u,
  es: /^(?:primer[ao]?|mejor|peor)$/u,
  it: /^(?:prim[ao]|miglior[e]?|peggior[e]?)$/u,
  pt: /^(?:primeir[ao]|melhor|pior)$/u,
};
const MOST = /^(?:most|least|plus|moins|mas|menos|piu|meno|mais)$/u;
const IS =
  /^(?:is|was|are|were|be|been|becomes?|became|become|remains?|ist|war|bleibt|wurde|est|etait|devient|devenue?|reste|es|fue|era|sigue|e|è|fu|resta|diventa|é|foi|continua)$/u;
/** "the first since 2019", "the second": it is not the one. */
const LIMITED = /^(?:since|after|seit|nach|depuis|desde|dopo|dal|dalla|apres|second|third|zweit|dritt)/u;
/** "since 2019": dates are not among the words. */
const SINCE_YEAR = /(?<!\p{L})(?:since|seit|depuis|desde|dal)\s(?:\p{L}+\s){0,2}20\d\d/iu;
/** Since records began. */
const BEGINNING =
  /^(?:measure|record|begin|aufzeichnung|messung|mesur|releve|medicion|registro|misurazion|medico|1[6-9]\d\d)/u;

/** The place of a superlative: one word, or a word such as "most" with its adjective. Its article is before it. */
function superlativeIn(words: readonly Word[], language: Language): { at: number; form: string } | undefined {
  const { determiner } = GRAMMARS[language];
  for (const [at, { text }] of words.entries()) {
    const before = words.slice(Math.max(0, at - 2), at);
    if (!before.some((word) => determiner.has(word.text))) continue;
    if (MOST.test(text) && words[at + 1] !== undefined) return { at, form: words[at + 1]?.stem.slice(0, FORM) ?? "" };
    if (SUPERLATIVE[language].test(text)) return { at, form: text.slice(0, FORM) };
  }
  return undefined;
}

/** Characters by which two forms of a superlative are compared. */
const FORM = 5;

/** Reads "X is the highest N" for a question whether X, or another, is the highest N. */
export function superlative(
  asked: Asked,
  { near, text: whole }: Passage,
  { language }: ReadSentence,
): Ranked | undefined {
  if (asked.language !== language) return undefined;
  // A month can be the hottest one: dates belong to the words.
  const tokens = undatedTokensOf(whole, []);
  const question = wordsOf(asked.plan.statement);
  const wanted = superlativeIn(question, language);
  const found = superlativeIn(tokens, language);
  if (wanted === undefined || found === undefined || wanted.form !== found.form) return undefined;
  const grammar = GRAMMARS[language];
  const isContent = ({ text, stem }: Word): boolean =>
    !isFunctionWord(text, grammar) && !IS.test(text) && stem.length > 1;
  const holder = question
    .slice(0, wanted.at)
    .filter((word) => isContent(word) && (word.capital || /^\d/u.test(word.text)));
  const kind = question.slice(wanted.at + 1).filter((word) => isContent(word) && !/^\d/u.test(word.text));
  const verb = tokens.findIndex(({ text }, at) => at < found.at && IS.test(text));
  if (holder.length === 0 || verb < 1) return undefined;
  const subject = tokens.slice(0, verb);
  const rest = tokens.slice(found.at + 1);
  const end = rest.findIndex(({ gap }, at) => at > 0 && /[,;:]/u.test(gap));
  const phrase = rest.slice(0, end < 0 ? undefined : end);
  if (
    isLimited(phrase) ||
    SINCE_YEAR.test(whole) ||
    !kind.every(({ stem }) => near.has(stem) || phrase.some((word) => word.stem === stem))
  )
    return undefined;
  // "the youngest Tarsian" is not the youngest person.
  const noun = phrase.filter(isContent)[MOST.test(tokens[found.at]?.text ?? "") ? 1 : 0];
  if (noun === undefined || !question.some(({ stem }) => stem === noun.stem)) return undefined;
  const part = { start: tokens[0]?.start ?? 0, end: phrase.at(-1)?.end ?? 0 };
  if (holder.every(({ stem }) => subject.some((word) => word.stem === stem))) return { sign: 1, part };
  const isOther = subject.some((word) => word.capital && isContent(word));
  return isOther && !holder.some(({ stem }) => subject.some((word) => word.stem === stem))
    ? { sign: -1, part }
    : undefined;
}

function isLimited(phrase: readonly Token[]): boolean {
  const at = phrase.findIndex(({ text }) => LIMITED.test(text));
  return at >= 0 && !phrase.slice(at + 1, at + 4).some(({ text }) => BEGINNING.test(text));
}
