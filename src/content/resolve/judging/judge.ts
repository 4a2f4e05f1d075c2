import { type Analysis, type Judgement, type Plan, type Source } from "../reading/analysis.ts";
import { checkedAnalysis } from "./checked-analysis.ts";
import { createEmbeddedAnalyst } from "../embedded/analyst.ts";
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

/** A judgement, and the numbers of statements that were kept and dropped. */
export interface Judged {
  readonly judgement: Judgement;
  /** Statements whose quotes are in their sources. */
  readonly kept: number;
  /** Statements whose quotes are in no source, and those whose quotes give orders to a reader. */
  readonly invented: number;
  readonly orders: number;
}

const embedded = createEmbeddedAnalyst();
const FREE = new AbortController().signal;

/**
 * Runs the embedded analyst if there is no analysis yet, checks the quotes, and weighs the statements that remain.
 * @internal
 */
export async function judge({ plan, sources, analysis, now }: Case): Promise<Judged> {
  const found = analysis ?? (await embedded.analyse(plan, sources, { now, signal: FREE }));
  const { analysis: checked, invented, orders } = checkedAnalysis(found, sources);
  const weighed = analysis === undefined ? checked : grounded(checked);
  return { judgement: weigh(plan, sources, weighed, now), kept: checked.statements.length, invented, orders };
}

/**
 * A model's own probability counts only on the side of its statements, since a page may have manipulated the number
 * alone.
 */
function grounded(analysis: Analysis): Analysis {
  const { statements, probability, reasoning } = analysis;
  const side = probability === undefined || probability === 0.5 ? undefined : probability > 0.5 ? "YES" : "NO";
  const stands = statements.some(({ supports }) => supports === side);
  return stands ? { statements, probability, reasoning } : { statements };
}

/** Runs a task. */
export async function work(task: JudgingTask): Promise<Plan | Judged> {
  return task.kind === "plan" ? planOf(task.question, task.criteria, task.now) : await judge(task);
}
