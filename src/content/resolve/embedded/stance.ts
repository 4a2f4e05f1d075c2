import { type Source, type Statement, type StatementKind, type Support } from "../reading/analysis.ts";
import { type Passage } from "../evidence/passages.ts";
import { type FirstNumber } from "../reading/date-order.ts";
import { datesOf, type NamedDate } from "../reading/dates.ts";
import { isNegated } from "../reading/negation.ts";
import { type Language } from "../reading/words.ts";
import { areContrary, conceptsOf } from "./concepts.ts";
import { kindOf } from "./kinds.ts";
import { measured } from "./measures.ts";
import { type Asked } from "./question.ts";
import { hasOtherActor, hasRival, rolesAreSwapped } from "./roles.ts";

const DAY = 86_400_000;

/**
 * The minimum share of the question's terms in a sentence that states the outcome. The sentences before it count too.
 */
const STATED = 0.5;
/** The minimum share of the question's terms in a related question, so that its answer also answers the question. */
const ANSWERED = 0.65;

/** Outcomes that are final: their contrary cannot follow before the deadline. */
const FINAL = new Set(["reject", "cancel", "lose", "eliminate", "acquit", "die", "win", "convict"]);

/** A sentence's reading of an outcome, without its kind and dates: 1 affirms it, -1 denies it, 0 does neither. */
interface Reading {
  readonly sign: -1 | 0 | 1;
  readonly strength: number;
  /** Whether the sentence says "not (yet)" and does not name a contrary outcome. */
  readonly isAbsence: boolean;
}

const NOTHING: Reading = { sign: 0, strength: 0, isAbsence: false };

/** The statement that a passage makes. Undefined if the passage does not bear on the question. */
export function statementOf(
  asked: Asked,
  passage: Passage,
  at: { source: Source; index: number; language: Language; order: FirstNumber | undefined },
): Statement | undefined {
  const near = at.source.published ?? asked.now;
  const dates = datesOf(passage.text, near, at.order);
  const reading = read(asked, passage, { dates, language: at.language });
  if (reading.sign === 0 && passage.coverage < STATED) return undefined;
  const kind = kindIn(asked, passage, dates);
  const turned = asked.plan.negated ? -reading.sign : reading.sign;
  const date = dates.find((one) => one.precision !== "year");
  const base: Statement = {
    source: at.index,
    quote: passage.text,
    supports: "NEUTRAL",
    kind,
    strength: Math.min(0.3, passage.coverage * 0.3),
    date: date?.isAmbiguous === true ? undefined : date?.from,
  };
  if (reading.sign === 0 || isIdle(kind) || isOtherTime(asked, dates)) return base;
  return inTime(
    asked,
    { ...base, supports: sideOf(turned), strength: reading.strength * weightOf(kind) },
    { reading, date, source: at.source },
  );
}

function sideOf(sign: number): Support {
  return sign > 0 ? "YES" : sign < 0 ? "NO" : "NEUTRAL";
}

function isIdle(kind: StatementKind): boolean {
  return kind === "question" || kind === "announcement" || kind === "hedged";
}

function weightOf(kind: StatementKind): number {
  if (kind === "report") return 1;
  if (kind === "fact-check") return 0.9;
  if (kind === "denial") return 0.5;
  return 0.35;
}

/** The sentence's kind weakens it less if the question itself is about a plan or a remark. */
function kindIn(asked: Asked, { text }: Passage, dates: readonly NamedDate[]): StatementKind {
  // The month in "May 5" is not the verb "may".
  const kind = kindOf(
    dates.reduceRight((plain, date) => `${plain.slice(0, date.start)}${plain.slice(date.end)}`, text),
  );
  if (asked.isAboutWords && (kind === "announcement" || kind === "hedged" || kind === "quotation")) return "report";
  return kind;
}

function read(
  asked: Asked,
  passage: Passage,
  { dates, language }: { dates: readonly NamedDate[]; language: Language },
): Reading {
  const answer = answerOf(asked, passage);
  if (answer.sign !== 0) return answer;
  const verdict = factCheckOf(passage);
  if (verdict.sign !== 0) return verdict;
  if (asked.thresholds.length > 0) {
    const measure = measured(asked, passage, { dates, language });
    const covered = coverageOf(asked, passage.text);
    if (measure !== 0)
      return {
        sign: measure,
        strength: strengthOf(Math.max(covered, 0.6), Math.max(covered, passage.context)),
        isAbsence: measure < 0,
      };
    if (asked.thresholds.some(({ comparison }) => comparison !== "equal")) return NOTHING;
  }
  return outcomeOf(asked, passage);
}

/** A question with its answer: "Did the senate pass the bill? No." */
function answerOf(asked: Asked, passage: Passage): Reading {
  const match = /^\W*(yes|no|true|false|correct|incorrect|ja|nein|oui|non|sí|是的|不是)(?![\p{L}])/iu.exec(
    passage.text,
  );
  const question = passage.before;
  if (match === null || !/[?？]\s*$/u.test(question)) return NOTHING;
  const terms = coverageOf(asked, question);
  const found = conceptsOf(question);
  if (terms < ANSWERED || (asked.outcomes.size > 0 && ![...asked.outcomes].some((one) => found.has(one))))
    return NOTHING;
  const positive = /^(?:yes|true|correct|ja|oui|sí|是的)$/iu.test(match[1] ?? "");
  const sign = positive !== isNegated(question) ? 1 : -1;
  return { sign, strength: strengthOf(terms, terms), isAbsence: !positive };
}

function coverageOf(asked: Asked, text: string): number {
  const found = conceptsOf(text);
  const lower = new Set(asked.wordsIn(text));
  let sum = 0;
  let all = 0;
  for (const term of asked.terms) {
    const weight = asked.names.has(term) ? 2 : 1;
    all += weight;
    if (lower.has(term)) sum += weight;
  }
  const outcome = [...asked.outcomes].some((one) => found.has(one)) ? 1 : 0;
  return Math.min(1, (sum + outcome) / Math.max(1, all));
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
  return { sign, strength: strengthOf(Math.max(passage.coverage, 0.5), passage.context), isAbsence: false };
}

/** A sentence with half of the words decides a quarter as much as one with all words. */
function strengthOf(coverage: number, context: number): number {
  return (0.35 * coverage + 0.65 * context) ** 2;
}

/** Reads the outcome from its name, or the name of a contrary outcome. A negation reverses it. */
function outcomeOf(asked: Asked, passage: Passage): Reading {
  const clause = passage.text;
  const found = conceptsOf(clause);
  const same = [...asked.outcomes].find((one) => found.has(one));
  const contrary = [...found.keys()].find((one) => [...asked.outcomes].some((other) => areContrary(one, other)));
  const coverage = coverageOf(asked, clause);
  const context = Math.max(passage.context, coverage);
  const namesHere = [...asked.names].filter((name) => passage.near.has(name)).length;
  if (asked.names.size > 0 && namesHere / asked.names.size < 0.5) return NOTHING;
  if (asked.outcomes.size > 0 && same === undefined && contrary === undefined) return NOTHING;
  if (asked.outcomes.size === 0 && coverage < 0.7) return NOTHING;
  if (context < STATED || hasRival(asked, clause)) return NOTHING;
  const position = found.get(same ?? contrary ?? "") ?? 0;
  const negated = isNegated(clauseAt(clause, position));
  const isSame = same !== undefined || asked.outcomes.size === 0;
  if (!isSame && negated) return NOTHING;
  let sign: -1 | 1 = isSame !== negated ? 1 : -1;
  const strength = strengthOf(coverage, context);
  if (same !== undefined && rolesAreSwapped(asked, clause, { position, outcome: same })) sign = sign === 1 ? -1 : 1;
  else if (same !== undefined && hasOtherActor(asked, clause, { position, outcome: same }))
    return { sign: negated ? 1 : -1, strength: strength * 0.8, isAbsence: false };
  return { sign, strength, isAbsence: isSame && negated };
}

const BREAK =
  /[;:]|,\s(?!(?:and|or)\s\p{Lu})|\s[—–]\s|\s(?:but|although|though|while|whereas|despite|aber|obwohl|mais|pero|aunque)\s/giu;

/** The clause around a position, so that negations elsewhere in the sentence do not count. */
function clauseAt(sentence: string, position: number): string {
  let from = 0;
  for (const match of sentence.matchAll(BREAK)) {
    if (match.index >= position) return sentence.slice(from, match.index);
    from = match.index + match[0].length;
  }
  return sentence.slice(from);
}

/** Whether a sentence is about another year than the question. */
function isOtherTime(asked: Asked, dates: readonly NamedDate[]): boolean {
  const years = dates.filter((date) => date.hasYear).map((date) => new Date(date.from).getUTCFullYear());
  if (asked.years.size > 0 && years.length > 0) return !years.some((year) => asked.years.has(year));
  return false;
}

/** Compares the date in a sentence with the deadline. */
function inTime(
  asked: Asked,
  statement: Statement,
  { reading, date, source }: { reading: Reading; date: NamedDate | undefined; source: Source },
): Statement {
  const { deadline, from } = asked.plan;
  // A page cannot report what happens after its publication.
  const told = Math.min(source.published ?? asked.now, asked.now) + DAY;
  if (date !== undefined && date.from > told) return { ...statement, supports: "NEUTRAL", kind: "announcement" };
  if (from !== undefined && from > told && reading.sign > 0) return { ...statement, supports: "NEUTRAL" };
  if (date !== undefined && from !== undefined && date.to < from) return { ...statement, supports: "NEUTRAL" };
  if (deadline === undefined)
    return asked.isOpen && reading.isAbsence ? { ...statement, supports: "NEUTRAL" } : statement;
  const isEvent = reading.sign > 0;
  if (isEvent && date !== undefined && date.from > deadline) {
    // An event after the deadline did not happen in time.
    return { ...statement, supports: asked.plan.negated ? "YES" : "NO" };
  }
  if (isEvent && date !== undefined && isOpen(date, asked)) {
    return { ...statement, supports: "NEUTRAL", isDateOpen: true };
  }
  if (!isEvent && asked.now <= deadline) return early(asked, statement, reading);
  if (
    !isEvent &&
    reading.isAbsence &&
    source.published !== undefined &&
    source.published < deadline - DAY &&
    !isAfter(date, deadline)
  ) {
    return { ...statement, supports: "NEUTRAL" };
  }
  if (isEvent && date === undefined && source.published !== undefined && source.published > deadline + 2 * DAY) {
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
function early(asked: Asked, statement: Statement, reading: Reading): Statement {
  const final = [...conceptsOf(statement.quote).keys()].some((one) => FINAL.has(one) && !asked.outcomes.has(one));
  if (!reading.isAbsence && (final || statement.kind === "fact-check"))
    return { ...statement, strength: statement.strength * 0.8 };
  return { ...statement, supports: "NEUTRAL" };
}
