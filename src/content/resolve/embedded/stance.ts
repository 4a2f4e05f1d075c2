import { type Source, type Statement, type StatementKind, type Support } from "../reading/analysis.ts";
import { type Predication, predicationOf } from "../reading/clauses.ts";
import { type Reality } from "../reading/reality.ts";
import { type ReadSentence, type Token, undatedTokensOf } from "../reading/spans.ts";
import { type Passage } from "../evidence/passages.ts";
import { type FirstNumber } from "../reading/date-order.ts";
import { datesAround, datesOf, type NamedDate } from "../reading/dates.ts";
import { GRAMMARS, isFunctionWord } from "../reading/grammar.ts";
import { isNegated } from "../reading/negation.ts";
import { isForm, type Language, wordsOf } from "../reading/words.ts";
import { fitOf } from "./arguments.ts";
import { areContrary, conceptsAt, conceptsIn } from "../reading/concepts.ts";
import { isQuestion } from "./kinds.ts";
import { measured } from "./measures.ts";
import { type Asked } from "./question.ts";
import { recorded } from "./records.ts";
import { superlative } from "./superlatives.ts";
import { rowOf } from "./tables.ts";
import { isOfOthers, isOfPart, isOfYearBefore, isOtherTime } from "./siblings.ts";

const DAY = 86_400_000;

/** The minimum share of the question's terms in a sentence that states the outcome. The sentences before it count too. */
const STATED = 0.5;
/** The minimum share of the question's terms in a related question, so that its answer also answers the question. */
const ANSWERED = 0.65;
/** The minimum share for a sentence whose predicate and arguments are those of the question. */
const NEAR = 0.4;
/** The factor for a sentence that only quotes or names the outcome. It never decides. */
const INDIRECT = 0.35;

/** The strength of a sentence that gives another actor what only one can have. It names none of the question's actors. */
const OTHER_ACTOR = 0.75;

/** The strength of a figure before the deadline that does not meet the threshold. It never decides. */
const EARLY_FIGURE = 0.45;

/** Outcomes that are final: their contrary cannot follow before the deadline. */
const FINAL = new Set(["reject", "cancel", "lose", "eliminate", "acquit", "die", "win", "convict"]);

/** A sentence's reading of an outcome, without its dates: 1 affirms it, -1 denies it, 0 does neither. */
interface Reading {
  readonly sign: -1 | 0 | 1;
  readonly strength: number;
  /** Whether the sentence says "not (yet)" and does not name a contrary outcome. */
  readonly isAbsence: boolean;
  readonly kind?: StatementKind | undefined;
  /** Whether it compares a figure. */
  readonly isFigure?: boolean;
  /** Whether it excludes that the outcome follows later. */
  readonly isFinal?: boolean;
  /** The part of the sentence that says it. Its dates are those of the outcome. */
  readonly part?: { readonly start: number; readonly end: number } | undefined;
}

const NOTHING: Reading = { sign: 0, strength: 0, isAbsence: false };

/** The place of a passage. */
interface At {
  readonly source: Source;
  readonly index: number;
  readonly language: Language | undefined;
  readonly order: FirstNumber | undefined;
}

/** The statement that a passage makes. Undefined if the passage does not bear on the question. */
export function statementOf(asked: Asked, passage: Passage, at: At): Statement | undefined {
  const { published } = at.source;
  const dates =
    published === undefined
      ? datesOf(passage.text, asked.now, at.order)
      : datesAround(passage.text, published, at.order);
  const reading = read(asked, passage, { dates, language: at.language });
  if (reading.sign === 0 && passage.coverage < STATED) return undefined;
  const turned = asked.plan.negated ? -reading.sign : reading.sign;
  const date = dateOf(passage.text, dates, reading);
  const base: Statement = {
    source: at.index,
    quote: passage.text,
    supports: "NEUTRAL",
    kind: reading.kind ?? (isQuestion(passage.text) ? "question" : "report"),
    strength: Math.min(0.3, passage.coverage * 0.3),
    date: date?.isAmbiguous === true ? undefined : date?.from,
  };
  if (reading.sign === 0 || isOtherTime(asked, passage.text, dates, reading.part)) return base;
  const { part, isFigure } = reading;
  if (
    part !== undefined &&
    isFigure !== true &&
    isOfYearBefore(asked, passage.text.slice(part.start, part.end), published)
  )
    return base;
  return inTime(
    asked,
    { ...base, supports: sideOf(turned), strength: reading.strength * (base.kind === "fact-check" ? 0.9 : 1) },
    { reading, date, isDated: dates.length > 0 || LAST_YEAR.test(passage.text), source: at.source },
  );
}

/** A period that a report looks back on. */
const LAST_YEAR =
  /(?<![\p{L}])(?:last|past|previous)\s(?:year|season|month|quarter)|the\s(?:year|season|quarter)(?![\p{L}])|(?:letzte[ns]?|vergangene[ns]?)\s(?:Jahr|Saison)|l['’]an(?:née)?\sd(?:ernier|ernière)|el\saño\spasado|l['’]anno\sscorso|(?:no\s)?ano\spassado/iu;

/** The end of a text before the day on which a decision takes effect. */
const EFFECT =
  /(?<![\p{L}])(?:from|with\seffect\s(?:from|on)|as\sof|effective|ab|mit\sWirkung\s(?:vom|zum)|à\s(?:partir|compter)\sdu|a\spartir\sd(?:el?|o|al)|a\sdecorrere\sdal|dal)\s(?:the\s)?$/iu;

/** The date of the outcome: the first one in its clause, or else the first one of the sentence. */
function dateOf(text: string, dates: readonly NamedDate[], { part }: Reading): NamedDate | undefined {
  const exact = dates.filter((one) => one.precision !== "year" && !EFFECT.test(text.slice(0, one.start)));
  const inside = exact.find((one) => part !== undefined && one.start >= part.start && one.end <= part.end);
  return inside ?? exact[0];
}

function sideOf(sign: number): Support {
  return sign > 0 ? "YES" : sign < 0 ? "NO" : "NEUTRAL";
}

function read(
  asked: Asked,
  passage: Passage,
  { dates, language }: { dates: readonly NamedDate[]; language: Language | undefined },
): Reading {
  // Of two events, a sentence states one: each has its own plan.
  if (language === undefined || asked.language === undefined || asked.plan.parts !== undefined) return NOTHING;
  if (isOfOthers(asked, passage)) return NOTHING;
  const answer = answerOf(asked, passage);
  if (answer.sign !== 0) return answer;
  const verdict = factCheckOf(passage);
  if (verdict.sign !== 0) return verdict;
  if (isQuestion(passage.text)) return NOTHING;
  const sentence = { language, dates, tokens: undatedTokensOf(passage.text, dates, passage.words) };
  if (passage.header !== undefined) {
    const row = rowOf(asked, passage, language, dates);
    const { context } = sharesOf(asked, passage);
    if (row === undefined) return NOTHING;
    return {
      ...row,
      strength: boundStrengthOf(context, context),
      isAbsence: false,
      isFigure: asked.thresholds.length > 0,
    };
  }
  if (asked.thresholds.length > 0) {
    const measure = measured(asked, passage, sentence);
    if (measure !== undefined) {
      // The noun that is counted is in the sentence too.
      const { coverage, context: near } = sharesOf(asked, passage);
      const [covered, context] = [1 - 0.75 * (1 - coverage), 1 - 0.75 * (1 - near)];
      return {
        sign: measure.sign,
        strength: boundStrengthOf(Math.max(covered, 0.6), Math.max(covered, context)) * measure.factor,
        isAbsence: measure.sign < 0,
        part: measure.part,
        kind: "report",
        isFigure: true,
      };
    }
    if (asked.thresholds.some(({ comparison }) => comparison !== "equal")) return NOTHING;
  }
  const record = recorded(asked, passage, sentence);
  if (record === undefined) {
    const ranked = superlative(asked, passage, sentence);
    return ranked === undefined
      ? outcomeOf(asked, passage, sentence)
      : {
          ...ranked,
          strength: ranked.sign < 0 ? OTHER_ACTOR : boundStrengthOf(passage.context, passage.context),
          isAbsence: false,
          kind: "report",
          isFinal: true,
        };
  }
  const { context } = sharesOf(asked, passage);
  const strength = record.isOther ? OTHER_ACTOR : boundStrengthOf(context, context);
  return { ...record, strength, isAbsence: false, kind: record.sign === 0 ? "announcement" : "report", isFinal: true };
}

/** A question with its answer: "Did the senate pass the bill? No." */
function answerOf(asked: Asked, passage: Passage): Reading {
  const match = /^\W*(yes|no|true|false|correct|incorrect|ja|nein|oui|non|sí|sì|sim|não)(?![\p{L}])/iu.exec(
    passage.text,
  );
  const question = passage.before;
  if (match === null || !/[?？]\s*$/u.test(question)) return NOTHING;
  const words = wordsOf(question);
  const found = conceptsIn(words);
  const terms = shareOf(asked, new Set(words.map(({ stem }) => stem)), found);
  if (terms < ANSWERED || (asked.outcomes.size > 0 && ![...asked.outcomes].some((one) => found.has(one))))
    return NOTHING;
  const positive = /^(?:yes|true|correct|ja|oui|sí|sì|sim)$/iu.test(match[1] ?? "");
  const sign = positive !== isNegated(question) ? 1 : -1;
  return { sign, strength: strengthOf(terms, terms), isAbsence: !positive };
}

/** The shares of the question's terms in a sentence, and in the sentence with its context. */
function sharesOf(asked: Asked, { words, shared, near }: Passage): { coverage: number; context: number } {
  const outcomes = conceptsIn(words);
  return { coverage: shareOf(asked, shared, outcomes), context: shareOf(asked, near, outcomes) };
}

/** The share of the question's terms among words. Another word for the outcome stands for the question's. */
function shareOf(asked: Asked, words: ReadonlySet<string>, outcomes: ReadonlySet<string>): number {
  const isOutcome = [...asked.outcomes].some((one) => outcomes.has(one));
  let sum = 0;
  let all = 0;
  for (const term of asked.terms) {
    const weight = asked.weightOf(term);
    all += weight;
    if (words.has(term) || (isOutcome && term === asked.predicate?.stem)) sum += weight;
  }
  return sum / Math.max(1, all);
}

const VERDICT =
  /\b(?:this|that|the|these|it|its?)\b.{0,40}\b(?:claims?|posts?|statements?|stor(?:y|ies)|rumou?rs?|reports?|images?|videos?|quotes?|headlines?|articles?|is|was|are)\b.{0,40}\b(?:false|fake|untrue|incorrect|misleading|inaccurate|hoax|fabricated|satire|baseless|unfounded|altered|doctored|not\strue|no\s(?:evidence|proof|truth))\b|^\W*(?:(?:our\s)?(?:rating|ruling|verdict|conclusion)\W{1,4})(?:mostly\s)?(?:false|fake|untrue|incorrect|misleading|inaccurate)/iu;

const UNTRUE_THAT =
  /\b(?:false|untrue|incorrect|wrong|not\s(?:true|correct|the\scase)|no\s(?:evidence|truth))\s(?:\p{L}+\s){0,2}that\s(.*)$/iu;

/** "The claim that X is false", or "This is false" after a sentence that states X. */
function factCheckOf(passage: Passage): Reading {
  if (!VERDICT.test(passage.text) || passage.context < STATED) return NOTHING;
  if (/\bnot\s(?:false|fake|a\shoax|misleading|untrue)\b/iu.test(passage.text)) return NOTHING;
  // "It is not true that the bill did not pass" means that it passed.
  const said = UNTRUE_THAT.exec(passage.text)?.[1] ?? "";
  const sign = isNegated(said) ? 1 : -1;
  return {
    sign,
    strength: strengthOf(Math.max(passage.coverage, 0.5), passage.context),
    isAbsence: false,
    kind: "fact-check",
  };
}

/** A sentence with half of the words decides a quarter as much as one with all words. */
function strengthOf(coverage: number, context: number): number {
  return (0.35 * coverage + 0.65 * context) ** 2;
}

/** If the arguments are those of the question, the words of the page's title and of the sentences before count nearly as much. */
function boundStrengthOf(coverage: number, context: number): number {
  return (0.2 * coverage + 0.8 * context) ** 1.2;
}

/** A sentence that takes back what it begins with: "but the time was not ratified". */
const TAKEN_BACK =
  /(?<![\p{L}])(?:but|although|though|aber|doch|jedoch|mais|pero|aunque|ma|però|mas|porém)(?![\p{L}]).{0,60}(?:not\s(?:be\s|been\s)?(?:ratified|recogni[sz]ed|counted?|official|valid)|disqualified|annulled|nicht\s(?:anerkannt|gültig)|disqualifiziert|pas\s(?:été\s)?homologu|annulée?|disqualifi|no\s(?:fue|es|será)\s(?:homologad|válid|reconocid)|anulad|descalificad|non\s(?:è\s(?:stat[oa]\s)?)?omologat|annullat|squalificat|não\s(?:foi\s|será\s)?(?:homologad|reconhecid|válid)|desclassificad)/iu;

/** A source without a name. */
const ANONYMOUS =
  /\b(?:person|people|sources?|insiders?|officials?|executives?)\s(?:who\s\p{L}+\s|that\s\p{L}+\s)?(?:close\sto|familiar\swith|with\sknowledge|briefed\son|near\sthe)|\b(?:anonymous|unnamed|unconfirmed|anonymity)\b|\bsources\s(?:say|said|told|close)|\b(?:aus\s(?:\p{L}+)?kreisen|insider|source\sproche|sources\sproches|fuentes\scercanas|fonti\svicine|fontes\spróximas)/iu;

/** Reads the outcome from the predicates that name it or a contrary outcome. */
function outcomeOf(asked: Asked, passage: Passage, { tokens, language }: ReadSentence): Reading {
  const { coverage, context } = sharesOf(asked, passage);
  if (context < NEAR) return NOTHING;
  if (ANONYMOUS.test(passage.text) || TAKEN_BACK.test(passage.text)) return { ...NOTHING, kind: "hedged" };
  if (asked.predicate === undefined) return NOTHING;
  const readings = tokens.flatMap((_, at) => {
    const outcome = outcomeAt(asked, tokens, at, language);
    return outcome === undefined
      ? []
      : [readingAt(asked, passage, { tokens, at, outcome, language, strength: boundStrengthOf(coverage, context) })];
  });
  return settledOf(readings);
}

interface Outcome {
  readonly name: string | undefined;
  readonly isSame: boolean;
}

/** The outcome that a word of a sentence names: the question's, or a contrary one. */
function outcomeAt(asked: Asked, tokens: readonly Token[], at: number, language: Language): Outcome | undefined {
  const token = tokens[at];
  const { predicate } = asked;
  if (
    token === undefined ||
    isFunctionWord(token.text, GRAMMARS[language]) ||
    (token.capital && at > 0 && asked.names.has(token.stem))
  )
    return undefined;
  const found = conceptsAt(tokens, at);
  const same = [...asked.outcomes].find((one) => found.has(one));
  if (
    same !== undefined ||
    (predicate !== undefined && language === asked.language && isForm(token, predicate, language))
  )
    return { name: same, isSame: true };
  const contrary = [...found].find((one) => [...asked.outcomes].some((other) => areContrary(one, other)));
  return contrary === undefined ? undefined : { name: contrary, isSame: false };
}

/** One reading of a sentence: the firmest one. None if two firm ones contradict each other. */
function settledOf(readings: readonly Reading[]): Reading {
  const [first, ...others] = readings.toSorted((a, b) => Math.abs(b.sign) * b.strength - Math.abs(a.sign) * a.strength);
  if (first === undefined) return NOTHING;
  if (first.sign === 0) return readings.find((one) => one.kind !== undefined) ?? first;
  return others.some((one) => one.sign === -first.sign && one.strength > first.strength * 0.8) ? NOTHING : first;
}

const KINDS: Readonly<Partial<Record<Reality, StatementKind>>> = {
  future: "announcement",
  open: "hedged",
  view: "hedged",
  quoted: "quotation",
};

/** Outcomes that take back the one that is their object: "suspended the revocation". */
const UNDOING = ["cancel", "suspend", "repeal", "reject"];

/** The outcomes that the verb before an article and a noun names. */
function conceptsBefore(tokens: readonly Token[], at: number): ReadonlySet<string> {
  return conceptsIn(tokens.slice(Math.max(0, at - 2), at).filter(({ capital }) => !capital));
}

/** The words of a state that a change would end: "remains in force", "is still minister". */
const STATE =
  /^(?:open|valid|force|effect|operati|running|service|intact|office|post|job|helm|charge|minist|mayor|president|direct|chair|head|coach|captain|chief|betrieb|kraft|offen|geoffnet|gultig|amt|trainer|ouvert|vigueur|valable|poste|maire|entraineur|abiert|vigor|cargo|alcald|entrenador|apert|servizio|funzione|vigore|carica|sindac|allenator|abert|funcion|prefeit|treinador)/u;

/** Whether a predicate such as "remain" names the state or the thing that the question's outcome would have changed. */
function persists({ outcomes, patient }: Asked, { after }: Predication): boolean {
  const near = after.slice(0, 6);
  if (near.some((_, at) => [...conceptsAt(near, at)].some((one) => outcomes.has(one)))) return false;
  return near.some(({ text, stem }) => STATE.test(text) || patient?.heads.has(stem) === true);
}

function readingAt(
  asked: Asked,
  { near, text }: Passage,
  {
    tokens,
    at,
    outcome,
    language,
    strength,
  }: { tokens: readonly Token[]; at: number; outcome: Outcome; language: Language; strength: number },
): Reading {
  const reader = { grammar: GRAMMARS[language], language };
  const predication = predicationOf(tokens, at, reader);
  const { reality } = predication;
  if (isOtherSense(asked, tokens, at, predication)) return NOTHING;
  const kind = KINDS[reality];
  if (kind !== undefined) return { ...NOTHING, kind };
  const isUndone = reality === "noun" && outcome.isSame && UNDOING.some((one) => conceptsBefore(tokens, at).has(one));
  const isState = outcome.name === "persist";
  if (isState && !persists(asked, predication)) return NOTHING;
  const fit = fitOf(asked, predication, { reader, near, outcome: outcome.name });
  if (fit.kind === "different") return NOTHING;
  const isDenied = reality === "denied" || reality === "absent";
  if (isDenied && (!outcome.isSame || fit.kind !== "same")) return NOTHING;
  const affirms = outcome.isSame && fit.kind === "same" && !isDenied && !isUndone;
  if (affirms && isOfPart(asked, tokens, { said: text.slice(predication.start, predication.end), ...predication }))
    return NOTHING;
  return {
    sign: affirms ? 1 : -1,
    strength:
      (fit.kind === "other-actor" ? OTHER_ACTOR : strength * (fit.kind === "same" ? fit.factor : 0.8)) *
      (reality === "noun" && !isUndone ? INDIRECT : 1),
    isAbsence: isDenied || isState,
    kind: "report",
    isFinal: fit.kind !== "same" || (!outcome.isSame && outcome.name !== undefined && FINAL.has(outcome.name)),
    part: predication,
  };
}

/** Whether the words behind a predicate give it another sense: "passed over", "resigned from the youth wing". */
function isOtherSense(asked: Asked, tokens: readonly Token[], at: number, { reality, after }: Predication): boolean {
  const [token, next] = [tokens[at], after[0]];
  if (token === undefined || next === undefined || next.gap.trim() !== "") return false;
  if (PARTICLE.test(next.text) && WITH_PARTICLE.test(token.text))
    return !wordsOf(asked.plan.statement).some(({ text }) => text === next.text);
  const { oblique } = asked;
  // "convicted of perjury" for "convicted of fraud"
  if (oblique?.preposition === next.text && !after.slice(1, 9).some(({ stem }) => oblique.words.has(stem))) return true;
  if (!asked.outcomes.has("resign")) return false;
  if (/^(?:him|her|them)sel(?:f|ves)$/u.test(next.text)) return true;
  if (!FROM_POST.test(next.text)) return false;
  const phrase = after.slice(1, 7);
  // "the resignation of the police chief"
  const isOwn = phrase.some(({ stem }) => asked.terms.has(stem));
  return !isOwn && (reality === "noun" || !phrase.some(({ text }) => POST.test(text)));
}

const PARTICLE = /^(?:over|up|back|away|off|down|out)$/u;
const WITH_PARTICLE = /^(?:pass|br[eo]a?k|sign|w[io]n)/u;
const FROM_POST = /^(?:from|as|of|von|vom|als|de|du|da|do|del|di|dal|dalla|della|comme|como|come)$/u;
/** A word for an office in general. */
const POST =
  /^(?:post|office|position|job|role|duty|duties|government|cabinet|amt|posten|regierung|poste|fonction|gouvern|cargo|puesto|gobierno|carica|incarico|governo|funcoes)/u;

/** Compares the date in a sentence with the deadline. */
function inTime(
  asked: Asked,
  statement: Statement,
  {
    reading,
    date,
    isDated,
    source,
  }: { reading: Reading; date: NamedDate | undefined; isDated: boolean; source: Source },
): Statement {
  const { deadline, from } = asked.plan;
  const neutral: Statement = { ...statement, supports: "NEUTRAL" };
  // A page cannot report what happens after its publication.
  const told = Math.min(source.published ?? asked.now, asked.now) + DAY;
  if (date !== undefined && date.from > told) return { ...neutral, kind: "announcement" };
  if (from !== undefined && from > told && reading.sign > 0) return neutral;
  if (date !== undefined && from !== undefined && date.to < from) return neutral;
  if (deadline === undefined) return asked.isFuture && reading.isAbsence ? neutral : statement;
  const isEvent = reading.sign > 0;
  if (isEvent && date !== undefined && date.from > deadline) {
    // An event after the deadline did not happen in time.
    return { ...statement, supports: asked.plan.negated ? "YES" : "NO" };
  }
  if (isEvent && date !== undefined && isOpen(date, asked)) return { ...neutral, isDateOpen: true };
  if (!isEvent && asked.now <= deadline) return early(statement, reading);
  const isEarly = source.published !== undefined && source.published < deadline - DAY && !isAfter(date, deadline);
  if (!isEvent && reading.isAbsence && isEarly) return neutral;
  if (
    isEvent &&
    date === undefined &&
    !isDated &&
    source.published !== undefined &&
    source.published > deadline + 2 * DAY
  ) {
    return { ...statement, strength: statement.strength * 0.6 };
  }
  return statement;
}

/** Whether the event is in time by one reading of its date or of the question's, and late by the other. */
function isOpen(date: NamedDate, { plan }: Asked): boolean {
  const { deadline = Number.POSITIVE_INFINITY, ambiguity } = plan;
  if (!date.isAmbiguous && ambiguity === undefined) return false;
  return date.to > (ambiguity?.earliest ?? deadline);
}

function isAfter(date: NamedDate | undefined, deadline: number): boolean {
  return date !== undefined && date.to >= deadline - DAY;
}

/** Before the deadline, only a final outcome speaks against the event. */
function early(statement: Statement, reading: Reading): Statement {
  if (!reading.isAbsence && (reading.isFinal === true || statement.kind === "fact-check"))
    return { ...statement, strength: statement.strength * 0.8 };
  // A figure may still change, but it contradicts a report that the threshold was met.
  if (reading.isFigure === true) return { ...statement, strength: Math.min(EARLY_FIGURE, statement.strength) };
  return { ...statement, supports: "NEUTRAL" };
}
