import { type NamedDate } from "./dates.ts";
import { conceptsIn } from "./concepts.ts";
import { type Grammar, isFunctionWord, type Reader } from "./grammar.ts";
import { isPast, type Language, type Word, wordsOf } from "./words.ts";
import { overlap } from "./ranges.ts";
import { until } from "./until.ts";

/** A word of a sentence with the marks before it. */
export interface Token extends Word {
  /** The characters between the word before and this one. */
  readonly gap: string;
  /** Whether it stands in quotation marks with at least three other words. */
  readonly isQuoted: boolean;
}

/** A sentence: its language, its dates and its other words. */
export interface ReadSentence {
  readonly language: Language;
  readonly dates: readonly NamedDate[];
  readonly tokens: readonly Token[];
}

const LONGEST_MENTION = 3;
/** Adverbs. They do not change what a verb states. */
export const ADVERB =
  /(?<!^(?:app|assemb|fami|f|ear|ital|ju|monopo|rall|ral|rep|supp|comp|mult))ly$|(?:mente|amment|emment)$|^(?:also|already|then|now|just|finally|later|longer|today|again|soon|still|yet|even|thus|formally|once|twice|auch|bereits|dann|nun|schon|endlich|heute|wieder|noch|deja|aussi|enfin|encore|ya|tambien|finalmente|gia|anche|ancora|ja|tambem)$/u;
/** Marks that end a clause. A colon in "2:05" does not. */
export const HARD = /[;()[\]—–…\n\t]|:(?!$)|\s-\s/u;

function tokensOf(text: string, words: readonly Word[]): Token[] {
  const quoted = quotationsOf(text);
  let end = 0;
  return words.map((word) => {
    const gap = text.slice(end, word.start);
    ({ end } = word);
    return { ...word, gap, isQuoted: quoted.some(([from, to]) => from < word.start && word.end <= to) };
  });
}

/** The words of a sentence without its dates, which are read apart. A date between two commas, or at the start, leaves no mark. */
export function undatedTokensOf(
  text: string,
  dates: readonly { readonly start: number; readonly end: number }[],
  words: readonly Word[] = wordsOf(text),
): Token[] {
  const kept: Token[] = [];
  let isAfterDate = false;
  let mark = "";
  let hasComma = false;
  let governor: Token | undefined;
  for (const token of tokensOf(text, words)) {
    // "in Sunday's final": the preposition is that of the noun.
    if (isAfterDate && token.text === "s" && /^['’]$/u.test(token.gap)) {
      if (governor !== undefined) kept.push(governor);
      continue;
    }
    // "on Monday evening"
    if (isAfterDate && PART_OF_DAY.test(token.text) && token.gap === " ") continue;
    if (dates.some((date) => overlap(token, date))) {
      if (!isAfterDate || HARD.test(token.gap)) mark = HARD.test(token.gap) ? token.gap : "";
      if (!isAfterDate) {
        hasComma = token.gap.includes(",");
        // "Until June 2026 the ferry": the preposition of a date goes with it.
        const isGoverned = DATE_PREPOSITION.test(kept.at(-1)?.text ?? "") && /^\s*$/u.test(token.gap);
        governor = isGoverned ? kept.pop() : undefined;
        if (governor !== undefined) hasComma = governor.gap.includes(",");
        // "the reform early on 28 October", "bis zum 30. Juni"
        if (isGoverned) while (NEAR_DATE.test(kept.at(-1)?.text ?? "")) kept.pop();
      }
      isAfterDate = true;
      continue;
    }
    // "(2024: 1.93 billion)": the mark before the date parts the next word from the words before.
    const gap = isAfterDate
      ? `${mark}${(hasComma || kept.length === 0) && /^,?\s*$/u.test(token.gap) ? " " : token.gap}`
      : token.gap;
    kept.push({ ...token, gap });
    isAfterDate = false;
  }
  return kept;
}

const PART_OF_DAY =
  /^(?:morning|lunchtime|afternoon|evening|night|matin|midi|soir|mattina|pomeriggio|sera|notte|abend|vormittag|nachmittag|nacht)$/u;
const NEAR_DATE = /^(?:early|late|shortly|bis|avant|antes|hasta|entro|ate|prima)$/u;
const DATE_PREPOSITION =
  /^(?:until|till|by|on|in|for|since|before|after|from|during|of|bis|zum|seit|am|im|vor|nach|ab|vom|le|du|en|depuis|avant|apres|el|del|desde|hasta|il|dal|dall'|entro|em|de|ate|a|no|na)$/u;

/** The spans in quotation marks of more than a few words. A shorter one is a title or a term. */
function quotationsOf(text: string): [from: number, to: number][] {
  return [...text.matchAll(/(?:["“„«]([^"“”„«»]{1,600})(?:["”»“]|$)|»([^«»]{1,600})«)/gu)]
    .filter(([, inside = "", german = ""]) => `${inside}${german}`.trim().split(/\s+/u).length > LONGEST_MENTION)
    .map(({ index, 0: whole }): [number, number] => [index, index + whole.length]);
}

/** A clause: positions of its first word and behind its last word. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** The conjunction that opens it, or the word before it. */
  readonly opener: Token | undefined;
}

/** The clause around a word: up to marks, and up to conjunctions that a verb follows. */
export function clauseOf(tokens: readonly Token[], at: number, grammar: Grammar, language: Language): Span {
  let start = at;
  while (start > 0 && !opensAt(tokens, start, grammar, language)) start -= 1;
  let end = at + 1;
  while (end < tokens.length && !opensAt(tokens, end, grammar, language)) end += 1;
  const first = tokens[start];
  const isOpener =
    first !== undefined &&
    (grammar.open.has(first.text) ||
      grammar.clause.has(first.text) ||
      grammar.that.has(first.text) ||
      grammar.and.has(first.text));
  return { start, end, opener: isOpener ? first : undefined };
}

function opensAt(tokens: readonly Token[], at: number, grammar: Grammar, language: Language): boolean {
  const token = tokens[at];
  const last = tokens[at - 1];
  if (token === undefined || last === undefined) return true;
  if (HARD.test(token.gap) || /,\s/u.test(token.gap)) return true;
  // German sets a comma before each clause: "als Trainer", "das Werk" open none. A Portuguese "se" is "if" or "itself".
  if (language === "de" ? !grammar.and.has(token.text) : language === "pt" && token.text === "se") return false;
  if (grammar.open.has(token.text) || grammar.that.has(token.text)) {
    // "that act", "dem, das": a determiner after a preposition or a verb is not a conjunction. "An earthquake could strike": a verb.
    const isOther = grammar.modal.has(token.text) || (token.text === "that" && grammar.preposition.has(last.text));
    return language !== "en" || !isOther;
  }
  if (grammar.clause.has(token.text))
    return (
      !grammar.preposition.has(token.text) ||
      !isNounPhraseAt(tokens, at + 1, grammar) ||
      (language === "en" && hasFiniteVerb(tokens, at + 1, grammar))
    );
  if (!grammar.and.has(token.text)) return false;
  return isVerbAt(tokens, at + 1, grammar, language) || joinsClauses(tokens, at, grammar, language);
}

/** "The panel agreed and the stadium opened": an article after "and", with a verb on both sides. */
function joinsClauses(tokens: readonly Token[], at: number, grammar: Grammar, language: Language): boolean {
  const next = tokens[at + 1];
  if (next === undefined || !grammar.determiner.has(next.text)) return false;
  const isVerb = (word: Token): boolean =>
    grammar.be.has(word.text) ||
    grammar.have.has(word.text) ||
    grammar.modal.has(word.text) ||
    (language === "en" && isPast(word));
  const isMark = (word: Token): boolean => HARD.test(word.gap) || word.gap.includes(",");
  const from = tokens.findLastIndex((word, n) => n < at && isMark(word));
  const behind = until(tokens.slice(at + 1), isMark);
  return tokens.slice(Math.max(0, from), at).some(isVerb) && behind.some(isVerb);
}

/** "before the vote" has a noun phrase, "before Marlow signed" a clause, which looks alike: only a verb beside shows it. */
function isNounPhraseAt(tokens: readonly Token[], at: number, grammar: Grammar): boolean {
  const token = tokens[at];
  return token !== undefined && !grammar.pronoun.has(token.text);
}

/** "after judges declared the vote void", "as the tunnel opened": a past form behind a noun, with an object, an adverbial or nothing behind it. */
function hasFiniteVerb(tokens: readonly Token[], from: number, grammar: Grammar): boolean {
  const isSmall = (word: Token): boolean => grammar.determiner.has(word.text) || grammar.preposition.has(word.text);
  for (let n = from + 1; n < from + 7; n += 1) {
    const [last, word, next] = [tokens[n - 1], tokens[n], tokens[n + 1]];
    if (last === undefined || word === undefined || /[,;:]/u.test(word.gap)) return false;
    // "as dockers at Port Carrow went on strike"
    if (grammar.preposition.has(word.text) && next?.capital !== true) return false;
    if (/^(?:is|are|was|were|has|had|have|did|does|do)$/u.test(word.text)) return true;
    const isEnd = next === undefined || next.capital || /[,;:]/u.test(next.gap) || ADVERB.test(next.text);
    if (isFinite(word, "en") && !isSmall(last) && (isEnd || isFunctionWord(next.text, grammar) || isSmall(next)))
      return true;
  }
  return false;
}

function isVerbAt(tokens: readonly Token[], at: number, grammar: Grammar, language: Language): boolean {
  let next = tokens[at];
  for (let n = at; next !== undefined && ADVERB.test(next.text); n += 1) next = tokens[n + 1];
  if (next === undefined || next.capital) return false;
  if (grammar.be.has(next.text) || grammar.have.has(next.text) || grammar.modal.has(next.text)) return true;
  if (grammar.not.has(next.text) || grammar.pronoun.has(next.text)) return true;
  return language === "en"
    ? isPast(next)
    : grammar.says.has(next.text) || (FINITE.test(next.text) && conceptsIn([next]).size > 0);
}

/** Endings of Romance and German past forms, without accents. */
export const FINITE = /(?:o|aron|ieron|[aei]u|ou|[aei]ram|[aiu]t[oi]|[ai]it|et|te|ten)$/u;

/** Whether a word has the form of a past that can be a verb. */
export function isFinite(word: Word, language: Language): boolean {
  return !word.capital && (language === "en" ? isPast(word) : FINITE.test(word.text));
}

/** A group of verbs that ends with the predicate. */
export interface Group {
  readonly start: number;
  /** The words before the predicate: auxiliaries, negations, adverbs. */
  readonly words: readonly Token[];
}

/** The group of verbs that ends with the predicate. In German it is a bracket around the arguments. */
export function groupOf(tokens: readonly Token[], at: number, clause: Span, { grammar, language }: Reader): Group {
  const belongs = (word: Token): boolean =>
    grammar.be.has(word.text) ||
    grammar.have.has(word.text) ||
    grammar.modal.has(word.text) ||
    grammar.not.has(word.text);
  if (language === "de") {
    const inside = tokens.slice(clause.start, clause.end).filter((word, n) => n + clause.start !== at && belongs(word));
    const first = tokens.findIndex(
      (word, n) => n >= clause.start && n < clause.end && belongs(word) && !grammar.not.has(word.text),
    );
    return { start: first < 0 || first > at ? at : first, words: inside };
  }
  let start = at;
  const isGlue = (word: Token): boolean =>
    belongs(word) ||
    ADVERB.test(word.text) ||
    // "was declared elected", "went bankrupt"
    (language === "en" && /^(?:only|declared|proclaimed|pronounced|goes|went|gone)$/u.test(word.text)) ||
    (grammar.pronoun.has(word.text) && language !== "en") ||
    (language === "en" && word.text === "to");
  while (start > clause.start && isGlue(tokens[start - 1] as Token)) start -= 1; // It is in the clause.
  return { start, words: tokens.slice(start, at) };
}
