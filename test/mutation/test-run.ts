import { join } from "node:path";

/** What became of a run of test files. */
export type Outcome = "passed" | "failed" | "hung";

export interface TestRun {
  readonly outcome: Outcome;
  readonly ms: number;
}

export interface RunOptions {
  readonly cwd: string;
  readonly files: readonly string[];
  readonly limitMs: number;
  /** A folder that line coverage is written to. */
  readonly coverage?: string;
}

/** Milliseconds that one test may take: a mutant that loops or waits is ended by the whole limit sooner. */
const TEST_TIMEOUT_MS = 60_000;

/** Runs test files in one process, up to the first failure. */
export async function runTests({ cwd, files, limitMs, coverage }: RunOptions): Promise<TestRun> {
  const startedAt = performance.now();
  const flags = coverage === undefined ? [] : ["--coverage", "--coverage-reporter=lcov", `--coverage-dir=${coverage}`];
  const child = Bun.spawn(
    [process.execPath, "test", "--bail", `--timeout=${TEST_TIMEOUT_MS}`, ...flags, ...files.map((file) => `./${file}`)],
    { cwd, stdio: ["ignore", "ignore", "ignore"], env: { ...process.env, CI: "true" }, detached: true },
  );
  let hung = false;
  const limit = setTimeout(() => {
    hung = true;
    endGroup(child.pid);
  }, limitMs);
  const code = await child.exited;
  clearTimeout(limit);
  // Servers that a test started and a mutant kept it from ending.
  endGroup(child.pid);
  return { outcome: hung ? "hung" : code === 0 ? "passed" : "failed", ms: performance.now() - startedAt };
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It is gone.
  }
}

/** Lines of each source file that ran, and lines that could, by the lcov report in a folder. */
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
