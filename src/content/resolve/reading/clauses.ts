import { type Grammar, type Reader } from "./grammar.ts";
import { attributionAfter, governedBy, HOLDER, isHearsay, isStranger, type Reality, realityOf } from "./reality.ts";
import { ADVERB, clauseOf, type Group, groupOf, HARD, isFinite, type Span, type Token } from "./spans.ts";
import { isPast, isRomance, type Language } from "./words.ts";
import { nounPhraseEnd } from "./noun-phrases.ts";
import { until } from "./until.ts";

/** A predicate in its sentence: how it is presented, and the words around it that can be its arguments. */
export interface Predication {
  readonly reality: Reality;
  readonly isPassive: boolean;
  /** Whether its verb has two objects: "X was awarded the prize". */
  readonly isReceived: boolean;
  /** The words of its clause before and after its group of verbs. */
  readonly before: readonly Token[];
  readonly after: readonly Token[];
  /** Whether it has no subject of its own, so that it shares that of the clause before. `before` is that clause then. */
  readonly isInherited: boolean;
  /** Positions of its clause in the sentence. */
  readonly start: number;
  readonly end: number;
}

/** Reads how a sentence presents the word at `at` as its predicate. */
export function predicationOf(tokens: readonly Token[], at: number, { grammar, language }: Reader): Predication {
  const clause = clauseOf(tokens, at, grammar, language);
  const token = tokens[at];
  const group = groupOf(tokens, at, clause, { grammar, language });
  const next = tokens[at + 1];
  const hasBe =
    language === "de"
      ? isPassiveGerman(tokens, clause)
      : group.words.some((word) => grammar.be.has(word.text)) &&
        !isParticipleOfMotion(token, language) &&
        !HOLDER.test(token?.text ?? "");
  const isPassive =
    hasBe ||
    // "Acheté aux enchères": a sentence without a subject, of which the page is.
    (at === 0 && isRomance(language) && PARTICIPLE.test(token?.text ?? "") && next?.capital === false) ||
    (group.words.length === 0 &&
      next !== undefined &&
      grammar.by.has(next.text) &&
      next.gap.trim() === "" &&
      /(?:ed|en|t|o|a|os|as|e|ee|es|ees)$/u.test(token?.text ?? ""));
  // "after judges annulled the vote": the conjunction is not part of the subject.
  const isOpened = grammar.clause.has(clause.opener?.text) && grammar.preposition.has(clause.opener?.text);
  const own = tokens
    .slice(isOpened ? clause.start + 1 : clause.start, subjectEnd(tokens, clause, group, grammar))
    .filter((word) => !ADVERB.test(word.text));
  // "The man who drove Harlan was arrested": who was arrested is the man.
  const isRelative =
    RELATIVE.test(clause.opener?.text ?? "") &&
    clause.opener?.gap === " " &&
    own.slice(1).some((word) => isFinite(word, "en") || grammar.be.has(word.text) || grammar.have.has(word.text));
  // "two days after winning the race"
  const isGerund =
    language === "en" &&
    token?.text.endsWith("ing") === true &&
    grammar.preposition.has(own.at(-1)?.text) &&
    !own.some(({ capital }) => capital);
  const isInherited =
    isGerund ||
    own.every((word) => grammar.and.has(word.text) || grammar.not.has(word.text) || grammar.clause.has(word.text));
  // "Nach langem Streit übernahm die Werft …": the subject stands behind the verb.
  const middle = tokens.slice(group.start + 1, clause.end);
  const isFronted = own.length === 0 || grammar.preposition.has(own[0]?.text);
  const isTurned = language === "de" && isFronted && grammar.determiner.has(middle[0]?.text);
  const shared = isInherited || isRelative ? sharedSubject(tokens, clause.start, grammar) : own;
  // "Odell blamed Karsten, who resigned", and not "Odell blamed Karsten and resigned"
  const isOwn = !isInherited || RELATIVE.test(tokens[clause.start]?.text ?? "");
  const left =
    language === "en"
      ? objectOrAll(shared, grammar, { isVerb: isPast(token) || group.words.length > 0, isOwn })
      : shared;
  const before = isTurned ? middle.slice(0, nounPhraseEnd(middle, grammar)) : left;
  return {
    reality: realityOf(tokens, at, { clause, group, grammar, language }),
    isPassive,
    isReceived: AWARDS.test(token?.text ?? ""),
    before,
    after:
      language === "de"
        ? tokens.slice(group.start, clause.end).filter((_, n) => n + group.start !== at)
        : tokens.slice(at + 1, clause.end),
    isInherited: isInherited && !isTurned,
    start: tokens[clause.start]?.start ?? 0,
    end: tokens[clause.end - 1]?.end ?? 0,
  };
}

/** The end of the words that can hold the subject: in "Marlow refused to sign", the verb that governs the infinitive. */
function subjectEnd(tokens: readonly Token[], clause: Span, group: Group, grammar: Grammar): number {
  if (!group.words.some((word) => grammar.to.has(word.text)) && !grammar.to.has(tokens[group.start - 1]?.text ?? ""))
    return group.start;
  const governor = tokens.findIndex(
    (word, at) =>
      at >= clause.start &&
      at < group.start &&
      !word.capital &&
      (grammar.denies.has(word.text) ||
        grammar.does.has(word.text) ||
        grammar.have.has(word.text) ||
        grammar.be.has(word.text)),
  );
  return governor < 0 ? group.start : governor;
}

const RELATIVE = /^(?:whom?|which|whose)$/u;

function isPassiveGerman(tokens: readonly Token[], clause: Span): boolean {
  return tokens.slice(clause.start, clause.end).some((word) => /^(?:wurden?|worden|werden|wird)$/u.test(word.text));
}

/** Endings of Romance participles. */
const PARTICIPLE = /(?:e|ee|es|ees|[iau]t[oaie]|[iau]d[oa]s?)$/u;

/** Verbs with two objects: the subject of the passive receives the other one. */
export const AWARDS =
  /^(?:award|ausgezeichnet|premiad|attribue|decern|revient|verliehen|otorgad|assegnat|atribuid|entregue)/u;

/** Verbs whose perfect has "be": "ist zurückgetreten", "est mort", "è morto". */
export function isParticipleOfMotion(token: Token | undefined, language: Language): boolean {
  if (language === "fr")
    return /^(?:mort|decede|parti|entre|sorti|venu|devenu|ne|arrive|tombe|reste|parvenu)/u.test(token?.text ?? "");
  if (language === "it")
    return /^(?:mort|decedut|partit|entrat|uscit|venut|diventat|nat|arrivat|cadut|rimast|salit|sces)/u.test(
      token?.text ?? "",
    );
  return false;
}

const ARTICLE = /^(?:the|an?|those|someone|anyone)$/u;

/** Words of a verb with a short object: "has met the man". */
const SHORT = 5;

/** The words behind another verb and before the predicate, which are its subject: "Odell said Karsten resigned", "Odell saw Karsten resign". */
function objectOrAll(
  words: readonly Token[],
  grammar: Grammar,
  predicate: { readonly isVerb: boolean; readonly isOwn: boolean },
): readonly Token[] {
  // A noun has no subject of its own: "completed its acquisition of Odell".
  const governs = ({ text }: Token): boolean =>
    predicate.isVerb ? predicate.isOwn || grammar.says.has(text) : BEFORE_INFINITIVE.test(text);
  const verb = words.findLastIndex(
    (word, at) =>
      at > 0 &&
      governs(word) &&
      isBeforePhrase(words, at, grammar) &&
      (predicate.isVerb || words[at + 1]?.capital === true),
  );
  return words.slice(verb + 1);
}

/** Whether a word is an English past, and a noun phrase follows. */
function isBeforePhrase(words: readonly Token[], at: number, { determiner }: Grammar): boolean {
  const [word, next] = [words[at], words[at + 1]];
  return word !== undefined && isFinite(word, "en") && (next?.capital === true || determiner.has(next?.text));
}

const BEFORE_INFINITIVE = /^(?:saw|watched|heard|helped|let|made)$/u;

/** The position of the bracket or the dashes that end before a word: "The mine (the county's last) closed". Else of the word. */
function bracketBefore(tokens: readonly Token[], at: number): number {
  const mark = BRACKETS.find(([, closing]) => closing.test(tokens[at]?.gap ?? ""));
  const open = mark === undefined ? -1 : tokens.findLastIndex(({ gap }, n) => n < at && mark[0].test(gap));
  return open > 0 ? open : at;
}

const BRACKETS = [
  [/\(/u, /\)\s*$/u],
  [/[–—]|\s-\s/u, /[–—]|\s-\s/u],
] as const;

const OPENERS = ["that", "open", "clause"] as const;

/** The words that hold the subject of a clause without one: the beginning of the nearest clause to the left that has one. */
function sharedSubject(tokens: readonly Token[], start: number, grammar: Grammar): readonly Token[] {
  const first = bracketBefore(tokens, start);
  let from = first;
  let end = first;
  const isEnd = (at: number): boolean =>
    at === 0 || (HARD.test(tokens[at]?.gap ?? "") && (at !== first || at === start));
  while (!isEnd(from)) {
    from -= 1;
    const word = tokens[from];
    if (word === undefined) continue;
    // "Odell, who leads the firm, said Karsten, the founder, resigned"
    const isTelling = word.gap.includes(",") && grammar.says.has(word.text) && isBeforePhrase(tokens, from, grammar);
    if (isTelling) return tokens.slice(from + 1, end);
    if (!OPENERS.some((words) => grammar[words].has(word.text))) continue;
    // "The mine, which fed the county, closed": a clause between two commas stands apart.
    const isApart = word.gap.includes(",") || RELATIVE.test(word.text);
    if (from > 0 && end === start && isApart && tokens[start]?.gap.includes(",")) end = from;
    else if (!grammar.clause.has(word.text)) return tokens.slice(from + 1, end);
  }
  const whole = tokens.slice(from, end);
  const subject = antecedentOf(whole, tokens[start], grammar) ?? whole;
  // "Odell, not Karsten, built the dam", "Odell, et non Karsten, a construit"
  return until(
    subject,
    (word, at) =>
      at > 0 && word.gap.includes(",") && grammar.not.has((grammar.and.has(word.text) ? subject[at + 1] : word)?.text),
  );
}

/** The part of a clause for which a relative pronoun behind it stands. Undefined if it can be the whole. */
function antecedentOf(
  whole: readonly Token[],
  pronoun: Token | undefined,
  grammar: Grammar,
): readonly Token[] | undefined {
  if (!grammar.that.has(pronoun?.text) && !grammar.clause.has(pronoun?.text)) return undefined;
  // "Odell, beaten by Karsten, who won", "Odell lost to Karsten, who won"
  const name = 1 + whole.findLastIndex(({ capital }) => !capital);
  if (name < whole.length && BEFORE_RIVAL.test(whole[name - 1]?.text ?? "")) return whole.slice(name);
  if (pronoun?.gap !== " ") return undefined;
  // "Odell has met the man who won"
  const article = whole.findLastIndex(({ text }) => ARTICLE.test(text));
  if (/^whom?$/u.test(pronoun.text)) return whole.slice(Math.max(0, article));
  const verb = whole.findLastIndex(({ text }) => grammar.have.has(text) || grammar.be.has(text));
  return verb > 0 && whole.length - verb < SHORT ? whole.slice(verb + 1) : undefined;
}

const BEFORE_RIVAL =
  /^(?:by|to|behind|against|than|par|derriere|contre|ante|tras|contro|dietro|da|por|atras|gegen|hinter)$/u;

export interface Clause {
  readonly start: number;
  readonly end: number;
  readonly stems: ReadonlySet<string>;
  /** Whether nothing in it or before it makes it a plan, a condition or a view. */
  readonly isFact: boolean;
}

const ESTIMATES =
  /^(?:models$|simulations$|analyst|economist|forecaster|pollster|bookmaker|okonom|experte|economiste|prevision|analist|observador|estimat)/u;
/** Characters of a short date. */
const DATE_LENGTH = 12;

/** The clause at a position that need not be a predicate, such as a figure. */
export function clauseAt(tokens: readonly Token[], position: number, grammar: Grammar, language: Language): Clause {
  const at = Math.max(
    0,
    tokens.findLastIndex((token) => token.start <= position),
  );
  const own = clauseOf(tokens, at, grammar, language);
  // "Turnout: 55.3 percent": the label of an entry belongs to its figure.
  const first = tokens[own.start];
  const isEntry =
    first !== undefined &&
    /^\s?:/u.test(first.gap) &&
    // A date may stand between them.
    first.start - first.gap.length - (tokens[own.start - 1]?.end ?? Number.NEGATIVE_INFINITY) < DATE_LENGTH;
  const span = isEntry ? { ...own, start: clauseOf(tokens, own.start - 1, grammar, language).start } : own;
  const whole = tokens.slice(span.start, span.end);
  const { opener } = span;
  const isOpen =
    tokens[at]?.isQuoted === true ||
    (opener !== undefined && grammar.open.has(opener.text)) ||
    whole.some(
      (word, n) =>
        // "About 71,000", "in May"
        (grammar.modal.has(word.text) &&
          !(word.capital && n > 0) &&
          !(word.text === "about" && /^\d/u.test(whole[n + 1]?.text ?? ""))) ||
        grammar.hedge.has(word.text) ||
        (!word.capital && grammar.future.test(word.text)),
    ) ||
    // "were feared dead", "analysts put revenue at": an estimate
    whole.some(
      (word, n) =>
        (grammar.be.has(whole[n - 1]?.text) && grammar.doubts.has(word.text)) || (n < 4 && ESTIMATES.test(word.text)),
    ) ||
    // "was to cost": a plan
    (language === "en" &&
      whole.some((word, n) => /^(?:is|are|was|were)$/u.test(word.text) && whole[n + 1]?.text === "to")) ||
    isHearsay(whole, grammar) ||
    isStranger(whole, grammar) ||
    attributionAfter(tokens, span.end, grammar) !== undefined ||
    governedBy(tokens.slice(0, span.start), whole, at - span.start, { clause: span, grammar }) === "view";
  return {
    start: whole[0]?.start ?? 0,
    end: whole.at(-1)?.end ?? 0,
    stems: new Set(whole.map(({ stem }) => stem)),
    isFact: !isOpen,
  };
}
