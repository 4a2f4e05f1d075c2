import { type Passage } from "../evidence/passages.ts";
import { type NamedDate } from "../reading/dates.ts";
import { conceptsAt, areContrary } from "../reading/concepts.ts";
import { type Grammar, GRAMMARS, isFunctionWord } from "../reading/grammar.ts";
import { type ReadSentence, type Token } from "../reading/spans.ts";
import { isForm, isStopWord, type Language, wordsOf } from "../reading/words.ts";
import { OPEN, PLANNED } from "../reading/phrases.ts";
import { OUTCOMES, WORDS } from "../reading/vocabulary.ts";
import { type Argument, isWhole } from "../reading/noun-phrases.ts";
import { type Asked } from "./question.ts";
import { isWithin } from "../reading/ranges.ts";
import { until } from "../reading/until.ts";

/** An entry of a register, a table or a list of results. The page is about its subject: "Signed: 9 June 2026". */
interface Entry {
  readonly label: readonly Token[];
  readonly value: readonly Token[];
  readonly start: number;
  readonly end: number;
  /** Whether the value is a day, or names one. */
  readonly isDated: boolean;
  readonly hasDate: boolean;
}

export interface Recorded {
  /** 0 if the entry is empty, or names what is to come. */
  readonly sign: -1 | 0 | 1;
  /** Whether it names another holder. */
  readonly isOther: boolean;
  readonly part: { readonly start: number; readonly end: number };
}

const LABEL_WORDS = 7;
/** Words of a value that only names the outcome: "Budget 2026: approved (31 to 19)". */
const SHORT = 6;
const FAMILY = 5;

/** Reads an entry whose label or value names the question's predicate, or what only one can win. */
export function recorded(
  asked: Asked,
  { text, near }: Passage,
  { dates, tokens, language }: ReadSentence,
): Recorded | undefined {
  if (asked.language !== language || asked.predicate === undefined || asked.thresholds.length > 0) return undefined;
  const reader = { asked, near, language, grammar: GRAMMARS[language] };
  const ranked = rankedIn(text, asked, near);
  if (ranked !== undefined) return ranked;
  for (const entry of entriesOf(text, tokens, dates)) {
    const sign = signOf(entry, text.slice(entry.start, entry.end), reader);
    if (sign === undefined) continue;
    return { sign, isOther: sign === -1 && !entry.hasDate, part: { start: entry.start, end: entry.end } };
  }
  return undefined;
}

/** "2. Petra Vance 8": a place in a list of results whose page names what is won. "2026: Samuel Kessel": a list of winners. */
function rankedIn(
  text: string,
  { agent, patient, names, outcomes, years }: Asked,
  near: ReadonlySet<string>,
): Recorded | undefined {
  if (agent === undefined || patient === undefined || !outcomes.has("win")) return undefined;
  if (![...patient.words].every((word) => near.has(word))) return undefined;
  const own = [...agent.words].filter((word) => names.has(word));
  if (own.length === 0) return undefined;
  for (const match of text.matchAll(/(?<=^|[.;]\s+|\n)(\d{1,4})(?:\.|\s?:)\s+(\p{Lu}.*?)(?=[.;]\s|\.?$|\n)/gmu)) {
    const [whole, number = "", value = ""] = match;
    const stems = new Set(wordsOf(value).map(({ stem }) => stem));
    const isOwn = own.every((word) => stems.has(word));
    const isYear = number.length === 4;
    if (isYear ? !years.has(Number(number)) : !isOwn || !/\d/u.test(value)) continue;
    const part = { start: match.index, end: match.index + whole.length };
    return { sign: isYear ? (isOwn ? 1 : -1) : number === "1" ? 1 : -1, isOther: isYear && !isOwn, part };
  }
  return undefined;
}

interface Reader {
  readonly asked: Asked;
  readonly near: ReadonlySet<string>;
  readonly language: Language;
  readonly grammar: Grammar;
}

/** The outcome by an entry. Undefined if it is about something else. */
function signOf(entry: Entry, text: string, reader: Reader): -1 | 0 | 1 | undefined {
  const { label, value, isDated, hasDate } = entry;
  const { asked, near, grammar } = reader;
  const { agent, patient } = asked;
  const subject = patient ?? agent;
  // "Opening (expected): 12 May 2026"
  const isShort = value.length <= SHORT;
  if (isShort && PLANNED.test(text) && [...label, ...value].some((_, at, all) => outcomeAt(all, at, reader) !== 0))
    return 0;
  // "Heron: launched 6 May 2026"
  const said = isDated ? 0 : outcomeAt(value, 0, reader);
  if (said !== 0 && (hasDate || isShort) && subject !== undefined && isWhole(subject, label) && !OPEN.test(text))
    return said;
  if (
    label.length === 1 &&
    WORDS.status.has(label[0]?.text) &&
    subject !== undefined &&
    covers(subject, near, asked.names)
  ) {
    const signs = value.map((_, at) => outcomeAt(value, at, reader)).filter((one) => one !== 0);
    if (signs.length > 0) return OPEN.test(text) || new Set(signs).size > 1 ? 0 : signs[0];
  }
  const head = until(label, (word) => grammar.by.has(word.text));
  if (!head.every((word) => isOfQuestion(word, reader))) return undefined;
  const isNamed = head.some((_, at) => outcomeAt(head, at, reader) === 1);
  const isContrary = head.some((_, at) => outcomeAt(head, at, reader) === -1);
  const isHeld =
    patient !== undefined &&
    (([...asked.outcomes].some((one) => OUTCOMES.held.has(one)) && isWhole(patient, head)) || isTitle(head, reader));
  if (!isNamed && !isContrary && !isHeld) return undefined;
  if (!isHeld && (subject === undefined || !covers(subject, near, asked.names))) return undefined;
  if (OPEN.test(text)) return 0;
  if (isDated && !isHeld) return isNamed ? 1 : -1;
  return isContrary ? undefined : holderOf(entry, asked);
}

/** "Best actor" for "the Silver Mask for best actor", "National record" for "a new national record". */
function isTitle(head: readonly Token[], { asked: { agent, patient, outcomes }, near }: Reader): boolean {
  if (patient === undefined) return false;
  if (head.some(({ stem }) => agent?.words.has(stem))) return false;
  const isRecord = outcomes.has("break") && head.some(({ stem }) => patient.heads.has(stem));
  return isRecord || (outcomes.has("win") && head.length > 1 && [...patient.words].every((word) => near.has(word)));
}

/** Whether the value names the question's actor. Another name excludes it, since the entry is complete. */
function holderOf({ label, value }: Entry, { agent, patient, names }: Asked): -1 | 1 | undefined {
  const own = [...(agent?.words ?? [])].filter((word) => names.has(word) && !label.some(({ stem }) => stem === word));
  if (own.length === 0) return undefined;
  if (own.every((word) => value.some(({ stem }) => stem === word))) return 1;
  const isOther =
    patient !== undefined &&
    value[0]?.capital === true &&
    /^\p{L}/u.test(value[0].text) &&
    !value.some(({ stem }) => own.includes(stem));
  return isOther ? -1 : undefined;
}

/** Whether the page names an argument: its head, and most of its names. */
function covers({ heads, words }: Argument, near: ReadonlySet<string>, names: ReadonlySet<string>): boolean {
  const own = [...words].filter((word) => names.has(word) && !heads.has(word));
  const named = own.filter((word) => near.has(word));
  // "Winner: Calder City", if the page does not name the women's cup
  if ([...words].some((word) => WORDS.lesser.has(word) && !near.has(word))) return false;
  return [...heads].every((head) => near.has(head)) && (own.length === 0 || named.length >= own.length / 2);
}

/** "Assistant director" is not the director: each content word of a label must be of the question. */
function isOfQuestion(word: Token, { asked, grammar, language }: Reader): boolean {
  return (
    asked.terms.has(word.stem) ||
    isFunctionWord(word.text, grammar) ||
    isStopWord(word.text, language) ||
    outcomeAt([word], 0, { asked, language }) !== 0
  );
}

/** 1 if a word is of the predicate's family, -1 if it names a contrary outcome. */
function outcomeAt(
  words: readonly Token[],
  at: number,
  { asked, language }: Pick<Reader, "asked" | "language">,
): -1 | 0 | 1 {
  const { predicate, outcomes } = asked;
  const word = words[at];
  if (word === undefined || predicate === undefined) return 0;
  const found = conceptsAt(words, at);
  const beginning = predicate.text.slice(0, Math.max(FAMILY, predicate.stem.length - 3));
  if ([...outcomes].some((one) => found.has(one)) || isForm(word, predicate, language)) return 1;
  if (beginning.length >= FAMILY && word.text.startsWith(beginning)) return 1;
  return [...found].some((one) => [...outcomes].some((other) => areContrary(one, other))) ? -1 : 0;
}

/** The entries of a passage, which can hold several in a line. */
function entriesOf(text: string, tokens: readonly Token[], dates: readonly NamedDate[]): Entry[] {
  const entries: Entry[] = [];
  for (const match of text.matchAll(
    /(?<=^|[.;|]\s+)([^\s.:;|][^.:;|]{0,80})\s?:\s+([^;|\n]+?)(?=\.\s+(?=\p{Lu})|\.?$|[;|])/gmu,
  )) {
    const [whole, label = "", value = ""] = match;
    const start = match.index;
    const end = start + whole.length;
    const valueStart = end - value.length;
    const words = tokens.filter((token) => isWithin(token, { start, end }));
    const own = words.filter((token) => token.end <= start + label.length);
    if (own.length === 0 || own.length > LABEL_WORDS) continue;
    const days = dates.filter((date) => date.precision === "day" && isWithin(date, { start: valueStart, end }));
    const isDated = days.some((date) => date.start <= valueStart + 2);
    entries.push({ label: own, value: words.slice(own.length), start, end, isDated, hasDate: days.length > 0 });
  }
  return entries;
}
