import { join } from "node:path";

/** The result of a run of test files. */
export type Outcome = "passed" | "failed" | "hung";

export interface TestRun {
  readonly outcome: Outcome;
  readonly ms: number;
}

export interface RunOptions {
  readonly cwd: string;
  readonly files: readonly string[];
  readonly limitMs: number;
  /** A folder for the line coverage. */
  readonly coverage?: string;
}

/** Milliseconds for one test. The limit of the whole run stops a mutant that loops or waits earlier. */
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
  // Servers that a test started, and that did not stop because of a mutant.
  endGroup(child.pid);
  return { outcome: hung ? "hung" : code === 0 ? "passed" : "failed", ms: performance.now() - startedAt };
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
