import { join } from "node:path";
import { type Line } from "./candidates.ts";
import { type Lines, type Outcome, readCoverage, runTests } from "./test-run.ts";
import { type Tree } from "./tree.ts";

/** Milliseconds for a test, and for a test file, in addition to some times the normal duration of the file. */
const GRACE_MS = 6000;
/** Milliseconds for a test file without a mutant. */
const BASELINE_MS = 300_000;

/** A test file that passes without a mutant: its duration, and the lines that it reaches. */
export interface Suite {
  readonly file: string;
  readonly ms: number;
  /** Undefined if they are not known: it may reach every line. */
  readonly lines: ReadonlyMap<string, Lines> | undefined;
}

/** Test files, each run without a mutant when it is first asked for. */
export class Suites {
  readonly #known = new Map<string, Promise<Suite | undefined>>();

  /** Undefined for a file that does not pass without a mutant. It is printed once. */
  suite(tree: Tree, file: string): Promise<Suite | undefined> {
    const known = this.#known.get(file) ?? this.#measure(tree, file);
    this.#known.set(file, known);
    return known;
  }

  async #measure(tree: Tree, file: string): Promise<Suite | undefined> {
    const coverage = join(tree.folder, "coverage", String(this.#known.size));
    const limits = { testMs: BASELINE_MS, runMs: BASELINE_MS };
    const { outcome, ms } = await runTests({ cwd: tree.folder, file, ...limits, coverage });
    if (outcome === "passed") return { file, ms, lines: await readCoverage(coverage) };
    // Coverage makes a program slow. A test that does not pass with it can still notice a mutant.
    const plain = await runTests({ cwd: tree.folder, file, ...limits });
    if (plain.outcome === "passed") return { file, ms: plain.ms, lines: undefined };
    console.error(`left out: ${file} ${plain.outcome === "hung" ? "does not end" : "fails"} without a mutant`);
    return undefined;
  }
}

/** Runs a suite in a tree as the tree is now. `patience` stretches the limits. */
export async function runSuite({ folder }: Tree, { file, ms }: Suite, patience: number): Promise<Outcome> {
  const testMs = (ms * 3 + GRACE_MS) * patience;
  return (await runTests({ cwd: folder, file, testMs, runMs: testMs * 2 })).outcome;
}

/** Whether a suite may run a line, by its coverage. */
export function mayReach({ lines }: Suite, { file, line }: Line): boolean {
  if (lines === undefined) return true;
  const known = lines.get(file);
  return known !== undefined && (known.ran.has(line) || !known.known.has(line));
}
