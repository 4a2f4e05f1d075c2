import { conceptsAt } from "../reading/concepts.ts";
import { type Threshold } from "../reading/analysis.ts";
import { clauseAt, type Clause } from "../reading/clauses.ts";
import { type ReadSentence, type Token } from "../reading/spans.ts";
import { isChange } from "../reading/changes.ts";
import { GRAMMARS } from "../reading/grammar.ts";
import { type Passage } from "../evidence/passages.ts";
import { bareMonthsIn, type NamedDate } from "../reading/dates.ts";
import { isNegated } from "../reading/negation.ts";
import { AMONG, POLLS, SHORT_OF } from "../reading/phrases.ts";
import { describedIn, meets, quantitiesOf, type Quantity } from "../reading/quantities.ts";
import { WORDS } from "../reading/vocabulary.ts";
import { isPast, stemOf, wordsOf } from "../reading/words.ts";
import {
  GENERAL,
  isOfAnother,
  isOfAudience,
  isOfKindLater,
  isOfOtherOutcome,
  isOfOtherPredicate,
  isOfOtherThing,
  isOfThingAt,
  KNOWN,
} from "./others-figures.ts";
import { type Asked, yearsOf } from "./question.ts";
import { hasOtherNumber } from "./siblings.ts";
import { isNear, isWithin, textBefore } from "../reading/ranges.ts";

/** A part of a time: "the first day", "the second quarter". */
const ORDINAL =
  /^(?:first|second|third|fourth|(?:erst|zweit|dritt|viert)e[nrsm]?|premiere?|deuxieme|troisieme|primer[ao]?|segund[ao]|tercer[ao]?|prim[ao]|second[ao]|terz[ao]|primeir[ao]|terceir[ao])$/u;

/** Words before a number that no longer holds or is only expected. */
const FORMER =
  /\b(?:from|compared\s(?:with|to)|previous(?:ly)?|earlier|last\s(?:year|month|week)|against|after|versus|vs\.?|target\sof|(?<!(?:hit|hits|reach(?:ed|es)|touch(?:ed|es)|sets?|notched|(?:climb|jump|surg|soar)ed\sto|rose\sto|fell\sto)\s(?:an?\s)?(?:(?:new|fresh|record|all-time|session|intraday)\s){0,3})(?:record|mark|best|high|low)\sof|forecast\sof|expected|of\sthe|nach|gegenüber|contre|après|desde|tras|frente\sa|dopo|após)\s?(?:the\s|an?\s)?(?:[$€£¥₹])?$/iu;

/** The part of a sentence before a number that is compared with: "compared with a rise of 2.9%", ", after falling by 2.9%". */
const COMPARED =
  /(?<!\p{L})(?:(?:in\s)?compar(?:ed|ison)\s(?:with|to)|versus|vs\.?|verglichen\smit|im\svergleich\szu[mr]?|gegenüber|comparée?s?\sà|frente\sal?|rispetto\sa\p{L}*)\s[^,;:()–—]*$|[,;(–—]\s?(?:against|after|following|nach|après|contre|tras|contra|ante|dopo|contro|após|depois\sde)\s[^,;:()–—]*$/iu;

/** A time or a count that is not over: "by noon", "with half of the votes counted". */
const INTERIM =
  /(?<!\p{L})(?:by\s(?:mid-\p{L}+|\p{L}+day)|(?:by|at|as\sof)\s(?:noon|midday|\d{1,2}(?:[.:]\d\d)?\s?(?:[ap]\.?m|o['’]clock))|partial|(?:um|bis)\s\d{1,2}(?:[.:]\d\d)?\sUhr|à\s(?:midi|\d{1,2}\s?h(?:eures)?)|a\slas\s\d+|(?:alle|às)\s(?:ore\s)?\d+)(?!\p{L})/iu;

/** A part of an event: "on its first day". */
const PART =
  /\b(?:first|second|third|opening|premier|première|primer|primera|primo|prima|erste[nr]?)\s(?:\p{L}+\s)?(?:days?|nights?|weeks?|weekends?|months?|hours?|jours?|soirs?|semaines?|día|noche|semana|giorno|sera|settimana|Tag|Abend|Woche)(?!\p{L})|\b(?:daily|weekly|monthly|hourly|per\sday|a\sday)(?!\p{L})/iu;

/** "was revised from 4.8% to 5.1%", "an hour before the close": a figure that another one replaces, "some lenders quoted". */
const REPLACED =
  /\brevised\s(?:(?:up|down)\p{L}*\s)?(?:from|by)(?!\p{L})|\bbefore\sthe\sclose(?!\p{L})|^(?:some|several|a\sfew)\s(?=\p{L})/iu;

/** Several times of an event: "in its first three editions", "over ten years". */
const SEVERAL =
  /\b(?:over|within|in|during|for)\s(?:(?:the|its)\s(?:past|last|first)\s)?(?:two|three|four|five|six|seven|eight|nine|ten|\d+)\s(?:days|weeks|months|years|decades|editions|seasons)(?!\p{L})|(?<!\p{L})(?:in|en|em|innerhalb\svon|über)\s(?:\d+|\p{L}{3,8})\s(?:Tagen?|Wochen|Monaten?|Jahren?|jours|semaines|mois|ans|días|semanas|meses|años|giorni|settimane|mesi|anni|dias|anos)(?!\p{L})/iu;

/** "412,000 vehicles in the year to September", for a quarter. */
const OF_YEAR = /\b(?:year|(?:12|twelve|nine|six)\smonths)\s(?:to|ended|ending)(?!\p{L})/iu;

/** Measures with a name that their figure needs: "Services output grew by 0.6%" is not of GDP. */
const MEASURES = /\b(?:GDP|GNP|PMI|PPI)\b/u;
/** Other series with the same name: "the U-6 unemployment rate", "a 91% audience score". */
const OTHER_SERIES = /\bU-?[1-6]\b|\b(?:audience|user)\sscores?\b|\bpopcornmeter\b/iu;

/** Words for what a figure is compared with. */
const USUAL =
  /(?<!\p{L})(?:averages?|averaged|mean|median|normally|usual|typical|long-term|durchschnitt\p{L}*|moyennes?|promedios?|medias?)(?!\p{L})/iu;

/** The figures of a sentence: their sign, a factor for the words that bind them to the question, and their place. */
export interface Measured {
  readonly sign: -1 | 1;
  readonly factor: number;
  readonly part: { readonly start: number; readonly end: number };
}

/** Compares the figures of a sentence with the question's thresholds. Undefined if the sentence gives no such figures. */
export function measured(
  asked: Asked,
  passage: Passage,
  { dates, tokens, language }: ReadSentence,
): Measured | undefined {
  if (passage.context < 0.4) return undefined;
  // "on its first day"
  const parts = wordsOf(asked.plan.statement).filter(({ text, stem }) => ORDINAL.test(text) && asked.terms.has(stem));
  if (!parts.every(({ stem }) => passage.words.some((word) => word.stem === stem))) return undefined;
  const grammar = GRAMMARS[language];
  const { statement } = asked.plan;
  const { measure } = asked;
  const [acronym] = MEASURES.exec(statement) ?? [];
  const clauses = new Map<Quantity, Clause>();
  const quantities = quantitiesOf(passage.text, language, dates).filter((one) => {
    const before = textBefore(passage.text, one.start, 40);
    if (isFormer(passage.text, one) || isChange(before, asked.outcomes) !== asked.asksChange) return false;
    const clause = clauseAt(tokens, one.start, grammar, language);
    clauses.set(one, clause);
    // "Twelve states have not joined"
    // "10.8 million passengers fewer than in 2019"
    const behind = passage.text.slice(one.end, clause.end);
    if (isDenied(behind) || (!asked.asksChange && /^\s(?:fewer|more|less)\s(?!or\b)/u.test(behind))) return false;
    // "The long-term averages are 8.1 named storms"
    const said = passage.text.slice(clause.start, clause.end);
    if ([USUAL, SEVERAL, POLLS, REPLACED, AMONG].some((words) => words.test(said) && !words.test(statement)))
      return false;
    const { from = 0, deadline = Number.POSITIVE_INFINITY } = asked.plan;
    const isOfYear = one.unit !== "percent" && OF_YEAR.test(passage.text.slice(one.end, clause.end + BESIDE));
    if (isOfYear && deadline - from < 10 * MONTH) return false;
    return (
      clause.isFact &&
      (acronym === undefined || clause.stems.has(acronym.toLowerCase())) &&
      !(OTHER_SERIES.test(said) && !OTHER_SERIES.test(statement)) &&
      (measure === undefined || language !== asked.language || clause.stems.has(measure) || GENERAL.has(measure)) &&
      isInTime(asked, passage.text, clause, dates) &&
      !isOfAnother(asked, tokens, clause, one) &&
      // "Iron Tides 2 grossed" for "Iron Tides"
      !hasOtherNumber(
        asked,
        tokens.filter((token) => isWithin(token, clause)),
        isPast,
      ) &&
      !isOfOtherThing(asked, tokens, one) &&
      !isOfThingAt(asked, tokens, clause) &&
      !isOfKindLater(asked, passage, clause, one) &&
      !isOfOtherOutcome(asked, { tokens, clause, language }, one) &&
      !isPartial(asked, { text: passage.text, tokens, dates }, clause, one) &&
      !isOfOtherPredicate(asked, passage, { tokens, clause, language })
    );
  });
  let met: boolean | undefined;
  let factor = 1;
  let part = { start: 0, end: passage.text.length };
  for (const threshold of asked.thresholds) {
    const fitting = quantities.filter(
      (one) =>
        isSameMeasure(asked, one, threshold, clauses.get(one)) &&
        namesUnit({ asked, passage }, clauses.get(one), one, threshold),
    );
    if (fitting.length === 0) return undefined;
    const bound = fitting.map((one) => {
      const clause = clauses.get(one);
      const isOwn = clause !== undefined && isLabelled({ asked, passage }, clause.stems, one.start, threshold.unit);
      return boundTo(asked, passage.near, isOwn ? { ...clause, stems: passage.near } : clause);
    });
    const named = fitting.map((one) => [...asked.names].filter((name) => clauses.get(one)?.stems.has(name)).length);
    const best = Math.max(...bound);
    const most = Math.max(...named.filter((_, at) => bound[at] === best));
    factor = Math.min(factor, best);
    part = clauses.get(fitting[bound.indexOf(best)] as Quantity) ?? part; // It is one of them.
    // "revenue of 2 billion, while profit rose to 188 million"
    const results = fitting
      .filter((_, at) => threshold.comparison === "equal" || (bound[at] === best && named[at] === most))
      .map((one) => {
        const isMet = isTurned(passage.text, one) ? turned(one, threshold) : meets(one, threshold);
        // "a low of 118,000" for "above 120,000"
        const isEnd = (IS_BELOW.test(threshold.comparison) ? HIGH : LOW).test(textBefore(passage.text, one.start, 20));
        return isMet === "no" && isEnd ? "open" : isMet;
      });
    if (threshold.comparison === "equal") {
      // "have 100 million users" may ask for at least as many.
      const isMore =
        threshold.unit !== "percent" && threshold.value >= 1_000 && fitting.every(({ low }) => low > threshold.value);
      if (results.includes("yes")) met ??= true;
      else if (isMore) return undefined;
      // A comparison in another language that is not read would turn "above" into "equal".
      else if (passage.coverage >= 0.7 && (asked.language === "en" || !KNOWN.has(threshold.unit))) met = false;
      else return undefined;
      continue;
    }
    if (results.includes("yes") && results.includes("no")) return undefined;
    if (results.every((one) => one === "open")) return undefined;
    met = (met ?? true) && results.includes("yes");
  }
  // An interim share may still change to both sides, an interim number only upwards.
  const isOnly = (words: RegExp): boolean => words.test(passage.text) && !words.test(statement);
  if (
    ([INTERIM, POLLS].some(isOnly) && asked.thresholds.some(({ unit }) => unit === "percent")) ||
    (met === false && [INTERIM, POLLS, PART].some(isOnly))
  )
    return undefined;
  return met === undefined ? undefined : { sign: met ? 1 : -1, factor, part: { start: part.start, end: part.end } };
}

/** "Rescued: 43", "Visitors 2025: 561,214": a figure whose label names what is counted, so that it is about the page's subject. */
function isLabelled(
  { asked: { predicate, outcomes }, passage: { text, words } }: Place,
  stems: ReadonlySet<string>,
  start: number,
  unit: string,
): boolean {
  const label = LABEL.exec(text.slice(0, start));
  if (label === null) return false;
  const own = words.filter((word) => word.start >= label.index && word.end < start);
  return (
    (predicate !== undefined && stems.has(predicate.stem)) ||
    own.some(
      ({ stem }, n) => unitStems(unit).includes(stem) || [...conceptsAt(own, n)].some((one) => outcomes.has(one)),
    )
  );
}

/** The label before a figure. */
const LABEL = /[^.;(|\n]{1,60}:\s$/u;

interface Place {
  readonly asked: Asked;
  readonly passage: Passage;
}

function unitStems(unit: string): string[] {
  return unit === "" ? [] : [unit, ...wordsOf(unit).map(({ stem }) => stem)];
}

/** Whether a figure without a unit is of the question's: "the number of employees is 620", and not "9.12 per employee". */
function namesUnit(place: Place, clause: Clause | undefined, { unit, start }: Quantity, threshold: Threshold): boolean {
  if (unit !== "" || threshold.unit === "" || KNOWN.has(threshold.unit) || clause === undefined) return true;
  if (isLabelled(place, clause.stems, start, threshold.unit)) return true;
  // "The death toll has risen to 131"
  if (threshold.unit === "people" && place.asked.outcomes.has("die") && clause.stems.has("tol")) return true;
  if (isOfAudience(place.asked) && [...clause.stems].some((stem) => WORDS.attendance.has(stem))) return true;
  const stems = unitStems(threshold.unit);
  if (!stems.some((stem) => clause.stems.has(stem))) return false;
  return !place.passage.words.some((word, at, all) => stems.includes(word.stem) && PER.test(all[at - 1]?.text ?? ""));
}

const LOW = /\b(?:low|lows|minimum|lowest)\s(?:of|at|was)\s[$€£¥]?$/iu;
const HIGH = /\b(?:highs?|peak|maximum|highest)\s(?:of|at|was)\s[$€£¥]?$/iu;
const SINCE = /(?<![\p{L}])(?:since|seit|depuis|desde|dal(?:l\p{L}*)?)\s(?:\p{L}+\s)?$/iu;
const PER = /^(?:per|pro|par|por|each|every|je|pour|ogni)$/u;

/** Characters between a clause and a date behind it: those of " depuis le ". */
const BESIDE = 11;

/** Whether the dates in a figure's clause, if there are any, touch the time of the question: "(2024: 1.93 billion)". */
function isInTime({ plan, years }: Asked, text: string, clause: Clause, dates: readonly NamedDate[]): boolean {
  const own = dates.filter(
    (date) =>
      isNear(date, clause, BESIDE) &&
      !/[(;]/u.test(text.slice(date.end, clause.start)) &&
      !/[(;]/u.test(text.slice(clause.end, date.start)),
  );
  const { from, deadline } = plan;
  // "in floods since 1990": a sum over a longer time.
  if (own.some(({ start }) => SINCE.test(text.slice(0, start))) && !SINCE.test(plan.statement)) return false;
  if (own.length === 0) return isInMonths(text, from, deadline);
  return own.some((date) => {
    if (from !== undefined && date.to < from) return false;
    if (from !== undefined && deadline !== undefined && date.precision !== "day") {
      if (date.from > deadline) return false;
      // "43 billion in 2026" for the first half of 2026
      const isOfTime = date.precision !== "year" || IN.test(text.slice(0, date.start));
      if (isOfTime && deadline - from > 0.9 * MONTH && date.to - date.from > 1.2 * (deadline - from)) return false;
    }
    return years.size === 0 || !date.hasYear || yearsOf(date).some((year) => years.has(year));
  });
}

const IN = /(?<!\p{L})(?:in|im\sjahre?|en|em|nel)\s$/iu;

/** "in April or May 2026" */
const EITHER = /(?<!\p{L})(?:or|oder|ou|o)\s(?:\p{L}+\s)?\p{L}+\s(?:19|20)\d{2}/iu;

/**
 * Whether a figure is of a part of the time or of the area of the question: "388,000 cars in April", "in Europe". The whole can be
 * more, and a share of a part says nothing about the whole.
 */
function isPartial(
  asked: Asked,
  { text, tokens, dates }: { text: string; tokens: readonly Token[]; dates: readonly NamedDate[] },
  clause: Clause,
  figure: Quantity,
): boolean {
  const ownThresholds = asked.thresholds.filter(
    ({ unit }) => unit === figure.unit || unit === "" || figure.unit === "",
  );
  const isOfEach = figure.unit === "percent" && !EITHER.test(asked.plan.statement);
  const isTotal = !KNOWN.has(figure.unit);
  const isMet = ownThresholds.every(
    (one) => !(isTotal && IS_BELOW.test(one.comparison)) && meets(figure, one) === "yes",
  );
  if (!isOfEach && isMet) return false;
  // "800 people from abroad"
  const [of, word = ""] = SOME_OF.exec(text.slice(figure.end, clause.end)) ?? [];
  if (of !== undefined && !KNOWN.has(figure.unit) && !asked.terms.has(stemOf(word.toLowerCase()))) return true;
  const { from = Number.NEGATIVE_INFINITY, deadline = Number.POSITIVE_INFINITY } = asked.plan;
  const own = dates.filter((date) => isNear(date, clause, BESIDE));
  const isShort = own.some(
    ({ from: first, to, precision }) =>
      precision !== "day" && first >= from && to <= deadline && (to - first) * 1.2 < deadline - from,
  );
  const months = bareMonthsIn(text.slice(clause.start, clause.end + BESIDE));
  const isOfMonths = months.length > 0 && (months.length + 0.5) * MONTH < deadline - from;
  return (
    (Number.isFinite(from) && Number.isFinite(deadline) && (isShort || isOfMonths)) ||
    isInOtherPlace(asked, tokens, clause)
  );
}

const IS_BELOW = /^(?:below|at most)$/u;
/** Words behind what is counted that leave only a part of it. */
const SOME_OF = /^\s(?:from|who|whose|aged|under|without)\s(?:the\s)?(\p{L}+)/iu;
const MONTH = 30 * 86_400_000;

/** "in Europe": a place that the question does not name. */
export function isInOtherPlace(
  { terms, language = "en" }: Asked,
  tokens: readonly Token[],
  clause: Pick<Clause, "start" | "end">,
): boolean {
  const { determiner } = GRAMMARS[language];
  return tokens.some((token, at) => {
    if (!isWithin(token, clause) || !WORDS.in.has(token.text)) return false;
    const [next, behind] = tokens.slice(at + 1, at + 3);
    const place = determiner.has(next?.text) ? behind : next;
    return (
      place?.capital === true &&
      /^\p{L}{2}/u.test(place.text) &&
      !terms.has(place.stem) &&
      bareMonthsIn(`in ${place.text}`).length === 0 &&
      language !== "de"
    );
  });
}

/** Whether the months that a text names, if any, have one in the time of a question that asks for months of one year. */
export function isInMonths(text: string, from: number | undefined, deadline: number | undefined): boolean {
  if (from === undefined || deadline === undefined) return true;
  const [first, last] = [new Date(from), new Date(deadline)];
  if (first.getUTCFullYear() !== last.getUTCFullYear()) return true;
  const months = bareMonthsIn(text);
  return months.length === 0 || months.some((month) => month >= first.getUTCMonth() && month <= last.getUTCMonth());
}

/** The share of the question's nouns and verbs in a figure's clause. Those of the title and the sentences before count half. */
function boundTo(asked: Asked, near: ReadonlySet<string>, clause: Clause | undefined): number {
  const units = new Set(asked.thresholds.flatMap(({ unit }) => unitStems(unit)));
  const nouns = [
    ...[...asked.terms].filter(
      (term) => !asked.names.has(term) && !units.has(term) && term !== asked.predicate?.stem && !GENERAL.has(term),
    ),
    // "20 million paying users": an adjective tells a unit apart from others.
    ...quantitiesOf(asked.plan.statement, asked.language).flatMap((one) =>
      describedIn(asked.plan.statement, one).map(({ stem }) => stem),
    ),
  ];
  if (clause === undefined || nouns.length === 0) return 1;
  const here = nouns.filter((noun) => clause.stems.has(noun)).length;
  if (here === 0) return 0.2;
  const beside = nouns.filter((noun) => !clause.stems.has(noun) && near.has(noun)).length;
  return 0.4 + (0.6 * (here + beside / 2)) / nouns.length;
}

/** "Did not exceed 300" means at most 300: it decides only that a threshold of 300 or more is not met. */
function turned(quantity: Quantity, threshold: Threshold): "no" | "open" {
  const { value, comparison } = quantity;
  const isLow = comparison === "below" || comparison === "at most";
  const bounds = isLow
    ? { low: value, high: Number.POSITIVE_INFINITY }
    : { low: Number.NEGATIVE_INFINITY, high: value };
  const opposite = isLow ? "at least" : comparison === "above" ? "at most" : "below";
  return meets({ ...quantity, ...bounds, comparison: opposite }, threshold) === "no" ? "no" : "open";
}

/** "Did not exceed 5 percent": the number is a bound that was not reached. */
function isTurned(text: string, quantity: Quantity): boolean {
  return isDenied(text.slice(Math.max(0, quantity.start - 40), quantity.end));
}

function isDenied(part: string): boolean {
  return isNegated(part.replace(SHORT_OF, ""));
}

/** A difference to another figure: "1.9 million more than". */
const DIFFERENCE =
  /^\s(?:\p{L}+\s){0,2}?(?:more|fewer|less|higher|lower|dearer|cheaper|better|worse|mehr|weniger|de\splus|de\smoins|más|menos|più|meno|mais|up|down)(?:\s(?:than|als|que|di|do\sque)|[,.;)]|$)/iu;
/** "closed 75 points higher" */
const POINTS = /^[\d.,]+\spoints?\s(?:higher|lower|up|down)(?!\p{L})/iu;

function isFormer(text: string, quantity: Quantity): boolean {
  if (quantity.comparison === undefined && DIFFERENCE.test(text.slice(quantity.end, quantity.end + 40))) return true;
  if (POINTS.test(text.slice(quantity.start, quantity.start + 40))) return true;
  const before = textBefore(text, quantity.start, 80);
  return FORMER.test(before) || COMPARED.test(before);
}

/** Whether a quantity and a threshold measure the same: by their unit, or by the noun that is counted. */
function isSameMeasure(asked: Asked, quantity: Quantity, threshold: Threshold, clause: Clause | undefined): boolean {
  if (quantity.unit === threshold.unit) return true;
  if (isOfAudience(asked) && (WORDS.audience.has(quantity.unit) || WORDS.attend.has(quantity.unit))) return true;
  // "874,200 people visited": visitors.
  const family = threshold.unit.slice(0, FAMILY);
  const isPeople = quantity.unit === "people" && family.length === FAMILY;
  if (isPeople && [...(clause?.stems ?? [])].some((stem) => stem.startsWith(family))) return true;
  const known = KNOWN.has(threshold.unit) || KNOWN.has(quantity.unit);
  if (known) return false;
  if (quantity.unit === "" || threshold.unit === "") return true;
  return asked.terms.has(quantity.unit) || wordsOf(threshold.unit).some((word) => word.stem === quantity.unit);
}

/** Characters by which a person's noun is compared with what the person does. */
const FAMILY = 5;
