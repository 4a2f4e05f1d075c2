import {
  type Judgement,
  type Plan,
  type Relation,
  type Source,
  type Statement,
  type Verdict,
} from "../reading/analysis.ts";
import { hostOf } from "../reading/resolution-source.ts";

const DAY = 86_400_000;
const MAX_EVIDENCE = 12;
const RANK: readonly Verdict[] = ["NO", "LIKELY_NO", "UNCERTAIN", "LIKELY_YES", "YES"];

/** One event of a question of two: its own judgement, and its statements. */
export interface Part {
  readonly plan: Plan;
  readonly judgement: Judgement;
  readonly statements: readonly Statement[];
}

/** The judgement of a question of two events. */
export function combine(relation: Relation, parts: readonly [Part, Part], sources: readonly Source[]): Judgement {
  const [first, second] = parts;
  const [one, other] = [first.judgement, second.judgement];
  const verdict = relation === "and" ? lower(one.verdict, other.verdict) : ordered(relation, first, second);
  const probability = probabilityOf(verdict, one.probability, other.probability);
  const evidence = parts.flatMap(({ judgement }) => judgement.evidence.slice(0, MAX_EVIDENCE / 2));
  const days = relation === "and" ? "" : ` ${dayOf(first, sources)} ${dayOf(second, sources)}`;
  return {
    verdict,
    probability,
    confidence:
      verdict === "UNCERTAIN" ? "low" : one.confidence === "low" || other.confidence === "low" ? "low" : "medium",
    reasoning: `The question asks for two events. First, "${first.plan.statement}": ${one.reasoning} Second, "${second.plan.statement}": ${other.reasoning}${days} Verdict: ${verdict}.`,
    evidence,
  };
}

function lower(a: Verdict, b: Verdict): Verdict {
  return RANK[Math.min(RANK.indexOf(a), RANK.indexOf(b))] ?? "UNCERTAIN";
}

function probabilityOf(verdict: Verdict, a: number, b: number): number {
  const bounds: Readonly<Record<Verdict, readonly [number, number]>> = {
    NO: [0.01, 0.1],
    LIKELY_NO: [0.1, 0.2],
    UNCERTAIN: [0.25, 0.6],
    LIKELY_YES: [0.65, 0.87],
    YES: [0.88, 0.99],
  };
  const [least, greatest] = bounds[verdict];
  return Math.round(Math.min(greatest, Math.max(least, a * b)) * 1_000) / 1_000;
}

/** Both events must have happened, on days that no source disputes and that are not the same. */
function ordered(relation: "before" | "after", first: Part, second: Part): Verdict {
  const [a, b] = [daysOf(first), daysOf(second)];
  const happened = lower(first.judgement.verdict, second.judgement.verdict);
  if (happened !== "YES" && happened !== "LIKELY_YES") return "UNCERTAIN";
  if (a === undefined || b === undefined) return "UNCERTAIN";
  const isBefore = a.last < b.first;
  const isAfter = a.first > b.last;
  if (!isBefore && !isAfter) return "UNCERTAIN";
  const holds = relation === "before" ? isBefore : isAfter;
  const isFirm = happened === "YES" && a.voices > 1 && b.voices > 1;
  return holds ? (isFirm ? "YES" : "LIKELY_YES") : isFirm ? "NO" : "LIKELY_NO";
}

/** The first and the last day that the sources give for an event. Undefined if they give none, or differ by more than two days. */
function daysOf({ statements }: Part): { first: number; last: number; voices: number } | undefined {
  const dated = statements.flatMap(({ supports, date, source, strength, isAside }) =>
    supports === "YES" && date !== undefined && strength >= 0.5 && isAside !== true ? [{ date, source }] : [],
  );
  if (dated.length === 0) return undefined;
  const dates = dated.map(({ date }) => date);
  const [first, last] = [Math.min(...dates), Math.max(...dates)];
  return last - first > 2 * DAY ? undefined : { first, last, voices: new Set(dated.map(({ source }) => source)).size };
}

function dayOf(part: Part, sources: readonly Source[]): string {
  const days = daysOf(part);
  const named = part.statements.find(({ supports, date }) => supports === "YES" && date !== undefined);
  if (days === undefined || named === undefined) return `No source dates "${part.plan.statement}".`;
  const where = hostOf(sources[named.source]?.url ?? "") ?? "a source";
  return `"${part.plan.statement}" took place on ${new Date(days.first).toISOString().slice(0, 10)} (${where}).`;
}
