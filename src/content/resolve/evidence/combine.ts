import {
  type Judgement,
  type Plan,
  type Relation,
  type Source,
  type Statement,
  type Verdict,
} from "../reading/analysis.ts";
import { ownerOf } from "./origins.ts";
import { storiesOf } from "./stories.ts";
import { isExact } from "./voices.ts";
import { datesOf } from "../reading/dates.ts";
import { hostOf, isOf } from "../reading/resolution-source.ts";
import { undatedTokensOf } from "../reading/spans.ts";
import { STOP_WORDS } from "../reading/words.ts";

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
  const verdict = verdictOf(relation, parts, sources);
  const probability = probabilityOf(verdict, one.probability, other.probability);
  const evidence = parts.flatMap(({ judgement }) => judgement.evidence.slice(0, MAX_EVIDENCE / 2));
  const days =
    relation !== "before" && relation !== "after" ? "" : ` ${dayOf(first, sources)} ${dayOf(second, sources)}`;
  return {
    verdict,
    probability,
    confidence:
      verdict === "UNCERTAIN" ? "low" : one.confidence === "low" || other.confidence === "low" ? "low" : "medium",
    reasoning: `The question asks for two events. First, "${first.plan.statement}": ${one.reasoning} Second, "${second.plan.statement}": ${other.reasoning}${days} Verdict: ${verdict}.`,
    evidence,
  };
}

function verdictOf(relation: Relation, parts: readonly [Part, Part], sources: readonly Source[]): Verdict {
  const [first, second] = parts;
  const [one, other] = [first.judgement.verdict, second.judgement.verdict];
  if (relation === "and") return lower(one, other);
  if (relation === "or") return turned(lower(turned(one), turned(other)));
  if (relation !== "if") return ordered(relation, parts, sources);
  if (one === "YES") return other;
  // Without the condition, the question is void.
  if (one !== "LIKELY_YES") return "UNCERTAIN";
  return other === "YES" ? "LIKELY_YES" : other === "NO" ? "LIKELY_NO" : other;
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

/**
 * Both events must have happened, on days that no source disputes and that are not the same, or only one of them has
 * happened yet.
 */
function ordered(
  relation: "before" | "after",
  [first, second]: readonly [Part, Part],
  sources: readonly Source[],
): Verdict {
  const [one, other] = [happenedTo(first), happenedTo(second)];
  const days = one && other ? dayOrder(first, second, sources) : { sign: 0, isFirm: false };
  // Sources that disagree about a day may tell of other events.
  const dated = days.sign === 0 ? { before: [], after: [] } : datedOrders(first, second, sources);
  const before = [...statedBy(first, second, BEFORE), ...statedBy(second, first, AFTER), ...dated.before];
  const after = [...statedBy(second, first, BEFORE), ...statedBy(first, second, AFTER), ...dated.after];
  const said = Math.sign(before.length) - Math.sign(after.length);
  if (said !== 0 && days.sign !== -said && (one || other)) {
    const isTold = voicesOf([...before, ...after], first.plan, sources) >= ENOUGH;
    const isFirm = days.isFirm || (isTold && [first, second].some(({ judgement }) => judgement.verdict === "YES"));
    return orderedVerdict(relation, said, isFirm);
  }
  if (one && !other) return relation === "before" ? isOnly(first, second, sources) : "UNCERTAIN";
  if (other && !one) return relation === "before" ? turned(isOnly(second, first, sources)) : "UNCERTAIN";
  return said === 0 ? orderedVerdict(relation, days.sign, days.isFirm) : "UNCERTAIN";
}

/** The verdict if the first event was before the second one (1), after it (-1), or on an unknown side of it (0). */
function orderedVerdict(relation: "before" | "after", sign: number, isFirm: boolean): Verdict {
  const verdict = sign === 0 ? "UNCERTAIN" : isFirm ? "YES" : "LIKELY_YES";
  return (relation === "before") === sign > 0 ? verdict : turned(verdict);
}

/** The order of the days of two events: 1 if the first one was before the second one. */
function dayOrder(first: Part, second: Part, sources: readonly Source[]): { sign: number; isFirm: boolean } {
  const [a, b] = [daysOf(first), daysOf(second)];
  if (a === undefined || b === undefined) return { sign: 0, isFirm: false };
  const isSure = lower(first.judgement.verdict, second.judgement.verdict) === "YES";
  const isTold = (days: Days, { plan }: Part): boolean => voicesOf(days.dated, plan, sources) >= ENOUGH;
  return {
    sign: Number(a.last < b.first) - Number(a.first > b.last),
    isFirm: isSure && isTold(a, first) && isTold(b, second),
  };
}

function happenedTo({ judgement: { verdict } }: Part): boolean {
  return verdict === "YES" || verdict === "LIKELY_YES";
}

function turned(verdict: Verdict): Verdict {
  return RANK[RANK.length - 1 - RANK.indexOf(verdict)] ?? "UNCERTAIN";
}

/** Whether pages that know of one event say that the other one is still to come. */
function isOnly(done: Part, open: Part, sources: readonly Source[]): Verdict {
  const days = daysOf(done);
  if (days === undefined || open.statements.some(({ supports }) => supports === "YES")) return "UNCERTAIN";
  const pending = open.statements.filter(({ isPending, isAside, source }) => {
    const { published } = sources[source] ?? {};
    return isPending === true && isAside !== true && published !== undefined && published >= days.first;
  });
  return pending.length > 0 ? "LIKELY_YES" : "UNCERTAIN";
}

/** The sources that date both events in exact statements, by the order of the days. */
function datedOrders(
  first: Part,
  second: Part,
  sources: readonly Source[],
): Readonly<Record<"before" | "after", readonly number[]>> {
  const spans = sources.map((_, source) => {
    const [own, other] = [first, second].map((part) => {
      const statements = part.statements.filter((one) => one.source === source && isExact(one));
      return daysOf({ statements });
    });
    return own === undefined || other === undefined ? 0 : own.last < other.first ? -1 : own.first > other.last ? 1 : 0;
  });
  const having = (sign: number): number[] => spans.flatMap((one, source) => (one === sign ? [source] : []));
  return { before: having(-1), after: having(1) };
}

/** The sources that say in one sentence that an event happened before or after the other one: "reached orbit before Tern". */
function statedBy({ statements, plan }: Part, { plan: other }: Part, order: RegExp): readonly number[] {
  const others = without(other.terms, plan.terms);
  const own = without(plan.terms, other.terms);
  const said = statements.filter(
    (one) =>
      one.supports === "YES" &&
      one.strength >= 0.5 &&
      one.isAside !== true &&
      isExact(one) &&
      others.length > 0 &&
      [...one.quote.matchAll(order)].some(([, rest = ""]) => {
        const words = undatedTokensOf(rest, datesOf(rest, one.date ?? 0));
        const stems = new Set(words.map(({ stem }) => stem));
        // "before the Tarn observatory opened", for the Tarn telescope
        const isOther = words.some(
          ({ text, stem }) => !STOP_WORDS.has(text) && !other.terms.includes(stem) && !BESIDE_NAME.test(text),
        );
        return others.every((name) => stems.has(name)) && !isOther && !own.some((term) => stems.has(term));
      }),
  );
  return said.map(({ source }) => source);
}

/** The number of independent sources among some. The resolution source alone is enough. */
function voicesOf(said: readonly number[], { resolutionSource }: Plan, sources: readonly Source[]): number {
  const own = new Set(said);
  const isOfficial = [...own].some(
    (source) => resolutionSource !== undefined && isOf(resolutionSource, sources[source]?.url ?? ""),
  );
  if (isOfficial) return ENOUGH;
  if (own.size < ENOUGH) return own.size;
  const stories = storiesOf(sources);
  const [told, owners] = [[...own].map((one) => stories[one]), [...own].map((one) => ownerOf(sources[one]?.url ?? ""))];
  return Math.min(new Set(told).size, new Set(owners).size);
}

/** "after its rival Kairo" */
const BESIDE_NAME = /^(?:rivals?|competitors?|predecessor|successor)$/u;

/** The sources that state an order firmly. */
const ENOUGH = 2;

function without(terms: readonly string[], others: readonly string[]): string[] {
  return terms.filter((one) => !others.includes(one));
}

const BEFORE =
  /(?<!\p{L})(?<!\b(?:not|never|nicht|pas|non|no|não|nunca)\s)(?:before|ahead\sof|avant|antes\sd(?:el?|[ao]s?)|prima\sd\p{L}+['’]?|vor)\s(?=([^,;]{1,60}))/giu;
const AFTER =
  /(?<!\p{L})(?<!\b(?:not|never|nicht|pas|non|no|não|nunca)\s)(?:after|nach(?:dem)?|après|después\sde|dopo|após|depois\sd(?:e|[ao]s?))\s(?=([^,;]{1,60}))/giu;

/** The first and the last day that sources give for an event, and the sources. */
interface Days {
  readonly first: number;
  readonly last: number;
  readonly dated: readonly number[];
}

/** The days of an event. Undefined if the sources give none, or differ by more than two days. */
function daysOf({ statements }: Pick<Part, "statements">): Days | undefined {
  const dated = statements.flatMap(({ supports, date, source, strength, isAside }) =>
    supports === "YES" && date !== undefined && strength >= 0.5 && isAside !== true ? [{ date, source }] : [],
  );
  if (dated.length === 0) return undefined;
  const dates = dated.map(({ date }) => date);
  const [first, last] = [Math.min(...dates), Math.max(...dates)];
  return last - first > 2 * DAY ? undefined : { first, last, dated: dated.map(({ source }) => source) };
}

function dayOf(part: Part, sources: readonly Source[]): string {
  const days = daysOf(part);
  const named = part.statements.find(({ supports, date }) => supports === "YES" && date !== undefined);
  if (days === undefined || named === undefined) return `No source dates "${part.plan.statement}".`;
  const where = hostOf(sources[named.source]?.url ?? "") ?? "a source";
  return `"${part.plan.statement}" took place on ${new Date(days.first).toISOString().slice(0, 10)} (${where}).`;
}
