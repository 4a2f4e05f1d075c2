import { type Analysis, type Judgement, type Plan, type Source } from "../reading/analysis.ts";
import { type CheckedAnalysis, checkedAnalysis } from "./checked-analysis.ts";
import { type ComparedAnalysis, comparedAnalysis } from "./compared-analysis.ts";
import { plainReasons } from "./plain-reasons.ts";
import { createEmbeddedAnalyst } from "../embedded/analyst.ts";
import { combine, type Part } from "../evidence/combine.ts";
import { planOf } from "../evidence/plan.ts";
import { weigh } from "../evidence/weigh.ts";

/** Work on untrusted text, which runs in its own thread. */
export type JudgingTask =
  | { readonly kind: "plan"; readonly question: string; readonly criteria: string; readonly now: number }
  | ({ readonly kind: "judge" } & Case);

/** The sources to judge, with their question. `now` is in Unix ms. */
export interface Case {
  readonly plan: Plan;
  readonly sources: readonly Source[];
  /** A language model's analysis. If undefined, the embedded analyst makes one. */
  readonly analysis: Analysis | undefined;
  readonly now: number;
}

/** A judgement, and the numbers of statements that were kept, dropped and changed. */
export interface Judged extends Omit<CheckedAnalysis, "analysis">, Omit<ComparedAnalysis, "analysis"> {
  readonly judgement: Judgement;
  /** Statements whose quotes are in their sources. */
  readonly kept: number;
}

const embedded = createEmbeddedAnalyst();
/** Reads all sentences that a model may quote. */
const reading = createEmbeddedAnalyst(Number.POSITIVE_INFINITY);
const FREE = new AbortController().signal;

/** Weighs the statements of the embedded analyst, or those of a model's that stand its checks. */
export async function judge({ plan, sources, analysis: model, now }: Case): Promise<Judged> {
  if (model !== undefined) return await judgeModel(model, { plan, sources, now });
  if (plan.parts !== undefined) return await judgeParts(plan.parts, sources, now);
  const { judgement, statements } = await judgeEvent(plan, sources, now);
  return { judgement, kept: statements.length, ...UNCHANGED };
}

/** Checks a model's quotes, and compares its analysis with the embedded one. */
async function judgeModel(model: Analysis, { plan, sources, now }: Omit<Case, "analysis">): Promise<Judged> {
  const { analysis: checked, ...quotes } = checkedAnalysis(model, sources);
  const own = await reading.analyse(plan, sources, { now, signal: FREE });
  const { analysis, ...readings } = comparedAnalysis(checked, own, sources);
  const { statements, reasoning = "" } = analysis;
  const known = [plan.question, plan.criteria, ...statements.map(({ quote }) => quote)];
  const shown = { ...analysis, reasoning: plainReasons(reasoning, known) };
  return { judgement: weigh(plan, sources, shown, now), kept: checked.statements.length, ...quotes, ...readings };
}

/** The embedded analyst copies its quotes from the sources, and agrees with itself. */
const UNCHANGED = { invented: 0, orders: 0, unrelated: 0, unstated: 0, disputed: 0, omitted: 0 };

/** Judges a question of two events by its two parts. */
async function judgeParts(
  { relation, plans }: NonNullable<Plan["parts"]>,
  sources: readonly Source[],
  now: number,
): Promise<Judged> {
  const [first, second] = plans;
  const [one, other] = [await judgeEvent(first, sources, now), await judgeEvent(second, sources, now)];
  const kept = one.statements.length + other.statements.length;
  return { judgement: combine(relation, [one, other], sources), kept, ...UNCHANGED };
}

async function judgeEvent(plan: Plan, sources: readonly Source[], now: number): Promise<Part> {
  const analysis = await embedded.analyse(plan, sources, { now, signal: FREE });
  return { plan, judgement: weigh(plan, sources, analysis, now), statements: analysis.statements };
}

/** Runs a task. */
export async function work(task: JudgingTask): Promise<Plan | Judged> {
  return task.kind === "plan" ? planOf(task.question, task.criteria, task.now) : await judge(task);
}
