import { type Source, type Statement } from "../reading/analysis.ts";
import { datesOf, type NamedDate } from "../reading/dates.ts";
import { OTHER_ACTOR, type Reading } from "./outcome-reading.ts";
import { type Asked } from "./question.ts";
import { wordsOf } from "../reading/words.ts";

const DAY = 86_400_000;

/** The strength of a figure before the deadline that does not meet the threshold. It never decides. */
const EARLY_FIGURE = 0.45;

/** Words for a figure that does not change any more. */
const FINAL =
  /(?<!\p{L})(?:final|official|certified|definitive|endgültig\p{L}*|amtlich\p{L}*|définiti\p{L}+|officiel\p{L}*|definitiv[oa]s?|oficial(?:es)?|ufficial[ei]|fina(?:l|is))\s(?:\p{L}+\s)?(?:results?|tall(?:y|ies)|counts?|figures?|scores?|standings|tables?|ergebnis\p{L}*|résultats?|resultados?|risultat[oi])(?!\p{L})/iu;

/** A vote, a period of accounts, or a first run: its figure is reported once. */
const PERIOD =
  /(?<!\p{L})(?:turnout|wahlbeteiligung|taux\sde\sparticipation|participación|affluenza|quarter(?:ly)?|half[\s-]year|full[\s-]year|fiscal|(?:opening|first|debut)\sweekend|\p{L}*quartal\p{L}*|halbjahr\p{L}*|geschäftsjahr\p{L}*|trimestr\p{L}+|semestr\p{L}+|ejercicio|exercice|esercizio|exercício)(?!\p{L})/iu;

/** Measures that go up and down, or grow. */
const LEVEL =
  /(?<!\p{L})(?:prices?|users?|subscribers?|followers?|customers?|index|level|population|preis\p{L}*|kurs|nutzer\p{L}*|abonnent\p{L}*|einwohner\p{L}*|prix|cours|utilisateurs?|abonnés?|habitants?|precios?|usuarios?|abonados?|habitantes?|prezz[oi]|utenti|abbonati|abitanti|preços?|usuários?|assinantes?)(?!\p{L})/iu;

/** The time before its deadline in which an event counts for a question about the future. */
const RECENT = 330 * DAY;

/** Compares the date in a sentence with the deadline. */
export function inTime(
  asked: Asked,
  statement: Statement,
  {
    reading,
    date: named,
    isDated,
    source,
  }: { reading: Reading; date: NamedDate | undefined; isDated: boolean; source: Source },
): Statement {
  const { deadline, from } = asked.plan;
  const neutral: Statement = { ...statement, supports: "NEUTRAL" };
  // A page cannot report what happens after its publication.
  const told = Math.min(source.published ?? asked.now, asked.now) + DAY;
  const isOfPeriod =
    reading.isFigure === true && PERIOD.test(asked.plan.statement) && PERIOD.test(`${source.title} ${statement.quote}`);
  // "posted third-quarter revenue of 2 million on 15 October": the day is that of the report.
  const isReported = isOfPeriod && named !== undefined && named.from > (deadline ?? named.from);
  // "called off the race of 6 September", on 3 September
  const isOfEvent = reading.sign === -1 && reading.isFinal === true && named !== undefined && named.from > told;
  const date = isReported || isOfEvent ? undefined : named;
  // "delayed the release to November" for "by 1 October"
  const isPutOff =
    reading.sign === -1 && !reading.isAbsence && date !== undefined && deadline !== undefined && date.from > deadline;
  if (date === undefined && isBeforeItsYear(asked, statement, { reading, source })) return neutral;
  if (isOfPlan(asked, statement, reading, told)) return { ...neutral, kind: "announcement" };
  if (date !== undefined && date.from > told && !isPutOff) return { ...neutral, kind: "announcement" };
  if (from !== undefined && from > told && reading.sign === 1) return neutral;
  if (date !== undefined && from !== undefined && date.to < from) return neutral;
  // "opened in June" for "after 15 June"
  if (date !== undefined && from !== undefined && date.from < from && reading.sign === 1)
    return { ...neutral, isDateOpen: true };
  // "Will the Queen open parliament by November?": its opening in the year before is another one.
  const last = date?.to ?? (reading.strength === OTHER_ACTOR ? source.published : undefined);
  if (last !== undefined && asked.isFuture && last < (deadline ?? asked.now) - RECENT) return neutral;
  const isFinal = reading.isFigure === true && FINAL.test(`${source.title} ${statement.quote}`);
  if (deadline === undefined)
    return asked.isFuture && reading.isAbsence && !isFinal && !isOfPeriod ? neutral : statement;
  // A later figure tells nothing about the time before.
  if (reading.isFigure === true && date !== undefined && date.from > deadline) return neutral;
  if (reading.isFigure === true && !isDated && isOfOtherTime(source, from, deadline)) return neutral;
  const isEvent = reading.sign === 1;
  // "88 million users in June" for "100 million by December": a level may still change.
  if (
    !isEvent &&
    reading.isFigure === true &&
    date !== undefined &&
    date.to < deadline - 3 * DAY &&
    LEVEL.test(asked.plan.statement)
  )
    return neutral;
  if (isEvent && date !== undefined && date.from > deadline) {
    // An event after the deadline did not happen in time.
    return { ...statement, supports: asked.plan.negated ? "YES" : "NO" };
  }
  if (isEvent && date !== undefined && isOpen(date, asked)) return { ...neutral, isDateOpen: true };
  if (!isEvent && asked.now <= deadline) return early(statement, reading);
  const isEarly = source.published !== undefined && source.published < deadline - DAY && !isAfter(date, deadline);
  // "refused to resign on 12 June" for "by 1 July"
  const isBefore = reading.isFigure !== true && date !== undefined && date.to < deadline - DAY;
  if (!isEvent && reading.isAbsence && (isEarly || isBefore)) return neutral;
  if (
    isEvent &&
    reading.isFigure !== true &&
    date === undefined &&
    !isDated &&
    source.published !== undefined &&
    source.published > deadline + 2 * DAY
  ) {
    return { ...statement, isLoose: true };
  }
  return statement;
}

/** "The Kites are the champions", in the year before: the contest of the question is another one. */
function isBeforeItsYear(
  { outcomes, years, plan: { statement } }: Asked,
  { quote }: Statement,
  { reading, source }: { reading: Reading; source: Source },
): boolean {
  // "won a seat for the term of 2030": only a contest, or a report that affirms, is of its year.
  const isOfYear = outcomes.has("win") || (reading.sign === 1 && EDITION.test(statement));
  if (source.published === undefined || years.size === 0 || reading.isFigure === true || !isOfYear) return false;
  const isNamed = [...years].some((year) => `${source.title} ${quote}`.includes(String(year)));
  return !isNamed && new Date(source.published).getUTCFullYear() < Math.min(...years);
}

/** "launches twelve rockets in 2026", in January 2026: a figure in the present for a time that goes on is a plan. */
function isOfPlan({ predicate, now }: Asked, { quote }: Statement, { isFigure, sign }: Reading, told: number): boolean {
  if (isFigure !== true || sign !== 1 || predicate === undefined) return false;
  const isPresent = wordsOf(quote).some(({ text, stem }) => stem === predicate.stem && /(?:[^s]|e)s$/u.test(text));
  return isPresent && datesOf(quote, now).some(({ precision, to }) => precision === "year" && to > told + MONTH);
}

const MONTH = 31 * DAY;

/** "the 2026 summit": the year tells an edition. */
const EDITION = /\b(?:the|this)\s\d{4}\s\p{L}/iu;

/** Whether the title of a page has a date, and none in the time of the question: "Labour market, August 2025". */
function isOfOtherTime({ title, published = 0 }: Source, from = Number.NEGATIVE_INFINITY, deadline: number): boolean {
  const dates = datesOf(title, published).filter(({ hasYear }) => hasYear);
  return dates.length > 0 && !dates.some((date) => date.to >= from && date.from <= deadline);
}

/** Whether a part of the date is in time, or it is in time by one reading of it or of the question's, and the rest is late. */
function isOpen(date: NamedDate, { plan }: Asked): boolean {
  const { deadline = Number.POSITIVE_INFINITY, ambiguity } = plan;
  return date.to > (ambiguity?.earliest ?? deadline);
}

function isAfter(date: NamedDate | undefined, deadline: number): boolean {
  return date !== undefined && date.to >= deadline - DAY;
}

/** Before the deadline, only a final outcome speaks against the event. */
function early(statement: Statement, reading: Reading): Statement {
  if (!reading.isAbsence && (reading.isFinal === true || statement.kind === "fact-check"))
    return { ...statement, strength: statement.strength * 0.8 };
  // A figure may still change, but it contradicts a report that the threshold was met.
  if (reading.isFigure === true) return { ...statement, strength: Math.min(EARLY_FIGURE, statement.strength) };
  return { ...statement, supports: "NEUTRAL" };
}
