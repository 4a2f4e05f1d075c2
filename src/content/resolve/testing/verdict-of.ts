import { createEmbeddedAnalyst } from "../embedded/analyst.ts";
import { planOf } from "../evidence/plan.ts";
import { isExact, speaks, voicesOf } from "../evidence/voices.ts";
import { weigh } from "../evidence/weigh.ts";
import { type Analysis, type Plan, type Source, type Verdict } from "../reading/analysis.ts";

const NOW = Date.UTC(2026, 8, 28);
const PUBLISHED = Date.UTC(2026, 5, 15);
const OTHERS = ["Visitors came from the whole region.", "Rain fell until the evening."];

/** The embedded analyst's verdict if independent pages have one of the sentences each. */
export async function verdictOf(question: string, sentences: readonly string[]): Promise<Verdict> {
  const plan = planOf(question, "", NOW);
  const sources = sentences.map((sentence, index) => sourceOf(`${sentence} ${OTHERS[index]}`, index));
  return weigh(plan, sources, await analysisOf(plan, sources, NOW), NOW).verdict;
}

/**
 * The side on which the embedded analyst counts a sentence, with a question mark if it supports no firm verdict. Empty if
 * it counts on neither.
 */
export async function sideOf(question: string, sentence: string, now = NOW): Promise<string> {
  return await sideIn(question, sourceOf(sentence, 0), now, 0);
}

async function sideIn(question: string, source: Source, now: number, least: number): Promise<string> {
  const { statements } = await analysisOf(planOf(question, "", now), [source], now);
  const [found] = statements;
  if (found === undefined || found.supports === "NEUTRAL") return "";
  return isExact(found) && found.strength >= least ? found.supports : `${found.supports}?`;
}

/** A page with one sentence. */
export interface Page {
  readonly sentence: string;
  readonly title: string;
  readonly host: string;
  /** Unix ms. */
  readonly published: number;
  readonly site?: string;
}

/** The side as of `sideOf`, for a page. A weak statement supports no firm verdict. */
export async function sideOfPage(question: string, page: Page, now: number): Promise<string> {
  const { sentence: text, title, host, published, site } = page;
  const source = { url: `https://${host}/`, title, site, text, published, language: "", isHint: false };
  return await sideIn(question, source, now, 0.5);
}

/** The side of which the embedded analyst takes a sentence for a voice. Empty if it is not one. */
export async function voiceOf(question: string, sentence: string): Promise<string> {
  const plan = planOf(question, "", NOW);
  const sources = [sourceOf(sentence, 0)];
  const { statements } = await analysisOf(plan, sources, NOW);
  const [voice] = voicesOf(plan, sources, statements).filter(speaks);
  return voice === undefined ? "" : voice.sign > 0 ? "YES" : "NO";
}

function sourceOf(text: string, index: number): Source {
  const url = `https://site-${index}.test/`;
  return { url, title: "", text, published: PUBLISHED, language: "", isHint: false };
}

async function analysisOf(plan: Plan, sources: readonly Source[], now: number): Promise<Analysis> {
  return await createEmbeddedAnalyst().analyse(plan, sources, { now, signal: AbortSignal.timeout(60_000) });
}
