import { type Plan, type Threshold } from "../reading/analysis.ts";
import { AWARDS, isParticipleOfMotion } from "../reading/clauses.ts";
import { ADVERB, IRREGULAR_PAST, type Token, undatedTokensOf } from "../reading/spans.ts";
import { datesOf, type NamedDate } from "../reading/dates.ts";
import { type Grammar, GRAMMARS, isFunctionWord } from "../reading/grammar.ts";
import { COMPARING } from "../reading/comparisons.ts";
import { quantitiesOf } from "../reading/quantities.ts";
import { type Language, languageOf, STOP_WORDS } from "../reading/words.ts";
import { conceptsAt } from "../reading/concepts.ts";

/** An argument of the question's predicate: the stems of its words, and of the words that can stand for it. */
export interface Argument {
  readonly words: ReadonlySet<string>;
  /** The last word of its noun phrase. Two heads if it joins two phrases. */
  readonly heads: ReadonlySet<string>;
  /** The nouns that describe it, by which a text can come back to it: "ferry" of "the ferry Aurora". */
  readonly kinds: ReadonlySet<string>;
}

/** A plan, prepared once for comparisons with many sentences. */
export interface Asked {
  readonly plan: Plan;
  readonly now: number;
  /** Undefined if the question's language has no reading. */
  readonly language: Language | undefined;
  readonly terms: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  /** The outcome in the question: the known concepts of its predicate, or else of the whole statement. */
  readonly outcomes: ReadonlySet<string>;
  /** The predicate. Undefined if the question has no verb but "be". */
  readonly predicate: Token | undefined;
  /** The one who acts, and what the predicate happens to. Undefined if the question does not name them. */
  readonly agent: Argument | undefined;
  readonly patient: Argument | undefined;
  /** The preposition behind the predicate and the words that it governs: "convicted of fraud". */
  readonly oblique: { readonly preposition: string; readonly words: ReadonlySet<string> } | undefined;
  /** Whether it asks by whom something was done. */
  readonly isByAgent: boolean;
  /** The nouns that "and" joins behind the predicate: "reopened to cars and trains". */
  readonly joined: readonly (readonly [string, string])[];
  /** Names with the numbers that belong to them. */
  readonly numbered: readonly (readonly [string, string])[];
  /** Whether the question asks for a future event: "Will ...?". */
  readonly isFuture: boolean;
  readonly years: ReadonlySet<number>;
  readonly thresholds: readonly Threshold[];
  /** The weight of a term: names that act or that something happens to count most, circumstances least. */
  weightOf(term: string): number;
}

const FUTURE = /^(?:will|is\s.{0,60}\bgoing\sto|wird|werden|va|¿?(?:será|va\sa)|vai)\b/iu;

/** Prepares a plan for comparisons with sentences. */
export function askedOf(plan: Plan, now: number): Asked {
  const language = languageOf(`${plan.question} ${plan.criteria}`);
  const names = new Set(plan.names);
  const structure = structureOf(plan, language ?? "en", now);
  return {
    plan,
    now,
    language,
    terms: new Set(plan.terms),
    names,
    ...structure,
    isFuture: FUTURE.test(plan.question.trim()),
    years: new Set(
      datesOf(plan.statement, now)
        .filter((date) => date.hasYear)
        // "before 2026" asks for 2025.
        .flatMap((date) =>
          plan.deadline !== undefined && date.from > plan.deadline
            ? [new Date(plan.deadline).getUTCFullYear()]
            : yearsOf(date),
        ),
    ),
    thresholds: plan.thresholds,
    weightOf: (term) => {
      const isCore = structure.agent?.words.has(term) === true || structure.patient?.words.has(term) === true;
      return (
        (names.has(term) ? 2 : 1) *
        (isCore || structure.predicate === undefined || term === structure.predicate.stem ? 1 : 0.5)
      );
    },
  };
}

/** The years that a date touches. */
export function yearsOf({ from, to }: NamedDate): number[] {
  return [new Date(from).getUTCFullYear(), new Date(to).getUTCFullYear()];
}

type Structure = Pick<
  Asked,
  "outcomes" | "predicate" | "agent" | "patient" | "isByAgent" | "oblique" | "joined" | "numbered"
>;

/** The predicate of a question and its arguments. Dates and function words are not part of them. */
function structureOf({ statement, thresholds, ...plan }: Plan, language: Language, now: number): Structure {
  const terms = new Set(plan.terms);
  const grammar = GRAMMARS[language];
  const reader = { grammar, language };
  const dates = datesOf(statement, now);
  const figures = quantitiesOf(statement, language, dates).filter(({ start, end }) =>
    thresholds.some(({ text }) => text === statement.slice(start, end).trim()),
  );
  const outside = [...dates, ...figures];
  // "the referendum of March 2026 annulled": the preposition of a date goes with it.
  const tokens = undatedTokensOf(statement, outside).filter(
    ({ text, end }) =>
      !(grammar.preposition.has(text) && outside.some(({ start }) => start >= end && start - end <= 2)),
  );
  const numbered = numberedIn(tokens);
  const noun = nounPredicateOf(tokens, grammar);
  const at = noun ?? predicateOf(tokens, grammar, language);
  const token = at === undefined ? undefined : tokens[at];
  if (at === undefined || token === undefined) {
    const subject = argumentOf(tokens.slice(0, firstBreak(tokens, 1, grammar)), terms, reader);
    return {
      outcomes: new Set(),
      predicate: undefined,
      agent: subject,
      patient: undefined,
      isByAgent: false,
      oblique: undefined,
      joined: [],
      numbered,
    };
  }
  const isPassive =
    noun === undefined &&
    !AWARDS.test(token.text) &&
    !(language !== "de" && isParticipleOfMotion(token, language)) &&
    (tokens.slice(0, at).some((word) => grammar.be.has(word.text)) &&
    /(?:ed|en|t|n|o|a|e|ee|os|as|i)$/u.test(token.text) &&
    language !== "de"
      ? !/^(?:is|are|was|were)$/u.test(tokens[at - 1]?.text ?? "") || !token.text.endsWith("ing")
      : /^(?:wurden?|worden|werden|wird)$/u.test(tokens[0]?.text ?? "") &&
        /(?:t|en)$/u.test(token.text) &&
        language === "de" &&
        !/^(?:wird|werden)$/u.test(tokens[0]?.text ?? ""));
  const isVerbLast = language === "de";
  // "fail to sign", "be able to sign": the verb before "to" is not part of the subject.
  const left = tokens.slice(0, tokens[at - 1]?.text === "to" ? Math.max(1, at - 2) : at);
  const behind = tokens.slice(noun === undefined ? at + 1 : at + 2);
  // "¿Aprobó el pleno la subida?": the subject follows the verb, and the object begins at the next article.
  const isVerbFirst = isRomance(language) && at === 0;
  const split = isVerbLast ? nounPhraseEnd(left, grammar) : isVerbFirst ? secondPhrase(behind, grammar) : undefined;
  const right = split === undefined ? behind : (isVerbLast ? left : behind).slice(split);
  const subject = argumentOf(split === undefined ? left : (isVerbLast ? left : behind).slice(0, split), terms, reader);
  const by = right.findIndex((word) => grammar.by.has(word.text));
  const object = isPassive
    ? by < 0
      ? undefined
      : argumentOf(phraseFrom(right, by + 1, grammar), terms, reader)
    : argumentOf(phraseFrom(right, 0, grammar), terms, reader);
  // "Was the prize awarded to X": who receives it has it.
  const isGiven = AWARDS.test(token.text) && /^(?:to|an|à|a|al|alla|ao)$/u.test(behind[0]?.text ?? "") && !isVerbLast;
  if (isGiven && subject !== undefined) {
    const receiver = argumentOf(phraseFrom(behind, 1, grammar), terms, reader);
    return {
      joined: [],
      numbered,
      outcomes: outcomesOf(tokens, at),
      predicate: token,
      agent: receiver,
      patient: subject,
      isByAgent: false,
      oblique: undefined,
    };
  }
  return {
    joined: joinedIn(right, terms, grammar),
    numbered,
    outcomes: outcomesOf(tokens, at),
    predicate: token,
    isByAgent: isPassive && object !== undefined,
    oblique: obliqueOf(behind, terms),
    agent: isPassive ? object : (subject ?? (language === "en" ? undefined : object)),
    patient: isPassive ? subject : subject === undefined && language !== "en" ? undefined : object,
  };
}

/** Prepositions whose phrase tells two outcomes of one verb apart. */
const GOVERNED = /^(?:of|for|as|wegen|fur)$/u;

function obliqueOf([first, ...rest]: readonly Token[], terms: ReadonlySet<string>): Asked["oblique"] {
  if (first === undefined || !GOVERNED.test(first.text)) return undefined;
  const words = rest.flatMap(({ stem }) => (terms.has(stem) ? [stem] : []));
  return words.length === 0 ? undefined : { preposition: first.text, words: new Set(words) };
}

/** Names with the numbers that belong to them: "Wren-2", "Line 9". */
export function numberedIn(tokens: readonly Token[]): [string, string][] {
  return tokens.flatMap(({ stem, capital, text }, at): [string, string][] => {
    const next = tokens[at + 1];
    return capital &&
      /^\p{L}/u.test(text) &&
      next !== undefined &&
      /^\d{1,3}$/u.test(next.text) &&
      /^[\s-]$/u.test(next.gap)
      ? [[stem, next.text]]
      : [];
  });
}

function joinedIn(tokens: readonly Token[], terms: ReadonlySet<string>, grammar: Grammar): [string, string][] {
  return tokens.flatMap(({ text }, at): [string, string][] => {
    if (!grammar.and.has(text)) return [];
    const before = tokens[at - 1];
    const next = tokens.slice(at + 1).find((word) => !isFunctionWord(word.text, grammar));
    if (before === undefined || next === undefined || before.capital || next.capital) return [];
    return terms.has(before.stem) && terms.has(next.stem) ? [[before.stem, next.stem]] : [];
  });
}

function isRomance(language: Language): boolean {
  return language !== "en" && language !== "de";
}

/** The index at which the second noun phrase begins: an article that no preposition governs. */
function secondPhrase(tokens: readonly Token[], grammar: Grammar): number {
  const found = tokens.findIndex(
    ({ text }, n) =>
      n > (grammar.determiner.has(tokens[0]?.text) ? 1 : 0) &&
      grammar.determiner.has(text) &&
      !grammar.preposition.has(text) &&
      !grammar.preposition.has(tokens[n - 1]?.text) &&
      !grammar.determiner.has(tokens[n - 1]?.text),
  );
  return found < 0 ? tokens.length : found;
}

/** Romance adjectives that stand before their noun. */
const BEFORE_NOUN = /^(?:nuov|nouve|nuev|nov[oa]s?$|gran|prem|prim|ultim|dern|antig|anci|vecch|viej|velh)/u;

/** Prepositions that contain an article. */
const WITH_ARTICLE = /^(?:aux?|aos?|n[oa]s?|nell[aeo']?|nel|nei|all[aeo']?|al|ai|agli)$/u;

/** The first noun phrase: up to a preposition. Empty if a preposition is first. */
function phraseFrom(tokens: readonly Token[], from: number, grammar: Grammar): readonly Token[] {
  const rest = tokens.slice(from);
  // "au public", "nel 2026" are adverbials; "al Madrid" is an object in Spanish.
  const end = rest.findIndex(
    (word, n) =>
      grammar.preposition.has(word.text) &&
      (!grammar.determiner.has(word.text) ||
        (n === 0 && WITH_ARTICLE.test(word.text) && !(grammar === GRAMMARS.es && word.text === "al"))),
  );
  // "sign the Treaty of Oslo": the phrase goes on.
  if (end > 0 && /^(?:of|de|d'|di|du|von|des|do|da)$/u.test(rest[end]?.text ?? "")) {
    const next = rest.findIndex((word, n) => n > end && grammar.preposition.has(word.text));
    return next < 0 ? rest : rest.slice(0, next);
  }
  return end < 0 ? rest : rest.slice(0, end);
}

function firstBreak(tokens: readonly Token[], from: number, grammar: Grammar): number {
  const found = tokens.findIndex(
    (word, n) => n > from && (grammar.preposition.has(word.text) || grammar.determiner.has(word.text)),
  );
  return found < 0 ? tokens.length : found;
}

/** In German, the subject of a question ends where the next article begins. */
function nounPhraseEnd(tokens: readonly Token[], grammar: Grammar): number {
  const first = tokens.findIndex(
    (word) =>
      word.capital && !grammar.be.has(word.text) && !grammar.have.has(word.text) && !grammar.modal.has(word.text),
  );
  const next = tokens.findIndex(
    (word, n) =>
      n > first &&
      (grammar.determiner.has(word.text) || grammar.preposition.has(word.text)) &&
      !/^(?:der|des|von)$/u.test(word.text),
  );
  return next < 0 ? tokens.length : next;
}

function argumentOf(
  tokens: readonly Token[],
  terms: ReadonlySet<string>,
  { grammar, language }: { grammar: Grammar; language: Language },
): Argument | undefined {
  const kept = tokens.filter((word) => terms.has(word.stem) && !ADVERB.test(word.text));
  const heads = new Set<string>();
  for (const [n, word] of tokens.entries()) {
    if (!terms.has(word.stem) || ADVERB.test(word.text)) continue;
    const next = tokens[n + 1];
    const before = tokens.slice(0, n).findLast((other) => !terms.has(other.stem) && !isModifier(other, grammar));
    const isInside = before !== undefined && grammar.preposition.has(before.text) && heads.size > 0;
    const isLast = next === undefined || !terms.has(next.stem) || grammar.and.has(next.text);
    const isOwner = next?.text === "s" && /['’]/u.test(next.gap);
    if (!isLast || isInside || isOwner) continue;
    // "le record national": a Romance noun stands before its adjectives. The last word of a name is its head.
    let head = n;
    while (
      isRomance(language) &&
      !word.capital &&
      head > 0 &&
      terms.has(tokens[head - 1]?.stem ?? "") &&
      !BEFORE_NOUN.test(tokens[head - 1]?.text ?? "")
    )
      head -= 1;
    heads.add(tokens[head]?.stem ?? word.stem);
  }
  const kinds = tokens.filter(
    (word, n) =>
      !word.capital && !terms.has(word.stem) && !isFunctionWord(word.text, grammar) && tokens[n + 1]?.capital,
  );
  if (kept.length === 0) return undefined;
  return { words: new Set(kept.map((word) => word.stem)), heads, kinds: new Set(kinds.map(({ stem }) => stem)) };
}

function isModifier(word: Token, grammar: Grammar): boolean {
  return grammar.determiner.has(word.text) && !grammar.preposition.has(word.text);
}

const ELECTION = /^(?:elect|wahl|\p{L}+wahl$|seat|vote|elecc|elezion|eleic)/u;

/** The outcomes of a predicate. The winner of an election is elected. */
function outcomesOf(tokens: readonly Token[], at: number): Set<string> {
  const found = conceptsAt(tokens, at);
  const isElection = found.has("win") && tokens.some(({ text }) => ELECTION.test(text));
  return new Set(isElection ? [...found, "elect"] : found);
}

/** "Is X the winner of Y?": a noun for an outcome, between an article and "of". */
function nounPredicateOf(tokens: readonly Token[], grammar: Grammar): number | undefined {
  if (!grammar.be.has(tokens[0]?.text)) return undefined;
  const found = tokens.findIndex(
    (word, at) =>
      at > 1 &&
      conceptsAt(tokens, at).size > 0 &&
      grammar.determiner.has(tokens[at - 1]?.text) &&
      OF.test(tokens[at + 1]?.text ?? "") &&
      !word.capital,
  );
  return found < 0 ? undefined : found;
}

const OF = /^(?:of|de|d'|du|des|di|del|dell[ao']|do|da|von)$/u;

/** The index of the predicate: the first outcome in the form of a verb, or the word where a verb must be. */
function predicateOf(tokens: readonly Token[], grammar: Grammar, language: Language): number | undefined {
  const named = tokens.flatMap((word, at) =>
    conceptsAt(tokens, at).size > 0 && !isFunctionWord(word.text, grammar) && canBeVerb(tokens, at, grammar, language)
      ? [at]
      : [],
  );
  if (language !== "en") return named[0] ?? verbBySyntax(tokens, grammar, language);
  const asBe = tokens[0] !== undefined && grammar.be.has(tokens[0].text);
  const fitting = named.filter((at) => {
    const form = tokens[at]?.text ?? "";
    const previous = tokens[at - 1];
    if (previous !== undefined && previous.text !== "to" && grammar.preposition.has(previous.text)) return false;
    return at > 0 && (!asBe || /(?:ed|en|n|t|ng)$/u.test(form));
  });
  return fitting[0] ?? englishVerb(tokens, grammar, asBe) ?? (asBe ? undefined : named[0]);
}

function canBeVerb(tokens: readonly Token[], at: number, grammar: Grammar, language: Language): boolean {
  const [word, previous] = [tokens[at], tokens[at - 1]];
  if (word === undefined || (word.capital && at > (language === "en" ? 0 : 1))) return false;
  if (previous === undefined || language === "de") return true;
  return !grammar.determiner.has(previous.text) || grammar.pronoun.has(previous.text);
}

/** The first word that can be a verb: in lower case, and best right after a name. */
function englishVerb(tokens: readonly Token[], grammar: Grammar, asBe: boolean): number | undefined {
  const candidates = tokens.flatMap((word, at) => {
    const previous = tokens[at - 1];
    if (
      at < 2 ||
      word.capital ||
      previous === undefined ||
      isFunctionWord(word.text, grammar) ||
      ADVERB.test(word.text)
    )
      return [];
    if (asBe && !/(?:ed|en|wn|ght|ilt|old|ound|put|set|cut|led|aid|won|held|made|sent|lost|sung|run)$/u.test(word.text))
      return [];
    if (STOP_WORDS.has(word.text) || grammar.determiner.has(previous.text)) return [];
    return grammar.preposition.has(previous.text) && previous.text !== "to" ? [] : [at];
  });
  // A part of a question is a statement: its verb has the form of the past.
  const isQuestion =
    tokens[0] !== undefined && isFunctionWord(tokens[0].text, grammar) && !grammar.determiner.has(tokens[0].text);
  const past = isQuestion
    ? undefined
    : candidates.find((at) => (tokens[at]?.text ?? "").endsWith("ed") || IRREGULAR_PAST.has(tokens[at]?.text ?? ""));
  if (past !== undefined) return past;
  const afterName = candidates.find((at) => tokens[at - 1]?.capital === true);
  // "Did the Petrel mission deploy": two words that can be verbs are a noun and its verb.
  const behindName =
    afterName !== undefined && candidates.includes(afterName + 1) && grammar.determiner.has(tokens[afterName + 2]?.text)
      ? afterName + 1
      : afterName;
  const beforePhrase = candidates.find((at) => {
    const next = tokens[at + 1];
    return next === undefined || grammar.determiner.has(next.text) || grammar.preposition.has(next.text);
  });
  return behindName ?? beforePhrase;
}

/** German questions end with the verb, Romance ones have it after an auxiliary, or first. */
function verbBySyntax(tokens: readonly Token[], grammar: Grammar, language: Language): number | undefined {
  const isContent = (word: Token): boolean =>
    !word.capital &&
    !isFunctionWord(word.text, grammar) &&
    !STOP_WORDS.has(word.text) &&
    !ADVERB.test(word.text) &&
    !COMPARING.test(word.text);
  if (language === "de") {
    const last = tokens.findLastIndex(isContent);
    return last < 0 ? undefined : last;
  }
  if (
    tokens[1] !== undefined &&
    grammar.determiner.has(tokens[1].text) &&
    tokens[0] !== undefined &&
    !isFunctionWord(tokens[0].text, grammar)
  )
    return 0;
  const behind = tokens.findIndex(
    (word, at) =>
      isContent(word) &&
      tokens.slice(Math.max(0, at - 3), at).some(({ text }) => grammar.be.has(text) || grammar.have.has(text)) &&
      /(?:[iau]?[tds][oaie]s?|e|ee|es|u|ue|i|is|t|s)$/u.test(word.text),
  );
  if (behind >= 0) return behind;
  const first = tokens.findIndex((word, at) => at > 0 && isContent(word) && tokens[at - 1]?.capital === true);
  return first < 0 ? undefined : first;
}
