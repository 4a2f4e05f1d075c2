import { type Analysis, type Judgement, type Plan, type Source } from "../../src/content/resolve/reading/analysis.ts";
import { createEmbeddedAnalyst, signsIn } from "../../src/content/resolve/embedded/analyst.ts";
import { type Signs } from "../../src/content/resolve/embedded/signs.ts";
import { gather } from "../../src/content/resolve/gather.ts";
import { planOf } from "../../src/content/resolve/evidence/plan.ts";
import { weigh } from "../../src/content/resolve/evidence/weigh.ts";
import { type Claim } from "./claims.ts";
import { type Sites } from "./sites.ts";

/** The origin of the sources: the caller names them, or a search finds them. */
export type Mode = "hints" | "found";

/** The maximum of the operation. */
const MAX_HINTS = 3;
const TIME_MS = 60_000;

/** A claim that was asked as a question, and the result. */
export interface Asked {
  readonly claim: Claim;
  readonly plan: Plan;
  readonly sources: readonly Source[];
  readonly signs: Signs;
  readonly analysis: Analysis;
  readonly judgement: Judgement;
  readonly now: number;
  readonly searches: number;
  /** CPU time of the whole process: sites, search, reading and analysis. */
  readonly cpuMs: number;
  readonly analystCpuMs: number;
}

export function questionOf({ text }: Claim): string {
  return `Is it true that ${text.replace(/[.?!\s]+$/, "")}?`;
}

/** Asks one claim after the other, so that the CPU time of each is known. */
export async function askAll(claims: readonly Claim[], sites: Sites, mode: Mode, maxSources: number): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (const claim of claims) asked.push(await ask(claim, sites, mode, maxSources));
  return asked;
}

async function ask(claim: Claim, sites: Sites, mode: Mode, maxSources: number): Promise<Asked> {
  const now = Date.now();
  const { signal } = new AbortController();
  const before = cpuMs();
  const plan = planOf(questionOf(claim), "", now);
  const hints = mode === "hints" ? sites.addresses(claim).slice(0, MAX_HINTS) : [];
  const { sources, searches } = await gather({ plan, hints, maxSources, timeMs: TIME_MS, signal }, sites);
  const read = cpuMs();
  const analysis = await createEmbeddedAnalyst().analyse(plan, sources, { now, signal });
  const judgement = weigh(plan, sources, analysis, now);
  const done = cpuMs();
  return {
    claim,
    plan,
    sources,
    signs: signsIn(plan, sources, now),
    analysis,
    judgement,
    now,
    searches,
    cpuMs: done - before,
    analystCpuMs: done - read,
  };
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
