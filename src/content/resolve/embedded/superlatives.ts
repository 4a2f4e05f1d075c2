import { type Passage } from "../evidence/passages.ts";
import { GRAMMARS, isFunctionWord } from "../reading/grammar.ts";
import { type ReadSentence, type Token, undatedTokensOf } from "../reading/spans.ts";
import { isForm, type Language, type Word, wordsOf } from "../reading/words.ts";
import { type Asked } from "./question.ts";
import { itemsBefore } from "../reading/ranges.ts";

/** The reading of a sentence with a superlative: 1 if it names the question's subject. */
export interface Ranked {
  readonly sign: -1 | 1;
  readonly part: { readonly start: number; readonly end: number };
}

/** The forms of superlatives, without accents. Those of two words begin with "most", "più" and the like. */
const SUPERLATIVE: Readonly<Record<Language, RegExp>> = {
  en: /^(?:first|last|best|worst|least|(?!(?:harv|for|inter|requ|prot|cont|arr|conqu|unr|north\p{L}|south\p{L})est$)\p{L}{3,}est)$/u,
  de: /^(?:erst|best|\p{L}{3,}st)e[nrs]?$/u,
  fr: /^(?:premiere?|meilleure?|pire)$/u,
  es: /^(?:primer[ao]?|mejor|peor)$/u,
  it: /^(?:prim[ao]|miglior[e]?|peggior[e]?)$/u,
  pt: /^(?:primeir[ao]|melhor|pior)$/u,
};
const MOST = /^(?:most|least|plus|moins|mas|menos|piu|meno|mais)$/u;
const IS =
  /^(?:is|was|are|were|be|been|becomes?|became|become|remains?|ist|war|bleibt|wurde|est|etait|devient|devenue?|reste|es|fue|era|sigue|e|è|fu|resta|diventa|é|foi|continua)$/u;
/** "the first since 2019": it is not the one. */
const LIMITED = /^(?:since|until|till|after|seit|bis|nach|depuis|jusqu|desde|hasta|dopo|dal|fino|apres|ate$)/u;
/** Since records began. */
const BEGINNING =
  /^(?:measure|record|begin|aufzeichnung|messung|mesur|releve|medicion|registro|misurazion|medico|1[6-9]\d\d)/u;
/** "the second highest", "one of the highest", "almost the highest" */
const LOWER =
  /^(?:second|third|fourth|one|among|almost|nearly|fast|presque|casi|quasi|quase|deuxieme|troisieme|segund[ao]s?|tercer[ao]?|second[ao]|terz[ao]|terceir[ao]|of|de|di|tra|fra|entre|parmi)$/u;

const YEAR = /^(?:19|20)\d\d$/u;
const WARMEST = /^(?:hott|warm)est$/u;

export const NEXT = /^(?:second|third|fourth|fifth)$/u;

function asksNext(question: readonly Word[], at: number): boolean {
  return itemsBefore(question, at, 2).some(({ text }) => NEXT.test(text));
}

/** The place of the first superlative behind an article: one word, or a word such as "most". */
function superlativeIn(words: readonly Word[], language: Language): number {
  const { determiner } = GRAMMARS[language];
  return words.findIndex(
    ({ text }, n) =>
      [words[n - 1], words[n - 2]].some((one) => determiner.has(one?.text)) &&
      (MOST.test(text) || SUPERLATIVE[language].test(text)),
  );
}

/** Whether a question asks who or what is the highest, the first and the like. */
export function asksSuperlative({ plan, language = "en" }: Asked): boolean {
  return superlativeIn(wordsOf(plan.statement), language) >= 0;
}

/** Reads "X is the highest N" for a question whether X, or another, is the highest N. */
export function superlative(
  asked: Asked,
  { near, text: whole }: Passage,
  { language }: ReadSentence,
): Ranked | undefined {
  // A month can be the hottest one: dates belong to the words.
  const tokens = undatedTokensOf(whole, []);
  const question = wordsOf(asked.plan.statement);
  const asks = superlativeIn(question, language);
  const says = superlativeIn(tokens, language);
  const [wanted, found] = [question[asks], tokens[says]];
  if (wanted === undefined || found === undefined) return undefined;
  if (!isForm(wanted, found, language) && ![wanted, found].every(({ text }) => WARMEST.test(text))) return undefined;
  const isContent = ({ text }: Word): boolean => !isFunctionWord(text, GRAMMARS[language]) && !IS.test(text);
  const isNamed = (word: Word): boolean => isContent(word) && (word.capital || /^\d/u.test(word.text));
  const holder = question.slice(0, asks).filter(isNamed);
  const kind = question.slice(asks + 1).filter((word) => isContent(word) && !/^\d/u.test(word.text));
  const verb = tokens.slice(0, says).findIndex(({ text }) => IS.test(text));
  if (holder.length === 0 || verb < 1) return undefined;
  // "wants to be the tallest", "was the tallest" for "Is it the tallest?"
  const isPast = /^(?:is|are)$/u.test(question[0]?.text ?? "") && /^(?:was|were)$/u.test(tokens[verb]?.text ?? "");
  const { denies, doubts, hedge, modal, not } = GRAMMARS[language];
  const isOpen = ({ text, capital }: Token): boolean =>
    !capital && [denies, doubts, hedge, modal, not].some((words) => words.has(text));
  if (isPast || itemsBefore(tokens, verb, 4).some(isOpen) || tokens.slice(verb, says).some(({ text }) => not.has(text)))
    return undefined;
  const subject = tokens.slice(0, verb);
  const rest = tokens.slice(says + 1);
  const part = { start: 0, end: whole.length };
  // "August was the hottest August": the date of the page gives the year.
  const hasYear = subject.some(({ text }) => YEAR.test(text));
  const isHolder = holder.every(
    ({ text, stem }) =>
      (!hasYear && holder.length > 1 && YEAR.test(text)) || subject.some((word) => word.stem === stem),
  );
  const before = tokens.slice(verb, says);
  if (isHolder && before.some(({ text }) => NEXT.test(text)) && !asksNext(question, asks)) return { sign: -1, part };
  if (before.some(({ text }) => LOWER.test(text)) || isLimited(rest) || !kind.every(({ stem }) => near.has(stem)))
    return undefined;
  // "the youngest Tarsian" is not the youngest person.
  const noun = rest.filter(isContent).slice(0, MOST.test(found.text) ? 2 : 1);
  if (!noun.every(({ stem }) => question.some((word) => word.stem === stem))) return undefined;
  if (isHolder) return { sign: 1, part };
  const isOther = subject.some((word) => word.capital && isContent(word));
  return isOther && !holder.some(({ stem }) => subject.some((word) => word.stem === stem))
    ? { sign: -1, part }
    : undefined;
}

function isLimited(words: readonly Token[]): boolean {
  return words.some(
    ({ text }, at) => LIMITED.test(text) && !words.slice(at + 1, at + 5).some((word) => BEGINNING.test(word.text)),
  );
}
