import { type Passage } from "../evidence/passages.ts";
import { conceptsIn } from "../reading/concepts.ts";
import { type NamedDate } from "../reading/dates.ts";
import { negationsIn } from "../reading/negation.ts";
import { COMPARED, DENIED, REVERSED, SHORT_OF, TURNING } from "../reading/phrases.ts";
import { ADVERB, type ReadSentence } from "../reading/spans.ts";
import { WORDS } from "../reading/vocabulary.ts";
import { wordsOf } from "../reading/words.ts";
import { type Reading } from "./outcome-reading.ts";
import { type Asked, yearsOf } from "./question.ts";
import { isWithin } from "../reading/ranges.ts";

/**
 * Whether words of the sentence beside the reading, or the sentences behind it, may deny what it states: "Chelsea, not
 * Arsenal, won", "temporarily reopened", "Sign the act!", "X won. The result was reversed".
 */
export function isTurnable(asked: Asked, { text, after }: Passage, reading: Reading, sentence?: ReadSentence): boolean {
  const { sign, part, isFigure, isAbsence } = reading;
  const { statement } = asked.plan;
  const [start, end] = [part?.start ?? 0, part?.end ?? text.length];
  // "has not won", "it is false that" state NO by their negation, and "did not close above 50" by that of its figure's clause.
  const isOwn = sign === -1 && (part === undefined || (isAbsence && isFigure !== true));
  const rest =
    isFigure === true && sign === -1 ? `${text.slice(0, start)} ${text.slice(end)}` : text.replace(NOT_GUILTY, "");
  const short = isFigure === true ? rest.replace(SHORT_OF, " ") : rest;
  const negations = isOwn ? [] : negationsIn(sentence?.language === "pt" ? short.replace(IN_THE, " ") : short);
  // "X denied it" does not turn for "Did X deny it?"
  const isAsked = (phrase: string): boolean => wordsOf(phrase).some(({ stem }) => asked.terms.has(stem));
  if ([...negations, ...(text.match(TURNING) ?? [])].some((phrase) => !isAsked(phrase))) return true;
  if (/!["”’)\s]*$/u.test(text)) return true;
  if (isReversed(asked, `${text.slice(end)} ${after}`)) return true;
  return (
    sentence !== undefined && (hasOpenAdverb(statement, sentence, part) || hasOtherYear(asked, text, sentence.dates))
  );
}

/** A verdict of its own. */
const NOT_GUILTY = /\bnot\s(?=guilty)/iu;

/** The Portuguese "no", which is "in the". */
const IN_THE = /(?<!\p{L})no(?!\p{L})/giu;

/** "The decision was reversed": the words behind a report take it back. */
function isReversed({ outcomes, plan }: Asked, behind: string): boolean {
  if (DENIED.test(behind) || FALSE.test(behind)) return true;
  return [...behind.matchAll(REVERSED)].some(
    ([phrase]) =>
      // "The vote was annulled" only repeats the outcome of the question, "the report was withdrawn" takes it back.
      conceptsIn(wordsOf(phrase)).isDisjointFrom(outcomes) || (NEWS.test(phrase) && !NEWS.test(plan.statement)),
  );
}

/** The verdict of a fact check behind the claim: "False." */
const FALSE =
  /(?:^|[.!?]\s)\W*(?:(?:verdict|rat(?:ed|ing)|ruling|urteil|veredicto|verdetto)\s?[:–—-]\s?)?(?:mostly\s|partly\s)?(?:false|fake|unproven|pants\son\sfire|just\skidding|misleading|untrue|wrong|not\strue|no\sevidence|falsch|irreführend|faux|trompeur|falso|engañoso|fuorviante|enganoso)\s?(?=[.!:–—]|$)/iu;

const NEWS = /(?<!\p{L})(?:announcement|reports?|statement|news|article|claims?|story|stories|post)(?!\p{L})/iu;

/** Whether the clause of a reading has an adverb that is not known to leave it a fact: "symbolically", "all but". */
function hasOpenAdverb(statement: string, { tokens }: ReadSentence, part: Reading["part"]): boolean {
  const own = new Set(wordsOf(statement).map(({ stem }) => stem));
  return tokens.some(
    (token) =>
      part !== undefined &&
      isWithin(token, part) &&
      !token.capital &&
      ADVERB.test(token.text) &&
      !WORDS.plain.has(token.text) &&
      !own.has(token.stem),
  );
}

/** Whether the sentence names a year before that of the question, in which the event may have been. */
function hasOtherYear({ years, now, isFuture }: Asked, text: string, dates: readonly NamedDate[]): boolean {
  // "the accident of 1987", for a question without a year
  if (years.size === 0 && !isFuture)
    return dates.some(
      (date) => date.precision === "year" && OF_YEAR.test(text.slice(0, date.start)) && date.to < now - 2 * YEAR,
    );
  const first = Math.min(new Date(now).getUTCFullYear(), ...years);
  return dates.some(
    (date) =>
      date.hasYear &&
      ![COMPARED, SINCE].some((one) => one.test(text.slice(0, date.start))) &&
      !/\([^)]*$/u.test(text.slice(0, date.start)) &&
      yearsOf(date).every((year) => year < first),
  );
}

const YEAR = 366 * 86_400_000;
const OF_YEAR = /(?<!\p{L})(?:of|von|de|del|di|do)\s$/iu;

/** The end of a text before a year that is only compared with: "than in 2025", "the lowest since the drought of 1976". */
const SINCE =
  /(?<![\p{L}])(?:qu['’]|(?:than|compared|against|versus|since|als|gegenüber|seit|par\srapport|contre|depuis|que|desde|frente|di|rispetto|contro|contra|d(?:al|el|ell|u)|do\sque)\s)(?:[\p{L}\d.,]+\s){0,4}$/iu;
