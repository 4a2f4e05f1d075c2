import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmbeddedAnalyst } from "../../src/content/resolve/embedded/analyst.ts";
import { planOf } from "../../src/content/resolve/evidence/plan.ts";
import { weigh } from "../../src/content/resolve/evidence/weigh.ts";
import { type Source } from "../../src/content/resolve/reading/analysis.ts";
import { askAll, questionOf } from "./ask.ts";
import { CLAIMS_FILE, readClaims } from "./claims.ts";
import { readWrappings, wrapped } from "./market.ts";
import { judged, openQuestions } from "./market-record.ts";
import { startSites } from "./sites.ts";

/** A question with the sources that were read for it. */
interface ReadClaim {
  readonly question: string;
  readonly sources: readonly Source[];
  readonly now: number;
}

/** A case that is judged again and again: its name, and its verdict and probability. */
export interface OpenCase {
  readonly name: string;
  readonly judge: () => Promise<string>;
}

const analyst = createEmbeddedAnalyst();

/** All open questions, wrapped sentences and claims. The pages of claims are read once, and kept in `file`. */
export async function openCases(file: string): Promise<OpenCase[]> {
  const questions = openQuestions();
  const market = [
    ...questions.map((question) => ({ name: question.id, question })),
    ...wrapped(questions, readWrappings()).map(({ wrapper, question }) => ({
      name: `${wrapper}: ${question.id}`,
      question,
    })),
  ].map(({ name, question }) => ({ name, judge: async () => shown(await judged(question)) }));
  if (!existsSync(file)) writeFileSync(file, JSON.stringify(await readAll()));
  const claims = JSON.parse(readFileSync(file, "utf8")) as ReadClaim[]; // `readAll` has written it.
  return [
    ...market,
    ...claims.map(({ question, sources, now }) => ({
      name: question,
      judge: async () => {
        const plan = planOf(question, "", now);
        const read = sources.map((source) => ({ ...source, published: source.published ?? undefined }));
        const analysis = await analyst.analyse(plan, read, { now, signal: new AbortController().signal });
        return shown(weigh(plan, read, analysis, now));
      },
    })),
  ];
}

function shown({ verdict, probability }: { verdict: string; probability: number }): string {
  return `${verdict} ${probability}`;
}

async function readAll(): Promise<ReadClaim[]> {
  const claims = readClaims(CLAIMS_FILE) ?? [];
  const found: ReadClaim[] = [];
  for (const style of ["questions", "answers"] as const) {
    const folder = mkdtempSync(join(tmpdir(), "turnpike-cases-"));
    const sites = startSites(claims, style, folder);
    for (const mode of ["hints", "found"] as const) {
      for (const { claim, sources, now } of await askAll(claims, sites, mode, 5))
        found.push({ question: questionOf(claim), sources, now });
    }
    await sites.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return found;
}
