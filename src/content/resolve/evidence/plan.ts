import { type Plan } from "../reading/analysis.ts";
import { firstNumberOf } from "../reading/date-order.ts";
import { datesOf } from "../reading/dates.ts";
import { spanOf } from "../reading/deadline.ts";
import { isNegated } from "../reading/negation.ts";
import { resolutionSourceOf } from "../reading/resolution-source.ts";
import { quantitiesOf } from "../reading/quantities.ts";
import { thresholdsOf } from "../reading/thresholds.ts";
import { languageOf, STOP_WORDS, type Word, wordsOf } from "../reading/words.ts";

/** Maximum number of characters of question and criteria that are read. The operation accepts no longer questions. */
const MAX_QUESTION = 2_000;
const MAX_CRITERIA = 20_000;
/** Maximum number of terms that are compared with passages. */
const MAX_TERMS = 40;
/** Words that compare a number. They belong to thresholds. */
const COMPARING =
  /^(?:above|below|least|less|fewer|more|than|exceed\p{L}*|reach\p{L}*|higher|lower|greater|longer|shorter|larger|smaller|between|under|over|percent|million|billion)$/u;
/** Maximum number of words of a query. The index and the search engines read no more. */
const MAX_QUERY_WORDS = 24;
const MAX_QUERY_LENGTH = 300;

const FRAME =
  /^(?:(?:is|was)\s(?:it|this|the\sfollowing(?:\s(?:claim|statement))?)\s(?:really\s)?(?:true|correct|right|accurate|the\scase|a\sfact)(?:\sthat\s|\s?[:,]\s?|\s(?=["“«]))|(?:true\sor\sfalse|fact\scheck|claim|question)\s?[:,]\s|did\sit\shappen\sthat\s|(?:stimmt\ses|ist\ses\swahr),?\sdass\s|est[- ]il\svrai\sque\s|¿?es\s(?:cierto|verdad)\sque\s)/iu;

/** Reads a question and its criteria. Dates without a year get the year nearest to `now`, Unix ms. */
export function planOf(question: string, criteria: string, now: number): Plan {
  const asked = question.slice(0, MAX_QUESTION);
  const rules = criteria.slice(0, MAX_CRITERIA);
  const statement = statementOf(asked);
  const dates = datesOf(statement, now);
  const thresholds = thresholdsOf(statement, dates);
  const numbers = quantitiesOf(statement, languageOf(statement), dates);
  const terms = termsOf(statement, [...dates, ...numbers]);
  const order = firstNumberOf(`${asked}\n${rules}`, languageOf(asked));
  const span = spanOf(asked, rules, { now, order });
  const resolutionSource = resolutionSourceOf(asked, rules);
  return {
    question,
    criteria,
    statement,
    negated: isNegated(withoutQuotations(statement)),
    terms: terms.map((word) => word.stem),
    names: terms.filter((word) => word.capital).map((word) => word.stem),
    thresholds,
    ...span,
    resolutionSource,
    queries: queriesOf(statement, terms, resolutionSource?.host ?? resolutionSource?.name),
  };
}

/** The question without its frame, the quotation marks around it and its question mark. */
function statementOf(question: string): string {
  let text = question.trim().replace(/\s+/gu, " ");
  for (let n = 0; n < 2; n += 1) text = text.replace(FRAME, "").trim();
  text = text.replace(/[?？¿\s]+$/u, "").replace(/^¿/u, "");
  const whole = /^["“«„']([^"“”«»„]*)["”»“'][.]?$/u.exec(text);
  return (whole?.[1] ?? text).trim();
}

function withoutQuotations(text: string): string {
  return text.replace(/["“«„][^"“”«»„]{0,400}["”»]/gu, " ");
}

/** The words that matter, each once, names and numbers first. Words inside `others`, such as dates, do not count. */
function termsOf(statement: string, others: readonly { readonly start: number; readonly end: number }[]): Word[] {
  const seen = new Set<string>();
  const kept: Word[] = [];
  for (const [index, word] of wordsOf(statement).entries()) {
    if (
      STOP_WORDS.has(word.text) ||
      COMPARING.test(word.text) ||
      seen.has(word.stem) ||
      (word.text.length < 2 && !word.capital)
    )
      continue;
    if (others.some((other) => word.start < other.end && other.start < word.end)) continue;
    seen.add(word.stem);
    kept.push(index === 0 ? { ...word, capital: false } : word);
  }
  return kept.slice(0, MAX_TERMS);
}

/**
 * 2 to 5 different queries: the statement, its words without function words, its names, the source that decides, fact
 * checks.
 */
function queriesOf(statement: string, terms: readonly Word[], source: string | undefined): string[] {
  const content = statement
    .split(" ")
    .filter((word) => !STOP_WORDS.has(word.toLowerCase().replace(/[^\p{L}\p{N}]+$/u, "")));
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
