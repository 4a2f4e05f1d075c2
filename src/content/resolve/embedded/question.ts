import { type Plan, type Threshold } from "../reading/analysis.ts";
import { datesOf } from "../reading/dates.ts";
import { isNegated } from "../reading/negation.ts";
import { wordsOf } from "../reading/words.ts";
import { conceptsOf } from "./concepts.ts";
import { isAnnouncement } from "./kinds.ts";

/** A plan, prepared once for comparisons with many sentences. */
export interface Asked {
  readonly plan: Plan;
  readonly now: number;
  readonly terms: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  /** The outcome in the question: the known concepts of the statement. */
  readonly outcomes: ReadonlySet<string>;
  /** Whether the question asks for a future event ("Will ...") and its deadline has not passed. */
  readonly isOpen: boolean;
  /** Whether the statement itself is about a plan, a remark or a possibility, so that such sentences report it. */
  readonly isAboutWords: boolean;
  readonly years: ReadonlySet<number>;
  readonly thresholds: readonly Threshold[];
  /** The subject of the outcome: the names before its verb. */
  readonly subjects: ReadonlySet<string>;
  /** Adjacent names: "Water Act". */
  readonly pairs: readonly (readonly [string, string])[];
  /** The stems of a text's words. */
  wordsIn(text: string): string[];
}

const FUTURE = /^(?:will|is\s.{0,60}\bgoing\sto|wird|werden|va|¿?(?:será|va\sa))\b/iu;
const SAYS =
  /\b(?:says?|said|saying|claim(?:s|ed)|announc(?:e[sd]?|ing)|plans?|planned|propos(?:e[sd]|ing)|call(?:s|ed)\sfor|call(?:s|ed)|promis(?:e[sd]|ing)|warn(?:s|ed)|wants?|may|might|could|tweet(?:s|ed)?|asked|told|threaten(?:s|ed)|accus(?:e[sd]|ing))\b/iu;

/** Prepares a plan for comparisons with sentences. */
export function askedOf(plan: Plan, now: number): Asked {
  const question = plan.question.trim();
  const isFuture = FUTURE.test(question);
  const found = conceptsOf(plan.statement);
  const names = new Set(plan.names);
  const first = Math.min(...found.values(), plan.statement.length);
  const subjects = wordsOf(plan.statement)
    .filter((word) => word.start < first && names.has(word.stem))
    .map((word) => word.stem);
  return {
    plan,
    now,
    terms: new Set(plan.terms),
    names,
    outcomes: new Set(found.keys()),
    isOpen: isFuture
      ? plan.deadline === undefined || now <= plan.deadline
      : plan.deadline !== undefined && now <= plan.deadline && !isPast(question),
    isAboutWords: !isFuture && (SAYS.test(plan.statement) || isAnnouncement(plan.statement)),
    years: new Set(
      datesOf(plan.statement, now)
        .filter((date) => date.hasYear)
        .map((date) => new Date(date.from).getUTCFullYear()),
    ),
    thresholds: plan.thresholds,
    subjects: new Set(subjects),
    pairs: pairsOf(plan.statement, names),
    wordsIn: (text) => wordsOf(text).map((word) => word.stem),
  };
}

function isPast(question: string): boolean {
  return /^(?:did|has|have|had|was|were)\b/iu.test(question) || isNegated(question);
}

function pairsOf(statement: string, names: ReadonlySet<string>): [string, string][] {
  const words = wordsOf(statement);
  return words.flatMap((word, at): [string, string][] => {
    const next = words[at + 1];
    const beside = next !== undefined && next.start - word.end === 1 && names.has(word.stem) && names.has(next.stem);
    return beside ? [[word.stem, next.stem]] : [];
  });
}
