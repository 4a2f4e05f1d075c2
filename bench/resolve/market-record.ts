import { createEmbeddedAnalyst } from "../../src/content/resolve/embedded/analyst.ts";
import { planOf } from "../../src/content/resolve/evidence/plan.ts";
import { judge } from "../../src/content/resolve/judging/judge.ts";
import { type Judgement, type Source, type Statement } from "../../src/content/resolve/reading/analysis.ts";
import { type MarketQuestion, OPEN_SETS, readQuestions, timeOf } from "./market.ts";
import { gradeOf } from "./market-figures.ts";

/** The file of the recorded verdicts. */
export const RECORD_FILE = "bench/resolve/market/verdicts.txt";

/** The questions that the analyst is developed with. */
export function openQuestions(): readonly MarketQuestion[] {
  return OPEN_SETS.flatMap(readQuestions);
}

const analyst = createEmbeddedAnalyst();

/**
 * The line of a question in the record, from its pages alone, without a search: its verdict, probability, confidence, the
 * outcome and host of each piece of evidence, a hash of the reasoning and of all statements, and the grade.
 */
export async function recordOf(question: MarketQuestion): Promise<string> {
  const { judgement, statements } = await judgeSources(question, sourcesOf(question));
  const { verdict, probability, confidence, evidence, reasoning } = judgement;
  const grade = gradeOf({ question, judgement, sourcesRead: question.pages.length });
  const voices = evidence.map(({ supports, url }) => ` ${supports} ${new URL(url).hostname},`).join("");
  const text = reasoning + JSON.stringify(statements.map((one) => ({ ...one, strength: one.strength.toFixed(2) })));
  const hash = new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 6);
  return `${question.id}: ${verdict} ${probability.toFixed(2)} ${confidence},${voices} ${hash}, ${grade}`;
}

/** The text of the record. */
export async function marketRecord(): Promise<string> {
  const lines = await Promise.all(openQuestions().map(recordOf));
  return `${lines.join("\n")}\n`;
}

/** The judgement of a question from its pages alone, without a search. */
export async function judged(question: MarketQuestion): Promise<Judgement> {
  return (await judgeSources(question, sourcesOf(question))).judgement;
}

/** The judgement of a question by the embedded analyst from these sources, and the analyst's statements. */
export async function judgeSources(
  question: MarketQuestion,
  sources: readonly Source[],
): Promise<{ readonly judgement: Judgement; readonly statements: readonly Statement[] }> {
  const at = timeOf(question);
  const plan = planOf(question.question, question.criteria ?? "", at);
  const { judgement } = await judge({ plan, sources, analysis: undefined, now: at });
  const signal = new AbortController().signal;
  const plans = plan.parts?.plans ?? [plan];
  const analyses = await Promise.all(plans.map((one) => analyst.analyse(one, sources, { now: at, signal })));
  return { judgement, statements: analyses.flatMap(({ statements }) => statements) };
}

/** The pages of a question as the reader gives them. */
export function sourcesOf({ pages, language }: MarketQuestion): Source[] {
  return pages.map(({ url, title, body, published }) => ({
    url,
    title,
    text: body.map(paragraph).join("\n\n"),
    published: published === undefined ? undefined : Date.parse(published),
    language,
    isHint: false,
  }));
}

/** A table or list as the reader gives it: a paragraph for each row, with tabs between its cells. */
function paragraph(text: string): string {
  const lines = text.split("\n");
  if (text.startsWith("* ")) return lines.map((line) => line.slice(2)).join("\n\n");
  if (!text.startsWith("| ")) return text;
  return lines.map((line) => line.slice(2).replace(/ \|$/u, "").split(" | ").join("\t")).join("\n\n");
}
