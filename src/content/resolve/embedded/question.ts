import { aliasesIn } from "../reading/aliases.ts";
import { type Plan, type Threshold } from "../reading/analysis.ts";
import { isChange, measureOf } from "../reading/changes.ts";
import { AWARDS, isParticipleOfMotion } from "../reading/clauses.ts";
import { datesOf, type NamedDate } from "../reading/dates.ts";
import { type Grammar, GRAMMARS, isFunctionWord, type Reader } from "../reading/grammar.ts";
import { conceptsIn, outcomeLength } from "../reading/concepts.ts";
import { quantitiesOf } from "../reading/quantities.ts";
import { type Token, undatedTokensOf } from "../reading/spans.ts";
import { isContestWon } from "../reading/thresholds.ts";
import { WORDS } from "../reading/vocabulary.ts";
import { isRomance, type Language, questionLanguage } from "../reading/words.ts";
import {
  type Argument,
  argumentOf,
  firstBreak,
  nounPhraseEnd,
  phraseFrom,
  RIVAL,
  secondPhrase,
} from "../reading/noun-phrases.ts";
import { outcomesOf, predicateOf, STEADY } from "../reading/predicates.ts";
import { until } from "../reading/until.ts";

/** A plan, prepared once for comparisons with many sentences. */
export interface Asked {
  readonly plan: Plan;
  readonly now: number;
  /** Undefined if the question's language has no reading. */
  readonly language: Language | undefined;
  readonly terms: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  /** Writes the names of a text as the question does. */
  readonly inOwnNames: (text: string) => string;
  /** The outcome in the question: the known concepts of its predicate, or else of the whole statement. */
  readonly outcomes: ReadonlySet<string>;
  /** The predicate. Undefined if the question has no verb but "be". */
  readonly predicate: Token | undefined;
  /** The stems of a predicate that names the outcome only with the words behind it: "go public". Else empty. */
  readonly phrase: ReadonlySet<string>;
  /** The one who acts, and what the predicate happens to. Undefined if the question does not name them. */
  readonly agent: Argument | undefined;
  readonly patient: Argument | undefined;
  /** The preposition behind the predicate and the words that it governs: "convicted of fraud". */
  readonly oblique: { readonly preposition: string; readonly words: ReadonlySet<string> } | undefined;
  /** The office that the question's subject may have got. */
  readonly role?: Argument | undefined;
  /** Whether it asks by whom something was done. */
  readonly isByAgent: boolean;
  /** The nouns that "and" joins: "reopened to cars and trains", "won the Tarn Open and the Marl Open". */
  readonly joined: readonly (readonly [string, string])[];
  /** Names with the numbers that belong to them. */
  readonly numbered: readonly (readonly [string, string])[];
  /** Whether the question asks for a future event: "Will ...?". */
  readonly isFuture: boolean;
  readonly years: ReadonlySet<number>;
  readonly thresholds: readonly Threshold[];
  /** Whether a threshold is of a change: "grow by more than 2 percent". */
  readonly asksChange: boolean;
  /** The stem of the noun that is measured: "a turnout of at least 50 percent". */
  readonly measure: string | undefined;
  /** The weight of a term: names that act or that something happens to count most, circumstances least. */
  weightOf(term: string): number;
}

const FUTURE =
  /^(?:will|is\s.{0,60}\bgoing\sto|wird|werden|va|¿?(?:será|va\sa)|vai)\b|\p{L}{2}(?:r(?:à|anno|án?|ão)(?!\p{L})|ra-t-|ront-)/iu;

/** Prepares a plan for comparisons with sentences. */
export function askedOf(plan: Plan, now: number): Asked {
  const language = questionLanguage(plan.question, plan.criteria);
  const names = new Set(plan.names);
  const structure = structureOf(plan, language ?? "en", now);
  return {
    plan,
    now,
    language,
    terms: new Set(plan.terms),
    names,
    inOwnNames: aliasesIn(plan.statement, plan.question),
    ...structure,
    isFuture: FUTURE.test(plan.statement) || FUTURE.test(plan.question.trim()),
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
    asksChange: plan.thresholds.some(({ text }) =>
      isChange(plan.statement.slice(0, plan.statement.indexOf(text)), structure.outcomes),
    ),
    measure: measureOf(plan.statement),
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
  "outcomes" | "predicate" | "phrase" | "role" | "agent" | "patient" | "isByAgent" | "oblique" | "joined" | "numbered"
>;

/** The predicate of a question and its arguments. Dates and function words are not part of them. */
function structureOf({ statement, thresholds, ...plan }: Plan, language: Language, now: number): Structure {
  const terms = new Set(plan.terms);
  const grammar = GRAMMARS[language];
  const reader = { grammar, language };
  const dates = datesOf(statement, now);
  const figures = quantitiesOf(statement, language, dates).filter(
    (one) =>
      !isContestWon(statement, one) &&
      thresholds.some(({ text }) => text === statement.slice(one.start, one.end).trim()),
  );
  const outside = [...dates, ...figures];
  // "the referendum of March 2026 annulled": the preposition of a date goes with it.
  const tokens = undatedTokensOf(statement, outside).filter(
    ({ text, end }) =>
      !(grammar.preposition.has(text) && outside.some(({ start }) => start >= end && start - end <= 2)),
  );
  const found = predicateOf(tokens, grammar, language) ?? -1;
  // "Will US inflation be above 3%": a noun behind a name, and no verb.
  const isMeasure = thresholds.length > 0 && BE_BOUND.test(statement) && tokens[found - 1]?.capital === true;
  const at = isMeasure ? -1 : found;
  const predicate = tokens[at];
  const length = outcomeLength(tokens, at);
  const phrase = new Set(length > 1 ? tokens.slice(at, at + length).map(({ stem }) => stem) : []);
  const bare = { oblique: undefined, joined: [], numbered: numberedIn(tokens), isByAgent: false, predicate, phrase };
  if (predicate === undefined) {
    const agent = argumentOf(tokens.slice(0, firstBreak(tokens, 1, grammar)), terms, reader);
    return { ...bare, outcomes: new Set(), agent, patient: undefined };
  }
  // "pass 100 million users": the verb compares, and names no outcome.
  const isBound = COMPARES.test(predicate.text) && figures.length > 0;
  const outcomes = isBound ? new Set<string>() : outcomesOf(tokens, at);
  // "fail to sign", "be able to sign": the verb before "to" is not part of the subject.
  const left = tokens.slice(0, tokens[at - 1]?.text === "to" ? Math.max(1, at - 2) : at);
  const behind = tokens.slice(at + length).filter(({ text }) => !(outcomes.has("unchanged") && STEADY.test(text)));
  const [before, right] = partsOf(left, behind, outcomes, reader);
  const subject = argumentOf(before, terms, reader);
  const turned = turnedForm(outcomes, { tokens, at, behind, subject, terms, reader });
  if (turned !== undefined) return { ...bare, ...turned };
  const isPassive = isPassiveAt(tokens, at, reader);
  // "been appointed director", "be elected mayor": the office stands behind the verb.
  const isOffice = outcomes.has("appoint") || outcomes.has("elect");
  const to =
    isOffice && language === "de" && !outcomes.has("win")
      ? left.findIndex((word) => /^(?:zu[mr]|als)$/u.test(word.text))
      : -1;
  // "zur Ministerin von Westmark ernannt"
  const by = isPassive && to < 0 ? right.findIndex((word) => grammar.by.has(word.text)) : -1;
  const office =
    to >= 0
      ? left.slice(to + 1)
      : isOffice && isPassive && by === -1
        ? phraseFrom(behind, behind[0]?.text === "as" ? 1 : 0, grammar)
        : [];
  const object = isPassive && by === -1 ? undefined : argumentOf(phraseFrom(right, by + 1, grammar), terms, reader);
  const behindPassive = isRomance(language) ? argumentOf(phraseFrom(right, 0, grammar), terms, reader) : undefined;
  // "¿Se aprobó la subida?": what stands behind the verb can be its subject.
  const isSubjectBehind = subject === undefined && language !== "en";
  return {
    ...bare,
    outcomes,
    role: argumentOf(office, terms, reader),
    joined: [...joinedIn(before, terms, grammar), ...joinedIn(right, terms, grammar)],
    isByAgent: isPassive && object !== undefined,
    oblique: obliqueOf(behind, terms),
    agent: isPassive || isSubjectBehind ? object : subject,
    // "¿Será condenado X?"
    patient: ofDeed(
      isPassive ? (subject ?? (by === -1 ? behindPassive : undefined)) : isSubjectBehind ? undefined : object,
      outcomes,
      tokens,
    ),
  };
}

/** A predicate in a question, the words behind it, and what stands before it. */
interface Form {
  readonly tokens: readonly Token[];
  readonly at: number;
  readonly behind: readonly Token[];
  readonly subject: Argument | undefined;
  readonly terms: ReadonlySet<string>;
  readonly reader: Reader;
}

/** The outcomes and the arguments in a form whose subject is not who acts. Undefined in other forms. */
function turnedForm(
  outcomes: ReadonlySet<string>,
  { tokens, at, behind, subject, terms, reader }: Form,
): (Pick<Structure, "outcomes" | "agent" | "patient"> & Partial<Pick<Structure, "role" | "oblique">>) | undefined {
  const { text = "" } = tokens[at] ?? {};
  // "Did the festival award its prize to a documentary": who receives it has it.
  const to =
    AWARDS.test(text) && reader.language === "en" && !isPassiveAt(tokens, at, reader)
      ? behind.findIndex((word) => WORDS.to.has(word.text))
      : -1;
  if (to > 0)
    return {
      outcomes,
      agent: argumentOf(phraseFrom(behind, to + 1, reader.grammar), terms, reader),
      patient: argumentOf(behind.slice(0, to), terms, reader),
    };
  if (subject !== undefined && WORDS.to.has(behind[0]?.text)) {
    const agent = argumentOf(phraseFrom(behind, 1, reader.grammar), terms, reader);
    // "Was the prize awarded to X": who receives it has it.
    if (AWARDS.test(text) && reader.language !== "de") return { outcomes, agent, patient: subject };
    // "Was X sold to Y": who buys it.
    if (outcomes.has("sell") && isPassiveAt(tokens, at, reader))
      return { outcomes: new Set(["acquire"]), agent, patient: subject };
  }
  // "Did the jury find X guilty": the verb whose result is asked.
  const verb = WORDS.result.has(text) ? tokens.findLastIndex((word, n) => n < at && DECLARE.test(word.text)) : -1;
  if (verb > 0) {
    const patient =
      argumentOf(tokens.slice(verb + 1, at), terms, reader) ?? argumentOf(tokens.slice(0, verb), terms, reader);
    return { outcomes, oblique: obliqueOf(behind, terms), agent: undefined, patient };
  }
  // "become law": it is signed.
  if (outcomes.has("enact") && outcomes.has("become"))
    return { outcomes: new Set(["enact", "sign"]), agent: undefined, patient: subject };
  // "become leader", "take over as coach": others choose who becomes it.
  if (outcomes.has("become") && subject !== undefined) {
    const role = argumentOf(behind, terms, reader);
    const isCandidate = [...(role?.heads ?? [])].some((head) => CANDIDATE.test(head));
    const chosen = isCandidate ? ["appoint", "elect", "nominate"] : ["appoint", "elect"];
    return { outcomes: new Set([...outcomes, ...chosen]), agent: undefined, patient: subject, role };
  }
  return undefined;
}

const CANDIDATE = /^(?:candidat|nomine)/u;

const DECLARE = /^(?:find|found|declared?|ruled?)$/u;

/** "complete the takeover": another word for the deed is the same thing. */
function ofDeed(
  patient: Argument | undefined,
  outcomes: ReadonlySet<string>,
  tokens: readonly Token[],
): typeof patient {
  if (patient === undefined || !outcomes.has("complete")) return patient;
  return { ...patient, outcomes: conceptsIn(tokens.filter(({ stem }) => patient.heads.has(stem))) };
}

/** The words of the subject of a question, and those of its object. */
function partsOf(
  left: readonly Token[],
  behind: readonly Token[],
  outcomes: ReadonlySet<string>,
  { grammar, language }: Reader,
): readonly [readonly Token[], readonly Token[]] {
  // "¿Aprobó el pleno la subida?": the subject follows the verb, and the object begins at the next article.
  const isVerbFirst = isRomance(language) && left.every(({ text }) => grammar.have.has(text));
  if (language !== "de" && !isVerbFirst) return [left, behind];
  // "Gewann Jana Rehm den Preis?"
  const words = isVerbFirst || left.length === 0 ? behind : left;
  const end = isVerbFirst ? secondPhrase(words, grammar) : nounPhraseEnd(words, grammar);
  // "Hat Halden Sillo übernommen?": two names side by side
  const isPair = language === "de" && end === 3 && words.length === 3 && words[2]?.capital === true;
  if (isPair && outcomes.has("acquire")) return [words.slice(0, 2), words.slice(2)];
  const isRival = isVerbFirst && RIVAL.test(words[end]?.text ?? "");
  return [words.slice(0, end), words.slice(isRival ? end + 1 : end)];
}

function isPassiveAt(tokens: readonly Token[], at: number, { grammar, language }: Reader): boolean {
  const token = tokens[at];
  if (token === undefined || AWARDS.test(token.text)) return false;
  if (language === "de") {
    const { text = "" } = tokens[0] ?? {};
    // "Wird X verurteilt?", and not "Wird X gewinnen?"
    return /^(?:wurden?|worden)$/u.test(text)
      ? /(?:t|en)$/u.test(token.text)
      : /^(?:wird|werden)$/u.test(text) && DONE.test(token.text);
  }
  return (
    !isParticipleOfMotion(token, language) &&
    tokens.slice(0, at).some((word) => grammar.be.has(word.text) || (isRomance(language) && WILL_BE.test(word.text))) &&
    /(?:[dtnoaeiu]|[oa]s|uck)$/u.test(token.text) &&
    tokens[at - 1]?.text !== "to"
  );
}

/** Endings of participles that an infinitive does not have, and "entlassen". */
const DONE = /t$|(?:\p{L}{2}ge\p{L}{3,}|verbot|verschob|beschloss|entlass|geschloss|gestrich)en$/u;
const WILL_BE = /^(?:ser(?:a|an|ao|ont)|sar(?:a|anno)|verr(?:a|anno))$/u;

const BE_BOUND =
  /^will\s(?:(?!\bto\b)[^,])+?\sbe\s(?:above|below|over|under|between|at\s(?:least|most|or\s)|(?:higher|lower|greater|more|less)\sthan|exactly\s|[$€£]?\d)/iu;
const COMPARES = /^(?:pass|top|cross|hit|surpass|exceed|reach|breach)$/u;

/** Prepositions whose phrase tells two outcomes of one verb apart. */
export const GOVERNED = /^(?:of|for|as|to|wegen|fur)$/u;

function obliqueOf([first, ...rest]: readonly Token[], terms: ReadonlySet<string>): Asked["oblique"] {
  if (first === undefined || !GOVERNED.test(first.text)) return undefined;
  const words = rest.flatMap(({ stem }) => (terms.has(stem) ? [stem] : []));
  return words.length === 0 ? undefined : { preposition: first.text, words: new Set(words) };
}

const MEASURED =
  /^(?:million\p{L}*|billion\p{L}*|mill?iard\p{L}*|millon\p{L}*|milion\p{L}*|milh\p{L}+|thousand|percent|prozent|euros?|dollars?|pounds?|yen|points?)$/u;

/** Words with the numbers that belong to them: "Wren-2", "Line 9", "the 400 metres". */
export function numberedIn(tokens: readonly Token[]): [string, string][] {
  return tokens.flatMap(({ stem, capital, text }, at): [string, string][] => {
    const next = tokens[at + 1];
    if (/^\d{2,5}$/u.test(text) && next !== undefined && /^\p{L}/u.test(next.text) && /^\s$/u.test(next.gap))
      return [[next.stem, text]];
    return capital &&
      /^\p{L}/u.test(text) &&
      next !== undefined &&
      /^\d{1,3}$/u.test(next.text) &&
      /^[\s-]$/u.test(next.gap) &&
      // "fined Zetalk 90 million euros"
      !MEASURED.test(tokens[at + 2]?.text ?? "")
      ? [[stem, next.text]]
      : [];
  });
}

const AND = /^(?:and|und|et|y|e|ed)$/u;

function joinedIn(tokens: readonly Token[], terms: ReadonlySet<string>, grammar: Grammar): [string, string][] {
  const isEnd = (word: Token): boolean => isFunctionWord(word.text, grammar) || !terms.has(word.stem);
  return tokens.flatMap(({ text }, at): [string, string][] => {
    if (!AND.test(text)) return [];
    const start = tokens.slice(0, at).findLastIndex(isEnd) + 1;
    const left = tokens.slice(start, at).map(({ stem }) => stem);
    const rest = tokens.slice(at + 1);
    const articles = until(rest, (word) => !isFunctionWord(word.text, grammar));
    const right = until(rest.slice(articles.length), isEnd).map(({ stem }) => stem);
    // "the Tarn Open and the Marl Open": the words that tell them apart
    const one = left.findLast((stem) => !right.includes(stem));
    const other = right.find((stem) => !left.includes(stem));
    return one === undefined || other === undefined ? [] : [[one, other]];
  });
}
