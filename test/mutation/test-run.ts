import { join } from "node:path";

/** The result of a run of test files. "hung" if it took too long, or if a test failed because it took too long. */
export type Outcome = "passed" | "failed" | "hung";

export interface TestRun {
  readonly outcome: Outcome;
  readonly ms: number;
}

export interface RunOptions {
  readonly cwd: string;
  readonly file: string;
  /** Milliseconds for one test, and for the whole run. */
  readonly testMs: number;
  readonly runMs: number;
  /** A folder for the line coverage. */
  readonly coverage?: string;
}

/** Line of the output about a test that took too long. */
const TIMED_OUT = /\btimed out after \d+ ?ms\b/;

/** Runs a test file in a process of its own, up to the first failure. */
export async function runTests({ cwd, file, testMs, runMs, coverage }: RunOptions): Promise<TestRun> {
  const startedAt = performance.now();
  const flags = coverage === undefined ? [] : ["--coverage", "--coverage-reporter=lcov", `--coverage-dir=${coverage}`];
  const child = Bun.spawn(
    [process.execPath, "test", "--bail", `--timeout=${Math.ceil(testMs)}`, ...flags, `./${file}`],
    { cwd, stdio: ["ignore", "ignore", "pipe"], detached: true },
  );
  let hung = false;
  const limit = setTimeout(() => {
    hung = true;
    endGroup(child.pid);
  }, runMs);
  const output = new Response(child.stderr).text();
  const code = await child.exited;
  clearTimeout(limit);
  // Servers that a test started, and that did not stop because of a mutant. They hold the output open as well.
  endGroup(child.pid);
  const isLate = hung || (code !== 0 && TIMED_OUT.test(await output));
  return { outcome: isLate ? "hung" : code === 0 ? "passed" : "failed", ms: performance.now() - startedAt };
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** The executed lines of each source file, and its executable lines, from the lcov report in a folder. */
export async function readCoverage(folder: string): Promise<ReadonlyMap<string, Lines>> {
  const files = new Map<string, Lines>();
  const report = Bun.file(join(folder, "lcov.info"));
  if (!(await report.exists())) return files;
  let lines: Lines = { ran: new Set(), known: new Set() };
  for (const row of (await report.text()).split("\n")) {
    if (row.startsWith("SF:")) {
      lines = { ran: new Set(), known: new Set() };
      files.set(row.slice(3), lines);
    } else if (row.startsWith("DA:")) {
      const [line = 0, hits = 0] = row.slice(3).split(",").map(Number);
      lines.known.add(line);
      if (hits > 0) lines.ran.add(line);
    }
  }
  return files;
}

export interface Lines {
  readonly ran: Set<number>;
  readonly known: Set<number>;
}
