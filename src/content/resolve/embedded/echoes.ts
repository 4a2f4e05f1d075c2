import { type Source, type Statement } from "../reading/analysis.ts";
import { areContrary, conceptsIn } from "../reading/concepts.ts";
import { datesAround, datesOf } from "../reading/dates.ts";
import { type Grammar, GRAMMARS } from "../reading/grammar.ts";
import { isNegated } from "../reading/negation.ts";
import { STAGE } from "../reading/phrases.ts";
import { quantitiesOf, sameNumber } from "../reading/quantities.ts";
import { type Word, wordsOf } from "../reading/words.ts";
import { type Passage } from "../evidence/passages.ts";
import { isQuestion } from "./kinds.ts";
import { type Asked } from "./question.ts";
import { isOfSibling } from "./siblings.ts";
import { type ReadSource } from "./signs.ts";

/** The minimum strength of a statement that others can confirm. */
const CONFIRMED = 0.9;
/** The strength of a confirmation. It decides beside the statement that it confirms. */
const ECHO = 0.55;
const DAY = 86_400_000;
/** Words with the same beginning of this length are of one family: "resign" and "resignation". */
const FAMILY = 5;

/** An event as the words of a sentence tell it, without regard to syntax. */
interface Account {
  /** 1 if it names the outcome, -1 if it names a contrary one or denies it, 0 if it does neither. */
  readonly side: -1 | 0 | 1;
  readonly days: readonly number[];
  readonly numbers: readonly number[];
}

/**
 * Statements of pages that tell, in other words, the event that another page states: they name who and what the question
 * names, and the same outcome, on the same day or with the same figure. Such a page would not be read by itself.
 */
export function echoesOf(asked: Asked, read: readonly ReadSource[], statements: readonly Statement[]): Statement[] {
  if (asked.language === undefined || asked.plan.parts !== undefined) return [];
  const told = statements.filter(
    (one) => one.supports !== "NEUTRAL" && one.strength >= CONFIRMED && one.isAside !== true,
  );
  return read.flatMap((source, index): Statement[] => {
    const own = statements.filter((one) => one.source === index);
    if (own.some(({ kind, supports }) => supports !== "NEUTRAL" || OPEN_KINDS.has(kind))) return [];
    for (const passage of source.passages) {
      if (!isPlain(asked, passage, source)) continue;
      const account = accountOf(asked, passage.text, passage.words, source);
      const original = told.find((one) => {
        if (!isComplete(asked, passage, read[one.source])) return false;
        const page = read[one.source];
        if (page === undefined) return false;
        const other = accountOf(asked, one.quote, wordsOf(one.quote), page);
        // The words alone can mislead: they must agree with the reading.
        return (one.supports === "NO" || other.side >= 0) && isSame(account, other);
      });
      if (original !== undefined)
        return [
          {
            source: index,
            quote: passage.text,
            supports: original.supports,
            kind: "report",
            strength: ECHO,
            date: original.date,
          },
        ];
    }
    return [];
  });
}

/** Whether both pages together have all words of the question but its predicate. */
function isComplete({ terms, predicate }: Asked, { near }: Passage, page: ReadSource | undefined): boolean {
  const known = new Set(page?.passages.flatMap((passage) => [...passage.near]));
  return [...terms].every((term) => near.has(term) || known.has(term) || term === predicate?.stem);
}

/** Kinds of sentences that leave the outcome open: a page with one of them confirms nothing. */
const OPEN_KINDS = new Set<Statement["kind"]>(["announcement", "hedged", "retraction", "satire", "fact-check"]);

/** Whether a sentence states facts only, and has all names of the question. */
function isPlain(asked: Asked, passage: Passage, { language }: ReadSource): boolean {
  const { text, isUnreal, isAside, words, shared } = passage;
  if (language === undefined || isUnreal || isAside || shared.size === 0 || isQuestion(text)) return false;
  if (![...asked.names].every((name) => shared.has(name))) return false;
  if (isOfSibling(asked, passage, language)) return false;
  if (STAGE.test(text) && !STAGE.test(asked.plan.question)) return false;
  return !words.some((word) => isOpen(word, GRAMMARS[language]));
}

function isOpen({ text }: Word, { modal, hedge, doubts, denies, says }: Grammar): boolean {
  return !says.has(text) && [modal, hedge, doubts, denies].some((words) => words.has(text));
}

function accountOf(asked: Asked, text: string, words: readonly Word[], { source, language }: ReadSource): Account {
  const dates = datesIn(text, source, asked.now);
  const found = conceptsIn(words);
  const isNamed =
    [...asked.outcomes].some((one) => found.has(one)) ||
    words.some(({ stem }) => asked.predicate !== undefined && familyOf(stem) === familyOf(asked.predicate.stem));
  const isContrary = [...found].some((one) => [...asked.outcomes].some((other) => areContrary(one, other)));
  return {
    side: isContrary ? -1 : isNamed ? (isNegated(text) ? -1 : 1) : 0,
    days: dates.filter(({ precision }) => precision === "day").map(({ from }) => from),
    numbers: quantitiesOf(text, language, dates).map(({ value }) => value),
  };
}

function datesIn(text: string, { published }: Source, now: number): ReturnType<typeof datesOf> {
  return published === undefined ? datesOf(text, now) : datesAround(text, published);
}

function familyOf(stem: string): string {
  return stem.slice(0, FAMILY);
}

/** Whether two accounts are of one event: they name the same outcome, and the same day or figure. */
function isSame(one: Account, other: Account): boolean {
  const isDayShared = one.days.some((day) => other.days.some((day_) => Math.abs(day - day_) < DAY));
  if (!isDayShared && one.days.length > 0 && other.days.length > 0) return false;
  const isFigureShared = one.numbers.some((number) => other.numbers.some((other_) => sameNumber(number, other_)));
  return one.side !== 0 && one.side === other.side && (isDayShared || isFigureShared);
}
