import { type Relation } from "../reading/analysis.ts";
import { conceptsAt } from "../reading/concepts.ts";
import { datesOf } from "../reading/dates.ts";
import { type Grammar, GRAMMARS, isFunctionWord, type Reader } from "../reading/grammar.ts";
import { nounPhraseEnd, secondPhrase } from "../reading/noun-phrases.ts";
import { predicateOf } from "../reading/predicates.ts";
import { ADVERB, groupOf, type Token, undatedTokensOf } from "../reading/spans.ts";
import { WORDS } from "../reading/vocabulary.ts";
import { WordClass } from "../reading/word-classes.ts";
import { IRREGULAR_PAST, isRomance, type Language } from "../reading/words.ts";
import { until } from "../reading/until.ts";

/** A question of two events, as two questions of one event each. */
export interface Parts {
  readonly relation: Relation;
  readonly first: string;
  readonly second: string;
}

/** A question or a part of one, and its words without dates. */
interface Read extends Reader {
  readonly now: number;
  readonly text: string;
  readonly tokens: readonly Token[];
}

const BEFORE = new WordClass("before avant bevor vor antes prima");
const AFTER = new WordClass("after apres nachdem nach despues dopo depois");
const IF = new WordClass("if falls wenn si se caso");
const THEN = new WordClass("then dann alors entonces allora entao");
const AND = new WordClass("and und et y e ed but aber mais pero ma mas");
const OR = new WordClass("or oder ou o");
const BOTH = new WordClass("both sowohl tanto sia");
/** "And" behind a word of BOTH. */
const AS_WELL = new WordClass("and als como quanto sia");

/** The two events of a question. Undefined if it asks for one. Dates without a year get the year nearest to `now`, Unix ms. */
export function partsOf(question: string, language: Language, now: number): Parts | undefined {
  const text = question.trim().replace(/^¿|[?？\s]+$/gu, "");
  const read = readOf(text, { grammar: GRAMMARS[language], language, now });
  return conditionIn(read) ?? orderIn(read) ?? pairIn(read);
}

function readOf(text: string, { grammar, language, now }: Omit<Read, "text" | "tokens">): Read {
  return { grammar, language, now, text, tokens: undatedTokensOf(text, datesOf(text, now)) };
}

function partsFrom(relation: Relation, ...questions: [string, string]): Parts {
  const [first = "", second = ""] = questions.map((text) => `${text.trim().replace(/,$/u, "").replace(/\s+/gu, " ")}?`);
  return { relation, first, second };
}

/** The pronoun behind the auxiliary that begins a question. */
const PRONOUN = /^(\p{L}+\s)(?:he|she|it)(?=\s)/iu;

/** "If the tunnel opens, will the toll fall?" */
function conditionIn(read: Read): Parts | undefined {
  const {
    text,
    tokens: [opener, ...tokens],
  } = read;
  const main = tokens.find(({ gap }, n) => n > 0 && gap.includes(","));
  if (!IF.has(opener?.text) || main === undefined) return undefined;
  const start = THEN.has(main.text) ? main.end : main.start;
  const first = text.slice(opener?.end, main.start);
  const names = first.match(/\p{Lu}[\p{L}'’-]+(?:\s\p{Lu}[\p{L}'’-]+)*/gu) ?? [];
  // A pronoun in the second clause is the subject of the first, or its only name.
  const second = text.slice(start);
  const subject = subjectOf(readOf(first.trim(), read)) ?? (names.length === 1 ? names[0] : undefined);
  const named = subject === undefined ? second : second.replace(PRONOUN, (_, auxiliary: string) => auxiliary + subject);
  return partsFrom("if", first, named);
}

/** The subject of a statement of one event. */
function subjectOf(read: Read): string | undefined {
  const subject = frameOf(read)?.subject;
  return subject && read.text.slice(subject[0]?.start, subject.at(-1)?.end);
}

/** "Did A happen before B happened?", "Did A happen before B?" */
function orderIn(read: Read): Parts | undefined {
  const { text, tokens, grammar, language, now } = read;
  const at = tokens.findIndex((token, n) => n > 1 && (BEFORE.has(token.text) || AFTER.has(token.text)));
  // "antes de que", "prima di", "avant que"
  const from = tokens.findIndex((one, n) => n > at && !grammar.that.has(one.text) && !WORDS.of.has(one.text));
  const [word, start] = [tokens[at], tokens[from]];
  if (word === undefined || start === undefined) return undefined;
  const noun = tokens.slice(from).find((one) => !isFunctionWord(one.text, grammar)) ?? start;
  // A time is not an event.
  if (WORDS.time.has(noun.text) && (language === "de" || !noun.capital)) return undefined;
  if (datesOf(text.slice(word.end, noun.start), now).length > 0) return undefined;
  // "before the window closes on 1 September": the day is the deadline.
  if (datesOf(text.slice(word.end), now).some(({ precision }) => precision === "day")) return undefined;
  const tail = readOf(text.slice(start.start), read);
  // "Hat Anna vor Berta das Ziel erreicht": the verb stands last.
  const isInside = language === "de" && grammar.preposition.has(word.text);
  const behind = tail.tokens[Math.min(nounPhraseEnd(tail.tokens, grammar), tail.tokens.length - 1)];
  const end = isInside && behind !== undefined ? behind.start : tail.text.length;
  const first = text.slice(0, word.start) + tail.text.slice(end);
  const second = eventIn(readOf(tail.text.slice(0, end), read), frameOf(readOf(first, read)));
  return partsFrom(BEFORE.has(word.text) ? "before" : "after", first, second);
}

/** The second event of an order: a clause of its own, or what it does not share with the first one. */
function eventIn(tail: Read, frame: Frame | undefined): string {
  const { text, tokens, grammar } = tail;
  const [first, last] = [tokens[0], tokens.at(-1)];
  if (frame === undefined || first === undefined || last === undefined) return text;
  // "before Y did"
  if (last !== first && isAuxiliary(last, grammar)) return frame.about(text.slice(0, last.start));
  // "antes de recibir el premio", "before resigning"
  if (!first.capital && (grammar.infinitive.test(first.text) || /.ing$/u.test(first.text))) return frame.asking(text);
  const phrase = until(tokens, (one, n) => n > 0 && grammar.preposition.has(one.text) && !WORDS.of.has(one.text));
  const nouns = phrase.filter((one) => !isFunctionWord(one.text, grammar));
  // "the tunnel at Marl" and "the bridge at Denby"
  const place = tokens.findIndex(
    (one, n) => n > 0 && one.capital && isPlaced(tokens, n) && !WORDS.of.has(tokens[n - 1]?.text),
  );
  const isParallel = frame.subject.some(
    (one, n) => one.capital && isPlaced(frame.subject, n) && frame.subject[n - 1]?.text === tokens[place - 1]?.text,
  );
  if (isParallel && !tokens.some((_, at) => isVerbAt(tail, at))) return frame.about(text);
  // Another thing of the subject's kind: two names, or a noun of both
  const isLike =
    nouns.some(({ stem }) => frame.subject.some((word) => word.stem === stem)) ||
    (nouns.at(-1)?.capital === true && frame.subject.some(({ capital }) => capital));
  // "quello di Castagneto" does not say of what kind it is.
  if (!isLike || WORDS.of.has(tokens[1]?.text) || tokens.some((_, at) => isVerbAt(tail, at))) return text;
  return frame.about(text.slice(0, phrase.at(-1)?.end));
}

function isPlaced(tokens: readonly Token[], at: number): boolean {
  return GRAMMARS.en.preposition.has(tokens[at - 1]?.text);
}

/** "Did A act and did B act?", "Did A act and react?", "Did both A and B act?" */
function pairIn(read: Read): Parts | undefined {
  const { text, tokens } = read;
  const at = tokens.findIndex((word) => BOTH.has(word.text));
  const both = tokens[at];
  // "o" is "or" in Italian and Spanish, and an article in Portuguese.
  const chosen = read.language === "pt" ? undefined : joinedIn(read, OR);
  if (both === undefined) return joinedIn(read, AND) ?? chosen ?? namesIn(read, 1, OR);
  const before = text.slice(0, both.start);
  const joined = joinedIn(readOf(before + text.slice(both.end).trim(), read), AS_WELL);
  return joined ?? namesIn(read, at + 1, AS_WELL, (predicateOf(tokens, read.grammar, read.language) ?? at) < at);
}

/**
 * "the shareholders of both Aldine Bank and Fenwick Bank approve", "will Sillo or Tern close": two names share the other words.
 * Objects need no capital: "win both the 100 metres and the 200 metres".
 */
function namesIn(
  { text, tokens, grammar }: Read,
  from: number,
  conjunctions: WordClass,
  isObject = false,
): Parts | undefined {
  const at = tokens.findIndex((word, n) => n > from && conjunctions.has(word.text));
  const isName = ({ capital, text: word }: Token): boolean =>
    capital || grammar.determiner.has(word) || WORDS.of.has(word) || (isObject && !grammar.preposition.has(word));
  const end = tokens.findIndex((word, n) => n > at && !isName(word));
  const [first, second] = [tokens.slice(from, Math.max(at, 0)), tokens.slice(at + 1, end < 0 ? undefined : end)];
  const isNamed = (names: readonly Token[]): boolean => isObject || names.some(({ capital }) => capital);
  if (at < 0 || [first, second].some((names) => !isNamed(names) || !names.every(isName))) return undefined;
  const [before, rest] = [text.slice(0, tokens[from - 1]?.start), tokens[end]?.start ?? text.length];
  const lead = BOTH.has(tokens[from - 1]?.text) ? before : text.slice(0, first[0]?.start);
  // "the Senate and the Assembly of Corland"
  const owner = first.some((word) => WORDS.of.has(word.text))
    ? undefined
    : second.find((word) => WORDS.of.has(word.text));
  const shared = owner === undefined ? "" : text.slice(owner.start, second.at(-1)?.end);
  const one = `${text.slice(first[0]?.start, first.at(-1)?.end)} ${shared}`;
  const other = text.slice(second[0]?.start, second.at(-1)?.end);
  const [left, right] = [lead, text.slice(rest)];
  return partsFrom(conjunctions === OR ? "or" : "and", `${left} ${one} ${right}`, `${left} ${other} ${right}`);
}

/** The two predicates, or the two clauses, that a conjunction joins. */
function joinedIn(read: Read, conjunctions: WordClass): Parts | undefined {
  const { text, tokens } = read;
  for (const [at, word] of tokens.entries()) {
    const start = conjunctions.has(word.text) ? tokens.slice(at + 1).find((one) => !ADVERB.test(one.text)) : undefined;
    if (start === undefined) continue;
    const head = readOf(text.slice(0, word.start), read);
    const second = joinedTo(head, readOf(text.slice(start.start), read));
    if (second !== undefined) return partsFrom(conjunctions === OR ? "or" : "and", head.text, second);
  }
  return undefined;
}

/** The second of two joined events. Undefined if one of them has no verb. */
function joinedTo(head: Read, tail: Read): string | undefined {
  const { text, tokens, grammar, language } = tail;
  const frame = frameOf(head);
  const [[auxiliary], [first, next]] = [head.tokens, tokens];
  if (frame === undefined || first === undefined) return undefined;
  const clause = isAuxiliary(auxiliary, grammar) ? `${head.text.slice(0, auxiliary?.end)} ${text}` : text;
  if (language === "de") {
    const isPair = [head, tail].every((read) => isVerbAt(read, read.tokens.length - 1));
    // "und das Land die Steuer erhöht": two noun phrases
    return !isPair ? undefined : secondPhrase(tokens, grammar) < tokens.length ? clause : frame.asking(text);
  }
  // "and did the government withdraw"
  if (isAuxiliary(first, grammar)) return beginsPhrase(next, grammar) ? text : undefined;
  const isVerb = frame.isBare || isVerbAt(tail, 0) || beginsPhrase(next, grammar);
  if (!beginsPhrase(first, grammar))
    return isVerb && !isFunctionWord(first.text, grammar) ? frame.asking(text) : undefined;
  // "and the cabinet win the vote"
  const hasVerb = tokens.some(
    (word, n) => n > 1 && (isAuxiliary(word, grammar) || (isVerbAt(tail, n) && beginsPhrase(tokens[n + 1], grammar))),
  );
  return hasVerb ? clause : undefined;
}

/** A question that can be asked about another subject, or with another predicate. */
interface Frame {
  readonly subject: readonly Token[];
  /** Whether the verb is the last word. */
  readonly isBare: boolean;
  readonly about: (subject: string) => string;
  readonly asking: (predicate: string) => string;
}

/** Finds the subject and the verb of a question. */
function frameOf({ text, tokens, grammar, language }: Read): Frame | undefined {
  const at = predicateOf(tokens, grammar, language);
  if (at === undefined) return undefined;
  const isFirst =
    isRomance(language) && tokens.slice(0, at).every((word) => isAuxiliary(word, grammar) || word.text === "se");
  const from = isFirst ? at + 1 : Number(isAuxiliary(tokens[0], grammar));
  const clause = { start: from, end: tokens.length, opener: undefined };
  const to = isFirst
    ? from + secondPhrase(tokens.slice(from), grammar)
    : language === "de"
      ? nounPhraseEnd(tokens.slice(0, at), grammar)
      : groupOf(tokens, at, clause, { grammar, language }).start;
  if (to <= from) return undefined;
  const lead = text.slice(0, tokens[from - 1]?.end ?? 0);
  const own = text.slice(lead.length, tokens[to]?.start).trim();
  return {
    subject: tokens.slice(from, to),
    isBare: at === tokens.length - 1,
    about: (other) => `${lead} ${other} ${text.slice(tokens[to]?.start ?? text.length)}`,
    asking: (predicate) =>
      !isFirst
        ? `${text.slice(0, tokens[language === "de" ? to : at]?.start)} ${predicate}`
        : // "y votó Luis" has a subject of its own.
          predicate.replace(/^\S+(?!\S)(?!\s\p{Lu})/u, `$& ${own}`),
  };
}

function isAuxiliary(word: Token | undefined, { be, have, modal }: Grammar): boolean {
  return [be, have, modal].some((words) => words.has(word?.text));
}

function beginsPhrase(word: Token | undefined, { determiner, preposition, pronoun }: Grammar): boolean {
  const isSmall = pronoun.has(word?.text) || (determiner.has(word?.text) && !preposition.has(word?.text));
  return word?.capital === true || isSmall;
}

function isVerbAt({ tokens, grammar, language }: Read, at: number): boolean {
  const word = tokens[at];
  if (word === undefined || word.capital || grammar.determiner.has(tokens[at - 1]?.text)) return false;
  return (
    isAuxiliary(word, grammar) ||
    conceptsAt(tokens, at).size > 0 ||
    IRREGULAR_PAST.has(word.text) ||
    (!isRomance(language) && /(?:ed|en)$/u.test(word.text))
  );
}
