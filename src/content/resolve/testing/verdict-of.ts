import { createEmbeddedAnalyst } from "../embedded/analyst.ts";
import { planOf } from "../evidence/plan.ts";
import { weigh } from "../evidence/weigh.ts";
import { type Verdict } from "../reading/analysis.ts";

const NOW = Date.UTC(2026, 8, 28);
const PUBLISHED = Date.UTC(2026, 5, 15);
const OTHERS = ["Visitors came from the whole region.", "Rain fell until the evening."];

/** The embedded analyst's verdict if independent pages have one of the sentences each. */
export async function verdictOf(question: string, sentences: readonly string[]): Promise<Verdict> {
  const plan = planOf(question, "", NOW);
  const sources = sentences.map((sentence, index) => ({
    url: `https://site-${index}.test/`,
    title: "",
    text: `${sentence} ${OTHERS[index]}`,
    published: PUBLISHED,
    language: "",
    isHint: false,
  }));
  const signal = AbortSignal.timeout(60_000);
  const analysis = await createEmbeddedAnalyst().analyse(plan, sources, { now: NOW, signal });
  return weigh(plan, sources, analysis, NOW).verdict;
}
