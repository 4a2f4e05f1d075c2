import { type Analysis, type Judgement, type Plan, type Source } from "../analysis.ts";
import { checkedAnalysis } from "../checked-analysis.ts";
import { createEmbeddedAnalyst } from "../embedded/analyst.ts";
import { planOf } from "../plan.ts";
import { weigh } from "../weigh.ts";

/** What is worked out of strangers' words, in a thread of its own. */
export type JudgingTask =
  | { readonly kind: "plan"; readonly question: string; readonly criteria: string; readonly now: number }
  | ({ readonly kind: "judge" } & Case);

/** What is to be judged; `now` in Unix ms. */
export interface Case {
  readonly plan: Plan;
  readonly sources: readonly Source[];
  /** What a language model found; undefined: the embedded analyst looks. */
  readonly analysis: Analysis | undefined;
  readonly now: number;
}

/** A judgement, and what became of the statements that it was made of. */
export interface Judged {
  readonly judgement: Judgement;
  /** Statements whose quotes were found. */
  readonly kept: number;
  /** Quotes that stand in no source, and those that give orders to a reader. */
  readonly invented: number;
  readonly orders: number;
}

const embedded = createEmbeddedAnalyst();
const FREE = new AbortController().signal;

/** Finds the statements where nobody has yet, checks their quotes, and weighs those that stand. @internal */
export async function judge({ plan, sources, analysis, now }: Case): Promise<Judged> {
  const found = analysis ?? (await embedded.analyse(plan, sources, { now, signal: FREE }));
  const { analysis: checked, invented, orders } = checkedAnalysis(found, sources);
  const weighed = analysis === undefined ? checked : grounded(checked);
  return { judgement: weigh(plan, sources, weighed, now), kept: checked.statements.length, invented, orders };
}

/** A model's own probability counts only on the side that its statements are on: a page may have talked it into the number alone. */
function grounded(analysis: Analysis): Analysis {
  const { statements, probability, reasoning } = analysis;
  const side = probability === undefined || probability === 0.5 ? undefined : probability > 0.5 ? "YES" : "NO";
  const stands = statements.some(({ supports }) => supports === side);
  return stands ? { statements, probability, reasoning } : { statements };
}

/** Does a task. */
export async function work(task: JudgingTask): Promise<Plan | Judged> {
  return task.kind === "plan" ? planOf(task.question, task.criteria, task.now) : await judge(task);
}
