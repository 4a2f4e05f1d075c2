import { COMPARING } from "../reading/comparisons.ts";
import { areContrary, conceptsAt, outcomeLength } from "../reading/concepts.ts";
import { type Grammar, GRAMMARS, isFunctionWord } from "../reading/grammar.ts";
import { NARROWER, PARTLY } from "../reading/phrases.ts";
import { numberWordPattern, topIn } from "../reading/number-words.ts";
import { describedIn, quantitiesOf } from "../reading/quantities.ts";
import { ADVERB, type ReadSentence, type Token } from "../reading/spans.ts";
import { OUTCOMES, WORDS } from "../reading/vocabulary.ts";
import { isForm, isPast, isRomance, isStopWord, type Language, type Word, wordsOf } from "../reading/words.ts";
import { ADJECTIVE_ENDINGS } from "../evidence/passages.ts";
import { isOfAudience } from "./others-figures.ts";
import { type Asked } from "./question.ts";
import { isWithin, overlap } from "../reading/ranges.ts";
import { until } from "../reading/until.ts";

/** The words of a clause by their part in it. */
type Role = "own" | "verb" | "figure" | "harmless" | "other";

interface Phrase {
  readonly words: readonly Token[];
  readonly roles: readonly Role[];
  readonly grammar: Grammar;
  readonly language: Language;
  readonly hasAgent: boolean;
  /** Whether a word is not only of a circumstance: "appeal" of "overturned on appeal". */
  readonly isCore: (word: Token) => boolean;
  /** Whether a word heads the subject or the object of the question. */
  readonly isHead: (word: Token) => boolean;
  /** Whether the question has an article before a word. */
  readonly isDefinite: (word: Token) => boolean;
  /** Whether two words stand side by side in the question. */
  readonly isPair: (one: Token, other: Token) => boolean;
}

/**
 * Whether the clause of a reading has a noun or an adjective that the question does not have, beside the question's words
 * or behind a preposition: "the youth wing of the party", "the party youth", "46.9 seconds with a flying start". Such a
 * word can make it another thing, so that the reading supports no verdict. With `isSubjectOnly`: whether a part or a
 * member of the question's subject is the subject, so that the sentence states nothing.
 */
export function hasSurplus(
  asked: Asked,
  text: string,
  { tokens, language, dates }: ReadSentence,
  part: { readonly start: number; readonly end: number; readonly isSubjectOnly?: boolean },
): boolean {
  const { isSubjectOnly = false } = part;
  const question = wordsOf(asked.plan.statement);
  // "O Fennick feminino"
  if (asked.language !== language)
    return !isSubjectOnly && !question.some(isLesser) && tokens.some((word) => isLesser(word) && isWithin(word, part));
  const grammar = GRAMMARS[language];
  const figures = quantitiesOf(text, language, dates);
  if (language === "en" && (hasLikeName(asked, tokens, question) || isOtherWork(asked, tokens, question))) return true;
  if (!isSubjectOnly && isNarrower(asked, text, text.slice(part.start, part.end))) return true;
  return phrasesOf(tokens, text, part, { grammar, outcomes: asked.outcomes }).some((words) => {
    const roles = words.map((word, at): Role => {
      const figure = figures.find((one) => overlap(one, word));
      const isFigure = figure !== undefined && !describedIn(text, figure).some(({ stem }) => stem === word.stem);
      if (/^\d/u.test(word.text) || isFigure) return "figure";
      if (isVerb(asked, words, at, { grammar, language })) return "verb";
      // "voters" is a word for the manner of a decision, too.
      if (asked.terms.has(word.stem)) return "own";
      // "passed the data act and the privacy act"
      if (asked.plan.known?.includes(word.stem) === true) return "harmless";
      // "The highest temperature was 43 degrees" for "reach 45 degrees"
      if (MOST.test(word.text) && isReached(asked)) return "harmless";
      // "Hurricane Ines" for "a hurricane", "the administrative court" for "a court"
      const [last, next] = [words[at - 1], words[at + 1]];
      const isOne = word.capital
        ? isAny(question, last)
        : asked.agent?.heads.has(next?.stem ?? "") === true && isAny(question, next);
      if (isOne || isHarmless(words, at, grammar)) return "harmless";
      // "the acquisition" for "the takeover"
      const isDeed = [...conceptsAt(words, at)].some((one) => asked.patient?.outcomes?.has(one));
      // "paid attendance"
      const isCount = WORDS.attendance.has(word.text) && isOfAudience(asked);
      return isDeed || isCount || question.some((one) => isOf(word, one, language)) ? "own" : "other";
    });
    // "The Harbour Union (Denby) called a strike", and not a dateline
    const behind = words.at(-1)?.end ?? 0;
    const isInserted = text[(words[0]?.start ?? 0) - 1] === "(" && behind <= part.start;
    if (isInserted && !/^\)\s*[–—-]/u.test(text.slice(behind))) return roles.includes("other");
    const isDefinite = (word: Token): boolean =>
      question.some((one, at) => {
        // "the 2026 Copper Cup", "the mayor of Orland"
        const before = question.slice(0, at).findLast(({ text: last }) => !/^\d/u.test(last))?.text;
        return isOf(word, one, language) && (grammar.determiner.has(before) || grammar.preposition.has(before));
      });
    const isPair = (one: Token, other: Token): boolean =>
      question.some((word, at) => isOf(one, word, language) && question[at + 1]?.stem === other.stem);
    const { agent, patient, terms } = asked;
    const hasAgent = agent !== undefined;
    const isCore = ({ stem }: Token): boolean =>
      hasAgent || patient === undefined || !terms.has(stem) || patient.words.has(stem);
    const isHead = ({ stem }: Token): boolean => [agent, patient].some((one) => one?.heads.has(stem));
    return isForeign({ words, roles, grammar, language, hasAgent, isCore, isHead, isDefinite, isPair }, isSubjectOnly);
  });
}

/** Whether words of a sentence make its event, in the text `own`, a narrower one than the question's, or another. */
function isNarrower({ plan: { statement }, terms, thresholds }: Asked, text: string, own: string): boolean {
  const isOnlyHere = (words: RegExp): boolean => words.test(own) && !words.test(statement);
  if (NARROWER.some(isOnlyHere) || (thresholds.length === 0 && isOnlyHere(PARTLY))) return true;
  // "in the top thirty" for the top three
  if ((topIn(text) ?? 0) > (topIn(statement) ?? Infinity)) return true;
  // "to a fine instead of prison" for prison
  const [, replaced = ""] = INSTEAD.exec(text) ?? [];
  return wordsOf(replaced).some(({ stem, capital }) => !capital && terms.has(stem));
}

/** Up to two words behind "instead of". */
const INSTEAD =
  /(?<!\p{L})(?:instead of|rather than|in place of|statt|anstelle|au lieu d[e']|plutôt que|en (?:lugar|vez) de|invece di|anziché|em vez de)\s?(\p{L}+(?:\s\p{L}+)?)/iu;

function isLesser({ text }: Word): boolean {
  return WORDS.lesser.has(text);
}

const MOST = /^(?:highest|maximum|peak|hottest)$/u;

function isReached({ predicate, thresholds }: Asked): boolean {
  const isFrom = thresholds.every(({ comparison }) => comparison === "above" || comparison === "at least");
  return isFrom && thresholds.length > 0 && !GRAMMARS.en.be.has(predicate?.text);
}

/** Whether the question asks for any thing of a kind: "a court". */
function isAny(question: readonly Word[], kind: Token | undefined): boolean {
  return question.some((one, at) => one.stem === kind?.stem && INDEFINITE.test(question[at - 1]?.text ?? ""));
}

const INDEFINITE = /^(?:an?|eine?|une?|una|uma?)$/u;

function isForeign(phrase: Phrase, isSubjectOnly: boolean): boolean {
  const { words, roles, language, isCore } = phrase;
  const verb = roles.indexOf("verb");
  // A subject without a word of the question's arguments is not one that the question names.
  const isNamed = words.slice(0, verb).some((word, at) => roles[at] === "own" && isCore(word));
  const from = verb < 0 || isNamed ? 0 : verb;
  return words.some((word, at) => {
    if (!isSubjectOnly && roles[at] !== "own" && isLonger(phrase, at)) return true;
    if (at < from || roles[at] === "own" || roles[at] === "verb") return false;
    if (isInName(phrase, at)) return !isSubjectOnly;
    if (!isSubjectOnly && (isBodyOf(phrase, at) || isKindOf(phrase, at))) return true;
    if (roles[at] !== "other") return false;
    // ", for The Long River (Harbour Press)": the work for which a prize was won
    if (word.capital && words[0]?.text === "for" && language === "en") return false;
    // "the Women's Copper Cup"
    const owned = words[at + 1]?.text === "s" ? at + 2 : at + 1;
    if (!isSubjectOnly && WORDS.lesser.has(word.text) && roles[owned] === "own") return true;
    // "entered Mars orbit" for "lunar orbit"
    const isModifier = roles[at + 1] === "own" && words[at + 1]?.capital === false && words[at + 1]?.gap.trim() === "";
    // "president of the Assembly of the Council"
    const isBetween = WORDS.of.has(words[at + 1]?.text) && WORDS.of.has(words[at - 1]?.text);
    // "beef imports from Marland": things of one kind, and not all of them
    const [kind, mark] = [words[at - 2], words[at - 1]];
    const isOfKind =
      roles[at - 2] === "own" && kind?.capital === false && /[^s]s$/u.test(kind.text) && FROM.test(mark?.text ?? "");
    if (verb >= 0 && at > verb && word.capital && language !== "de" && !isModifier && !isBetween && !isOfKind)
      return false;
    // "the Supreme Court" for "the court": an adjective leaves the subject what it is.
    const isAttribute = roles[at + 1] === "own" || (roles[at - 1] === "own" && isRomance(language));
    if (isSubjectOnly) return at < verb && !isAttribute && isBeside(phrase, at, true);
    return isGoverned(phrase, at) || isBeside(phrase, at, false);
  });
}

/** "lead the works council of the bank" for leading the bank: the object of a verb is a body of what the question names. */
function isBodyOf({ words, roles, grammar }: Phrase, at: number): boolean {
  if (!WORDS.body.has(words[at]?.text) || !WORDS.of.has(words[at + 1]?.text)) return false;
  const isInside = (n: number): boolean => roles[n] === "other" || grammar.determiner.has(words[n]?.text);
  const first = words.findLastIndex((_, n) => n < at && !isInside(n));
  return roles[first] === "verb" && until(roles.slice(at + 2), (role) => role === "other").includes("own");
}

/** "the price war" for the war, "the team gold medal" for the gold medal */
function isKindOf({ words, roles }: Phrase, at: number): boolean {
  const next = words[at + 1];
  return /^(?:prices?|team)$/u.test(words[at]?.text ?? "") && roles[at + 1] === "own" && next?.capital === false;
}

/** "Sommers" for "Sommer": the stems of two names can be the same. */
function hasLikeName({ names }: Asked, tokens: readonly Token[], question: readonly Word[]): boolean {
  return tokens.some(
    ({ text, stem, capital }) =>
      capital &&
      names.has(stem) &&
      !question.some((one) => one.text === text || one.text === text.replace(OF_PLACE, "")),
  );
}

/** "the single Tidal" for the album Tidal */
function isOtherWork({ names }: Asked, tokens: readonly Token[], question: readonly Word[]): boolean {
  return (
    question.some(({ text }) => WORDS.work.has(text)) &&
    tokens.some(
      ({ text }, at) =>
        WORDS.work.has(text) && names.has(tokens[at + 1]?.stem ?? "") && !question.some((one) => one.text === text),
    )
  );
}

const OF_PLACE = ADJECTIVE_ENDINGS.en;

/** Whether a capital word makes another name of the question's: "Vale Super Cup", "in West Orland", "Coppa dei Colli Primavera". */
function isInName({ words, roles, language, isDefinite, isPair }: Phrase, at: number): boolean {
  const [last, word, next] = [words[at - 1], words[at], words[at + 1]];
  if (word === undefined || !word.capital || !/^\p{L}{2}/u.test(word.text) || WORDS.title.has(word.text)) return false;
  const isBehind = roles[at - 1] === "own" && last?.capital === true && word.gap.trim() === "";
  if (isBehind && isRomance(language)) return true;
  if (roles[at + 1] !== "own" || next?.capital !== true || !/^['’]?\s*$/u.test(next.gap)) return false;
  // "South Norland", "Little Mount Tarn"
  if (DIRECTION.test(word.text)) return true;
  return (isBehind && isPair(last, next)) || (at > 0 && isDefinite(next));
}

/** "Corland University" and "the Corland Senate" for "Corland", "Brightwater Logistics Asia". */
function isLonger({ words, roles, language }: Phrase, at: number): boolean {
  const word = words[at];
  const isOwn = (n: number): boolean => roles[n] === "own" && words[n]?.capital === true;
  // "the Lorn Institute of Technology", "the Harrow Prize for Poetry"
  const isBehind = isOwn(at - 1) || (/^(?:of|for)$/u.test(words[at - 1]?.text ?? "") && isOwn(at - 2) && isOwn(at - 3));
  return (
    language === "en" &&
    word?.capital === true &&
    /^\p{L}{2}/u.test(word.text) &&
    word.gap === " " &&
    isBehind &&
    (roles[at] === "other" || WORDS.body.has(word.text)) &&
    ![WORDS.legalForm, WORDS.title].some((known) => known.has(word.text)) &&
    !CLUB.test(word.text)
  );
}

const FROM = /^(?:from|to|on)$/u;
const DIRECTION = /^(?:(?:north|south|east|west)(?:ern)?|little|great(?:er)?|upper|lower|inner|outer|old|new)$/u;
const CLUB = /^(?:fc|afc|cf|sc|ac|united|city|town)$/u;
const MARK = /[,;:()–—"“”„«»]/u;

/** The phrases between marks in a clause and beside it: those with words of the question, and those that begin with a preposition. */
function phrasesOf(
  tokens: readonly Token[],
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
  { grammar, outcomes }: { readonly grammar: Grammar; readonly outcomes: ReadonlySet<string> },
): (readonly Token[])[] {
  const phrases: Token[][] = [];
  for (const [at, word] of tokens.entries()) {
    const last = tokens[at - 1];
    const isEnd = word.start === start || last?.end === end;
    // "240,000" is one number.
    const isMarked =
      MARK.test(text.slice(last?.end ?? 0, word.start)) &&
      !/^\d,\d{3}/u.test(text.slice((last?.end ?? 1) - 1, word.start + 3));
    if (last === undefined || isEnd || isMarked) phrases.push([]);
    phrases.at(-1)?.push(word);
  }
  const isDenied = tokens.some(({ text: word }) => grammar.not.has(word));
  // "after two failed inspections" tells of another, earlier event.
  const cut = phrases.map((words) =>
    until(
      words,
      ({ text: word }, at) =>
        (WORDS.circumstance.has(word) || (word === "before" && !isDenied) || tellsHow(words, at, outcomes)) &&
        words[at + 1]?.gap !== "-",
    ),
  );
  const isInside = (words: readonly Token[]): boolean => words.some((word) => isWithin(word, { start, end }));
  const isAdjunct = ([first, second]: readonly Token[]): boolean =>
    first !== undefined &&
    // "up one tenth from July"
    !/^(?:up|down)$/u.test(first.text) &&
    (grammar.preposition.has(first.text) || (WORDS.counting.has(first.text) && !/^an?$/u.test(second?.text ?? "")));
  return cut.filter((words, at) => {
    if (text[(words[0]?.start ?? 0) - 1] === "(" && isInside(cut[at + 1] ?? [])) return true;
    const isBehind = isInside(phrases[at - 1] ?? []);
    if (isInside(words) || isBehind) return !isBehind || isAdjunct(words);
    const isFirst = at === 0 && isInside(phrases[1] ?? []);
    // "With ten mayors watching, X signed the act"
    if (words[0]?.text === "with" && words.some(({ text: word }) => /.{3}ing$/u.test(word))) return false;
    return isFirst && (isAdjunct(words) || /(?:ed|ing)$/u.test(words[0]?.text ?? ""));
  });
}

/** Whether a preposition opens words that leave an event what it is: its seller, its price, its site, its vehicle, its duration. */
function tellsHow(words: readonly Token[], at: number, outcomes: ReadonlySet<string>): boolean {
  const phrase = words
    .slice(at, at + 5)
    .map(({ text }) => text)
    .join(" ");
  return HOW.some(
    ([names, pattern]) => (names.length === 0 || names.some((one) => outcomes.has(one))) && pattern.test(phrase),
  );
}

const HOW: readonly (readonly [outcomes: readonly string[], pattern: RegExp])[] = [
  [["acquire"], /^(?:from|for \d)/u],
  [["launch"], /^(?:from|aboard|atop|on (?:board|top))(?!\S)/u],
  [
    ["win"],
    /^(?:for (?:his|her|their)|pour (?:son|sa|ses|leur)|por su|per (?:il suo|la sua)|für (?:ihre|seine)n?)(?!\S)/u,
  ],
  [
    [],
    new RegExp(
      String.raw`^in (?:only |just |under |less than )?(?:\d+|${numberWordPattern("en")}) (?:minute|hour|day|week|month)s?(?!\S)`,
      "u",
    ),
  ],
  [[], /^with (?:\S+ ){1,3}to spare(?!\S)/u],
  [[], /^at the (?:first|second|third|fourth|fifth) (?:attempt|try)(?!\S)/u],
];

/** Characters by which "mayor" and "mayoral" are of one family. */
const FAMILY = 5;

function isOf(word: Token, one: { readonly text: string; readonly stem: string }, language: Language): boolean {
  const beginning = one.stem.slice(0, FAMILY);
  return isForm(word, one, language) || (beginning.length === FAMILY && word.stem.startsWith(beginning));
}

const AS_TOLD = /^(?:promised|planned|expected|announced|scheduled|agreed|hoped)$/u;

function isHarmless(phrase: readonly Token[], at: number, grammar: Grammar): boolean {
  const { text = "", capital = false } = phrase[at] ?? {};
  // "as promised"
  if (phrase[at - 1]?.text === "as" && AS_TOLD.test(text)) return true;
  if (phrase[at - 1]?.text === "in" && text === "cash") return true;
  const { says, denies } = grammar;
  return (
    (isFunctionWord(text, grammar) && !WORDS.counting.has(text)) ||
    isStopWord(text, grammar === GRAMMARS.en ? "en" : undefined) ||
    (COMPARING.test(text) && (!text.endsWith("er") || phrase[at + 1]?.text === "than")) ||
    ADVERB.test(text) ||
    [WORDS.time, WORDS.manner, WORDS.general, WORDS.standFor].some((words) => words.has(text)) ||
    // "312 council seats"
    (WORDS.body.has(text) && !/^\d/u.test(phrase[at - 1]?.text ?? "")) ||
    // "the state Senate": behind an article it is a noun.
    (!capital && !grammar.determiner.has(phrase[at - 1]?.text) && (says.has(text) || denies.has(text))) ||
    // "remains in office"
    (WORDS.in.has(phrase[at - 1]?.text) && WORDS.state.has(text)) ||
    (!WORDS.lesser.has(text) &&
      // "the harbour quarter of Carrow"
      (isTime(phrase[at - 1], grammar) || (isTime(phrase[at + 1], grammar) && !WORDS.of.has(phrase[at + 2]?.text))))
  );
}

/** "an" is a year in French. */
function isTime(word: Token | undefined, { determiner }: Grammar): boolean {
  return WORDS.time.has(word?.text) && !determiner.has(word?.text);
}

function isVerb(
  { outcomes, predicate, terms }: Asked,
  words: readonly Token[],
  at: number,
  { grammar, language }: { grammar: Grammar; language: Language },
): boolean {
  const [word, previous] = [words[at], words[at - 1]];
  if (word === undefined) return false;
  if (grammar.be.has(word.text) || grammar.have.has(word.text)) return true;
  if (predicate !== undefined && isForm(word, predicate, language)) return true;
  // "went on sale": the words behind the verb belong to it.
  const first = words.findIndex((_, n) => n <= at && n + outcomeLength(words, n) > at && isOutcome(words, n, outcomes));
  if (first >= 0) return true;
  if (language !== "en") return false;
  // "remains closed"
  if (/^(?:remains|stays)$/u.test(word.text) && !grammar.determiner.has(previous?.text)) return true;
  // "the closed circuit": a participle before a noun.
  const next = words[at + 1];
  const isFirst = previous === undefined && next !== undefined && !isFunctionWord(next.text, grammar);
  const isAttribute =
    isFirst ||
    [grammar.determiner, grammar.preposition].some((set) => set.has(previous?.text)) ||
    // "won the prize for best animated picture"
    (terms.has(previous?.stem ?? "") &&
      terms.has(next?.stem ?? "") &&
      !next?.capital &&
      words.slice(0, at).some((_, n) => isOutcome(words, n, outcomes))) ||
    // "Orbis preferred shares closed", "reported adjusted revenue", "412,000 used vehicles"
    (terms.has(next?.stem ?? "") && words.slice(at + 2).some((one) => predicate?.stem === one.stem)) ||
    (/..ed$|^\d/u.test(previous?.text ?? "") && next?.gap === " " && !isFunctionWord(next.text, grammar));
  // "to lift the cup"
  if (previous?.text === "to" && grammar.determiner.has(words[at + 1]?.text)) return true;
  // "Best Animated Picture"
  const isInTitle = word.capital && previous?.capital === true;
  return isPast(word) && !isAttribute && !isInTitle;
}

function isOutcome(words: readonly Token[], at: number, outcomes: ReadonlySet<string>): boolean {
  return [...conceptsAt(words, at)].some(
    (one) => outcomes.has(one) || (OUTCOMES.lasting.has(one) && [...outcomes].some((other) => areContrary(one, other))),
  );
}

/** Whether a word stands behind a preposition, and its phrase has no number: "with a flying start", not "by 14 votes". */
function isGoverned({ words, roles, grammar, hasAgent }: Phrase, at: number): boolean {
  // "scored by substitute Jo Varga": a description of a name.
  if (roles[at + 1] === "own" && words[at + 1]?.capital === true && grammar !== GRAMMARS.de) return false;
  for (let n = at - 1; n >= 0; n -= 1) {
    const word = words[n];
    if (word === undefined || roles[n] === "verb" || roles[n] === "own" || grammar.pronoun.has(word.text)) return false;
    if (WORDS.counting.has(word.text)) return true;
    // "den Haushalt der Schulen"
    if (/^(?:der|des)$/u.test(word.text) && roles[n - 1] === "own") return true;
    if (!grammar.preposition.has(word.text)) continue;
    if (!hasAgent && grammar.by.has(word.text)) return false;
    return !until(roles.slice(n + 1, at + 3), (role) => role === "verb").includes("figure");
  }
  return false;
}

/** "the village near the festival", "futures on wheat" */
const BESIDE = /^(?:near|beside|outside|behind|around|opposite|on)$/u;

/** Whether a word belongs to a noun of the question: "party youth", "the party's wing", "the wing of the party", "junior record". */
function isBeside(
  { words, roles, grammar, language, isDefinite, isHead }: Phrase,
  at: number,
  isSubjectOnly: boolean,
): boolean {
  const isJoined = (n: number): boolean => /^[\s\u00a0'’-]*$/u.test(words[n]?.gap ?? "");
  const verb = roles.indexOf("verb");
  // "the party's wing", "the party's Norland wing"
  const first = words.findLastIndex((one, n) => n < at && !(one.capital && roles[n] === "other" && isJoined(n)));
  const isOwned = words[first]?.text === "s" && roles[first - 1] === "own";
  const isBehind = (roles[at - 1] === "own" || isOwned) && isJoined(at);
  // A word between the subject and its object is the verb.
  // "l'inflazione alimentare"
  const [last, word] = [words[at - 1], words[at]];
  const isRomanceAdjective = isRomance(language) && word?.capital === false && word.text.length > 3;
  // "468 000 visiteurs payants"
  const isUnit = roles[at - 1] === "figure" && /^\p{L}{4}/u.test(last?.text ?? "");
  // "the 1,500 metres hurdles"
  const isLength =
    /^(?:met(?:er|re)s?|miles?)$/u.test(last?.text ?? "") &&
    /(?:s|relay|chase|style|fly|stroke)$/u.test(word?.text ?? "");
  if ((isRomanceAdjective || isLength) && isUnit && isJoined(at)) return true;
  // "Bitcoin mining cost was"
  const isOfRun = (one: Token, n: number): boolean => roles[n] === "other" || WORDS.standFor.has(one.text);
  const rest = words.findIndex((one, n) => n > at && (!isOfRun(one, n) || one.capital || !isJoined(n)));
  // "Halden's youth side was"
  const isOfOwn = roles[at - 1] === "own" || (isBehind && WORDS.lesser.has(word?.text));
  const isRun = roles[isOfOwn ? rest : at + 1] === "verb";
  if (isBehind && (at > verb || isRomanceAdjective || isRun || words[at]?.gap === "-"))
    return verb >= 0 || roles[at + 1] !== "harmless";
  if (!isJoined(at + 1)) return false;
  // "the stand-in captain"
  const behind = words.findIndex((one, n) => n > at && one.gap !== "-");
  const next = words[behind];
  if (
    roles[behind] === "own" &&
    (!next?.capital ||
      language === "de" ||
      isRomance(language) ||
      isDefinite(next) ||
      // "Wrapped Bitcoin"
      (at === 0 && word?.text.endsWith("ed") === true) ||
      // "Lieutenant Governor Marlow"
      WORDS.title.has(next.text))
  )
    return verb >= 0;
  const isPartOf =
    WORDS.of.has(next?.text) ||
    BESIDE.test(next?.text ?? "") ||
    (language === "de" && /^(?:der|des)$/u.test(next?.text ?? ""));
  const governed = until(words.slice(behind + 1, behind + 7), (_, n) => roles[behind + 1 + n] === "verb");
  if (isPartOf) return governed.slice(0, 3).some((_, n) => roles[behind + 1 + n] === "own");
  // "the exhibition about the bridge", and not "took part in the vote", "dockers at the port of the strike"
  return !isSubjectOnly && roles[at - 1] !== "verb" && grammar.preposition.has(next?.text) && governed.some(isHead);
}
