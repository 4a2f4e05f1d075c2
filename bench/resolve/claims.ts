import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** The file of the claims. It is outside the project, since its licence allows only measurements (CC BY-NC 4.0). */
export const CLAIMS_FILE = join(import.meta.dir, "../../../shared/data/claims-dev.json");

const schema = z.array(
  z.object({
    claim: z.string(),
    date: z.string(),
    label: z.string(),
    answers: z.array(
      z.object({
        question: z.string(),
        answer: z.string(),
        explanation: z.string().optional(),
        url: z.string().nullish(),
      }),
    ),
  }),
);

/** A page that supports a claim's answers. */
export interface ClaimPage {
  /** The original host of the page. */
  readonly host: string;
  readonly answers: readonly { readonly question: string; readonly text: string }[];
}

export interface Claim {
  readonly text: string;
  /** 1 for Supported, 0 for Refuted, undefined for claims that the evidence does not settle. */
  readonly truth: 0 | 1 | undefined;
  readonly pages: readonly ClaimPage[];
}

/** The claims of a file of AVeriTeC; undefined if there is no such file. */
export function readClaims(file: string): Claim[] | undefined {
  if (!existsSync(file)) {
    // Worktrees are one folder deeper than the project.
    const beside = join(import.meta.dir, "../../../../shared/data/claims-dev.json");
    return file === CLAIMS_FILE && existsSync(beside) ? readClaims(beside) : undefined;
  }
  return schema.parse(JSON.parse(readFileSync(file, "utf8"))).map(({ claim, label, answers }) => ({
    text: claim.trim(),
    truth: label === "Supported" ? 1 : label === "Refuted" ? 0 : undefined,
    pages: pagesOf(answers),
  }));
}

/** One page for each address. A claim's answer without an address has no page. */
function pagesOf(answers: z.infer<typeof schema>[number]["answers"]): ClaimPage[] {
  const pages = new Map<string, { host: string; answers: { question: string; text: string }[] }>();
  for (const { question, answer, explanation, url } of answers) {
    if (url === undefined || url === null || !URL.canParse(url)) continue;
    const page = pages.get(url) ?? { host: originalHost(url), answers: [] };
    page.answers.push({
      question: question.trim(),
      text: explanation === undefined ? answer : `${answer}. ${explanation}`,
    });
    pages.set(url, page);
  }
  return [...pages.values()];
}

/** Archives serve pages of other hosts. */
function originalHost(url: string): string {
  const archived = /^https?:\/\/web\.archive\.org\/web\/[^/]+\/(?:https?:\/\/)?([^/:]+)/.exec(url)?.[1];
  return (archived ?? new URL(url).hostname).replace(/^www\./, "").toLowerCase();
}
