import { type Plan } from "../reading/analysis.ts";
import { GRAMMARS, isFunctionWord } from "../reading/grammar.ts";
import { firstNumberOf } from "../reading/date-order.ts";
import { conceptsIn } from "../reading/concepts.ts";
import { datesOf } from "../reading/dates.ts";
import { COMPARING } from "../reading/comparisons.ts";
import { inPlainWords } from "../reading/questions.ts";
import { partsOf } from "./parts.ts";
import { isCounting, spanOf } from "../reading/deadline.ts";
import { isEventNegated } from "../reading/negation.ts";
import { resolutionSourceOf } from "../reading/resolution-source.ts";
import { quantitiesOf } from "../reading/quantities.ts";
import { isContestWon, isName, thresholdsOf } from "../reading/thresholds.ts";
import { WORDS } from "../reading/vocabulary.ts";
import {
  type Language,
  isStopWord,
  languageOf,
  questionLanguage,
  STOP_WORDS,
  type Word,
  wordsOf,
} from "../reading/words.ts";
import { overlap } from "../reading/ranges.ts";

/** Maximum number of characters of question and criteria that are read. The operation accepts no longer questions. */
const MAX_QUESTION = 2_000;
const MAX_CRITERIA = 20_000;
/** Maximum number of terms that are compared with passages. */
const MAX_TERMS = 40;
/** Maximum number of words of a query. The index and the search engines read no more. */
const MAX_QUERY_WORDS = 24;
const MAX_QUERY_LENGTH = 300;

const FRAME =
  /^(?:(?:is|was)\s(?:it|this|the\sfollowing(?:\s(?:claim|statement))?)\s(?:really\s)?(?:true|correct|right|accurate|the\scase|a\sfact)(?:\sthat\s|\s?[:,]\s?|\s(?=["“«]))|(?:true\sor\sfalse|fact\scheck|claim|question)\s?[:,]\s|did\sit\shappen\sthat\s|(?:stimmt\ses|ist\ses\swahr),?\sdass\s|est[- ]il\s(?:vrai|exact)\sque\s|¿?es\s(?:cierto|verdad)\sque\s|[èé]\s(?:vero\sche|verdade\sque)\s)/iu;

/** Reads a question and its criteria. Dates without a year get the year nearest to `now`, Unix ms. */
export function planOf(question: string, criteria: string, now: number): Plan {
  const plan = simplePlanOf(question, criteria, now);
  const language = questionLanguage(question, criteria) ?? "en";
  const parts = partsOf(question.slice(0, MAX_QUESTION), language, now);
  if (parts === undefined) return plan;
  const { relation, first, second } = parts;
  const plans = [first, second].map((part) => ({
    ...withinSpan(simplePlanOf(part, criteria, now), plan),
    known: plan.terms,
  }));
  const [one, other] = plans;
  return one === undefined || other === undefined ? plan : { ...plan, parts: { relation, plans: [one, other] } };
}

/** A part of a question has the question's time, unless it names its own. */
function withinSpan(part: Plan, { deadline, from }: Plan): Plan {
  return { ...part, deadline: part.deadline ?? deadline, from: part.from ?? from };
}

function simplePlanOf(question: string, criteria: string, now: number): Plan {
  const asked = question.slice(0, MAX_QUESTION);
  const rules = criteria.slice(0, MAX_CRITERIA);
  const statement = statementOf(asked);
  const dates = datesOf(statement, now);
  const language = languageOf(asked);
  const all = quantitiesOf(statement, language, dates);
  const numbers = all.filter((one) => !isCounting(statement, dates, one));
  const others = [
    ...dates,
    ...all.filter(
      (number) => !isContestWon(statement, number) && (!numbers.includes(number) || !isName(statement, number)),
    ),
  ];
  const terms = termsOf(statement, language, others);
  const order = firstNumberOf(`${asked}\n${rules}`, languageOf(asked));
  const span = spanOf(statement, rules, { now, order });
  const resolutionSource = resolutionSourceOf(asked, rules);
  return {
    question,
    criteria,
    statement,
    isClaim: FRAME.test(asked.trim()),
    negated: isEventNegated(withoutQuotations(statement)),
    terms: terms.map((word) => word.stem),
    names: terms.filter((word) => word.capital).map((word) => word.stem),
    thresholds: thresholdsOf(statement, numbers),
    ...span,
    resolutionSource,
    queries: queriesOf(statement, terms, resolutionSource?.host ?? resolutionSource?.name, language),
  };
}

/** The question without its frame, the quotation marks around it and its question mark. */
function statementOf(question: string): string {
  let text = question.trim().replace(/\s+/gu, " ");
  for (let n = 0; n < 2; n += 1) text = text.replace(FRAME, "").trim();
  text = text.replace(/[?？¿\s]+$/u, "").replace(/^¿/u, "");
  const whole = /^["“«„']([^"“”«»„]*)["”»“'][.]?$/u.exec(text);
  return inPlainWords((whole?.[1] ?? text).trim());
}

function withoutQuotations(text: string): string {
  return text.replace(/["“«„][^"“”«»„]{0,400}["”»]/gu, " ");
}

/** The words that matter, each once, names and numbers first. Words inside `others`, such as dates, do not count. */
function termsOf(
  statement: string,
  language: Language | undefined,
  others: readonly { readonly start: number; readonly end: number }[],
): Word[] {
  const seen = new Set<string>();
  const kept: Word[] = [];
  const words = wordsOf(statement);
  const grammar = GRAMMARS[language ?? "en"];
  for (const [index, word] of words.entries()) {
    if (
      isDescription(words, index) ||
      (!isGivenName(words, index) && (isFunctionWord(word.text, grammar) || isStopWord(word.text, language))) ||
      COMPARING.test(word.text) ||
      seen.has(word.stem) ||
      (word.text.length < 2 && !word.capital)
    )
      continue;
    if (others.some((other) => overlap(word, other))) continue;
    // "by the end of June"
    const isMeeting = MEETING.test(word.text);
    const isBefore = others.some(({ start }) => OF_DATE.test(statement.slice(word.end, start)));
    if ((isMeeting || WORDS.time.has(word.text)) && isBefore) continue;
    if (isMeeting && others.some(({ end }) => OF_DATE.test(statement.slice(end, word.start)))) continue;
    seen.add(word.stem);
    kept.push(
      index === 0 || (language === "de" && isGermanNoun(words[index - 1])) ? { ...word, capital: false } : word,
    );
  }
  return kept.slice(0, MAX_TERMS);
}

const OF_DATE = /^\s(?:(?:of|on|in|de|del|di|do|des|the|am|im|vom)\s)?$/u;
/** "at its meeting on 10 September", "at its September meeting": the date says when. */
const MEETING = /^(?:meeting|sitting|session|sitzung|reunion|riunione|reuniao)$/u;

/** German nouns have capital letters too. After an article or a number, such a word is common. */
function isGermanNoun(previous: Word | undefined): boolean {
  return (
    previous !== undefined &&
    (/^\d|^(?:im|am|zum|zur|vom|beim)$/u.test(previous.text) ||
      GRAMMARS.de.determiner.has(previous.text) ||
      UNITS.test(previous.text))
  );
}

const UNITS = /^(?:millionen|milliarden|euro|prozent|tonnen|firma|trainer)$/u;

/** "Did Will Marsh win?", "Governor Per Lund": a name that is a function word or a stop word, too. */
function isGivenName(words: readonly Word[], at: number): boolean {
  const isTitleCase = !words.some(({ capital, text }, n) => n > 0 && !capital && text.length > 2);
  const isNamed = words[at]?.capital === true && words[at + 1]?.capital === true && beside(words, at);
  return at > 0 && isNamed && !isTitleCase && !NO_NAME.test(words[at]?.text ?? "");
}

const NO_NAME = /^(?:an?|the|of|in|on|at|to|for|from|by|with|and|or|as|than|before|after|under|over|between)$|^.$/u;

/** "the weather satellite Kestrel": words between an article and a name describe what the name says already. */
function isDescription(words: readonly Word[], at: number): boolean {
  let name = at;
  while (name < at + 4 && words[name]?.capital === false && beside(words, name)) name += 1;
  let article = at;
  const isStart = (n: number): boolean => ARTICLE.test(words[n]?.text ?? "") || isAuthorMark(words, n);
  while (article > at - 4 && words[article]?.capital === false && !isStart(article)) article -= 1;
  return (
    name > at &&
    words[name]?.capital === true &&
    /^\p{L}/u.test(words[name]?.text ?? "") &&
    !isVerbAt(words, name - 1) &&
    !words.slice(Math.max(0, article) + 1, name).some(({ text }) => STOP_WORDS.has(text)) &&
    // "Sora Kim's album Tidal"
    isStart(article) &&
    article < at &&
    !words.slice(article + 1, name).some(({ text }) => text === "s" || ORDER.test(text))
  );
}

/** The "s" behind the name of the author of a work. */
function isAuthorMark(words: readonly Word[], at: number): boolean {
  const [author, mark, work] = [words[at - 1], words[at], words[at + 1]];
  const isMark = author?.capital === true && mark?.text === "s" && mark.start === author.end + 1;
  return isMark && WORDS.work.has(work?.text);
}

/** "Did the council elect Marlow", "did the regulator fine Tecnova": the word before a name is the verb. */
function isVerbAt(words: readonly Word[], at: number): boolean {
  if (!WORDS.generic.has(words[at]?.text) && conceptsIn(words.slice(at, at + 1)).size > 0) return true;
  const behind = words.findIndex(({ capital }, n) => n > at && !capital);
  const isLast = behind < 0 || GRAMMARS.en.preposition.has(words[behind]?.text);
  return words[0]?.text === "did" && isLast && !ARTICLE.test(words[at - 1]?.text ?? "");
}

const ARTICLE = /^(?:the|der|die|das|den|dem|le|la|les|l'|el|los|las|il|lo|o|a|os|as)$/u;
const ORDER =
  /^(?:first|second|third|last|next|former|deputy|vice|acting|under|junior|women|men|girls|boys|domestic|net|gross|non)$/u;

function beside(words: readonly Word[], at: number): boolean {
  const [word, next] = [words[at], words[at + 1]];
  return word !== undefined && next !== undefined && next.start - word.end === 1;
}

/**
 * 2 to 5 different queries: the statement, its words without function words, its names, the source that decides, fact
 * checks.
 */
function queriesOf(
  statement: string,
  terms: readonly Word[],
  source: string | undefined,
  language: Language | undefined,
): string[] {
  const content = statement
    .split(" ")
    .filter((word) => !isStopWord(word.toLowerCase().replace(/[^\p{L}\p{N}]+$/u, ""), language));
  const names = terms.filter((word) => word.capital).map((word) => statement.slice(word.start, word.end));
  const rest = terms.filter((word) => !word.capital).map((word) => statement.slice(word.start, word.end));
  const base = content.length === 0 ? [statement] : content;
  const candidates = [
    base.slice(0, MAX_QUERY_WORDS).join(" "),
    statement,
    names.length === 0 ? "" : [...names, ...rest.slice(0, 4)].slice(0, 8).join(" "),
    source === undefined ? "" : `${source} ${base.slice(0, 8).join(" ")}`,
    `${base.slice(0, 8).join(" ")} result`,
    `${base.slice(0, 8).join(" ")} fact check`,
  ];
  const different = new Map<string, string>();
  for (const candidate of candidates) {
    const query = candidate.replace(/\s+/gu, " ").trim().slice(0, MAX_QUERY_LENGTH).toWellFormed();
    const key = query.toLowerCase();
    if (query !== "" && !different.has(key)) different.set(key, query);
  }
  return [...different.values()].slice(0, 5);
}
