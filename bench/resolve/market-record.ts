import { createEmbeddedAnalyst } from "../../src/content/resolve/embedded/analyst.ts";
import { planOf } from "../../src/content/resolve/evidence/plan.ts";
import { weigh } from "../../src/content/resolve/evidence/weigh.ts";
import { type Judgement, type Source, type Statement } from "../../src/content/resolve/reading/analysis.ts";
import { type MarketPage, type MarketQuestion, readQuestions } from "./market.ts";
import { gradeOf } from "./market-figures.ts";

/** The file of the recorded verdicts. */
export const RECORD_FILE = "bench/resolve/market/verdicts.txt";

/** The questions that the analyst is developed with. */
export function openQuestions(): readonly MarketQuestion[] {
  return [
    ...readQuestions("development"),
    ...readQuestions("news"),
    ...readQuestions("strangers"),
    ...readQuestions("reporters"),
    ...readQuestions("probes"),
  ];
}

const analyst = createEmbeddedAnalyst();

/**
 * The line of a question in the record, from its pages alone, without a search: its verdict, probability, confidence, the
 * outcome and host of each piece of evidence, a hash of the reasoning and of all statements, and the grade.
 */
export async function recordOf(question: MarketQuestion): Promise<string> {
  const { judgement, statements } = await analysed(question);
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
  return (await analysed(question)).judgement;
}

async function analysed({
  question,
  criteria = "",
  now,
  pages,
  language,
}: MarketQuestion): Promise<{ readonly judgement: Judgement; readonly statements: readonly Statement[] }> {
  const at = Date.parse(`${now}T12:00:00Z`);
  const plan = planOf(question, criteria, at);
  const sources = pages.map((page) => sourceOf(page, language));
  const analysis = await analyst.analyse(plan, sources, { now: at, signal: new AbortController().signal });
  return { judgement: weigh(plan, sources, analysis, at), statements: analysis.statements };
}

function sourceOf({ url, title, body, published }: MarketPage, language: string): Source {
  const at = published === undefined ? undefined : Date.parse(published);
  return { url, title, text: body.map(paragraph).join("\n\n"), published: at, language, isHint: false };
}

/** A table or list as the reader gives it: a paragraph for each row, with tabs between its cells. */
function paragraph(text: string): string {
  const lines = text.split("\n");
  if (text.startsWith("* ")) return lines.map((line) => line.slice(2)).join("\n\n");
  if (!text.startsWith("| ")) return text;
  return lines.map((line) => line.slice(2).replace(/ \|$/u, "").split(" | ").join("\t")).join("\n\n");
}
