import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BOUNDS_TEST, type Candidate, type Line } from "./candidates.ts";
import { type Mutant, mutate } from "./mutants.ts";
import { mayReach, runSuite, type Suite, type Suites } from "./suites.ts";
import { type Tree } from "./tree.ts";

export interface Subject {
  readonly file: string;
  readonly source: string;
  readonly mutant: Mutant;
  /** Test files, the likeliest to notice the mutant first. */
  readonly tests: readonly Candidate[];
  /** The lines that start threads or processes in which the file runs. */
  readonly starters: readonly Line[];
}

/**
 * The result for a mutant.
 * - caught: a test fails with it, and passes without it right after.
 * - hung: a test does not end with it, twice, and passes without it in between.
 * - pinned: the reference of bounds alone tells it.
 * - unsure: tests failed, but with the unchanged code too.
 */
export type Verdict = "caught" | "hung" | "pinned" | "survived" | "not reached" | "unsure";

export interface Judgement {
  readonly verdict: Verdict;
  /** The test file that decided. */
  readonly by?: string;
}

export interface Rules {
  /** Milliseconds of a test file's normal duration above which it is left out. */
  readonly quickMs: number;
  /** Test files that may run for one mutant. */
  readonly mostTests: number;
}

/** Runs a mutant's tests, file by file, until one notices it. */
export async function judge(tree: Tree, subject: Subject, suites: Suites, rules: Rules): Promise<Judgement> {
  const { file, mutant, tests, starters } = subject;
  const places = [{ file, line: mutant.line }, ...starters];
  let reached = 0;
  let isUnsure = false;
  for (const { file: test, startsPrograms } of tests) {
    if (reached === rules.mostTests) break;
    const suite = await suites.suite(tree, test);
    if (suite === undefined || isSlow(suite, rules)) continue;
    if (!startsPrograms && !places.some((place) => mayReach(suite, place))) continue;
    reached += 1;
    const noticed = await notices(tree, subject, suite);
    if (noticed === "unsure") isUnsure = true;
    else if (noticed !== "passed") return { verdict: noticed, by: test };
  }
  if (mutant.kind === "named" && (await isPinned(tree, subject, suites))) return { verdict: "pinned", by: BOUNDS_TEST };
  return { verdict: isUnsure ? "unsure" : reached > 0 ? "survived" : "not reached" };
}

/** Suites that were left out for their time, each printed once: on a busy machine, they are others than on a free one. */
const slow = new Set<string>();

function isSlow({ file, ms }: Suite, { quickMs }: Rules): boolean {
  if (ms <= quickMs) return false;
  if (!slow.has(file)) console.error(`left out: ${file} takes ${Math.round(ms / 1000)} s`);
  slow.add(file);
  return true;
}

async function isPinned(tree: Tree, subject: Subject, suites: Suites): Promise<boolean> {
  const suite = await suites.suite(tree, BOUNDS_TEST);
  return suite !== undefined && (await notices(tree, subject, suite)) === "caught";
}

/** Whether one suite notices the mutant. Every failure is compared with the unchanged code, which must pass right after. */
async function notices(tree: Tree, subject: Subject, suite: Suite): Promise<"passed" | "caught" | "hung" | "unsure"> {
  const outcome = await withMutant(tree, subject, () => runSuite(tree, suite, 1));
  if (outcome === "passed") return "passed";
  if ((await runSuite(tree, suite, 1)) !== "passed") return "unsure";
  if (outcome === "failed") return "caught";
  const again = await withMutant(tree, subject, () => runSuite(tree, suite, 2));
  return again === "hung" ? "hung" : again === "failed" ? "caught" : "unsure";
}

async function withMutant<T>(tree: Tree, { file, source, mutant }: Subject, run: () => Promise<T>): Promise<T> {
  const before = new Set(readdirSync(tree.folder));
  tree.write(file, mutate(source, mutant));
  try {
    return await run();
  } finally {
    tree.write(file, source);
    // Later runs would find files whose name a mutant made up, such as a database that is no longer in memory.
    for (const name of readdirSync(tree.folder)) {
      if (!before.has(name)) rmSync(join(tree.folder, name), { recursive: true, force: true });
    }
  }
}
