/**
 * `npm run mutate -- FOLDER ...`: makes small changes to each source file of a folder, one at a time, in a copy of the
 * project, and runs the tests that reach the changed line. A change that no test notices is a survivor.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Glob } from "bun";
import { ACCEPTED } from "./accepted.ts";
import { codeAt, describe, type Mutant, mutantsOf, mutate } from "./mutants.ts";
import { type Lines, readCoverage, runTests, type TestRun } from "./test-run.ts";
import { elsewhere } from "./tests-of.ts";
import { MutantTree } from "./tree.ts";

const USAGE = `usage: npm run mutate -- FOLDER|FILE ... [--also TESTS ...] [--sample N] [--seed S] [--line N] [--quick MS] [--least PERCENT]

  --also      test files or folders that run beside those of the folder, and those that tests-of.ts has for it
  --sample    this many mutants, chosen by the seed, in place of all
  --line      the mutants of this line alone
  --quick     leave out test files that take longer than this many milliseconds
  --least     fail if a smaller share of mutants is caught (0)`;

/** Milliseconds for a mutant's tests in addition to five times their normal duration. */
const GRACE_MS = 15_000;
/** Milliseconds for a test file without a mutant. */
const BASELINE_MS = 600_000;

interface Subject {
  readonly file: string;
  readonly source: string;
  readonly mutant: Mutant;
}

/** A test file, its duration, and the lines that it reaches. */
interface Suite {
  readonly file: string;
  /** It is in another folder. It may run the files in a process that coverage does not see. */
  readonly isElsewhere: boolean;
  readonly ms: number;
  readonly lines: ReadonlyMap<string, Lines>;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    also: { type: "string", multiple: true, default: [] },
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    line: { type: "string" },
    quick: { type: "string", default: "Infinity" },
    least: { type: "string", default: "0" },
  },
});
if (positionals.length === 0) {
  console.error(USAGE);
  process.exit(2);
}

/** Files of a folder; a file is returned itself. */
function filesIn(place: string, pattern: string): string[] {
  if (place.endsWith(".ts")) return [place];
  return [...new Glob(`${place.replace(/\/$/, "")}/**/${pattern}`).scanSync(".")].toSorted();
}

function sourcesIn(place: string): string[] {
  return filesIn(place, "*.ts").filter((file) => !/\.test\.ts$|\.d\.ts$|\/test(?:ing|data)\//.test(file));
}

/** The tests in a folder, or beside a file. */
function testsBeside(place: string): string[] {
  const folder = place.endsWith(".ts") ? place.slice(0, place.lastIndexOf("/")) : place;
  return filesIn(folder, "*.test.ts");
}

/** Pseudo-random numbers from 0 up to 1, repeatable by a seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function sampleOf<T>(items: readonly T[], count: number, seed: number): T[] {
  const random = randomOf(seed);
  const keyed = items.map((item, i) => ({ item, i, key: random() }));
  const chosen = keyed.toSorted((a, b) => a.key - b.key).slice(0, count);
  return chosen.toSorted((a, b) => a.i - b.i).map(({ item }) => item);
}

async function subjectsOf(files: readonly string[]): Promise<Subject[]> {
  const all: Subject[] = [];
  for (const file of files) {
    const source = await Bun.file(file).text();
    for (const mutant of mutantsOf(source)) {
      if (values.line === undefined || mutant.line === Number(values.line)) all.push({ file, source, mutant });
    }
  }
  return values.sample === undefined ? all : sampleOf(all, Number(values.sample), Number(values.seed));
}

/** Runs each test file alone without a mutant: it must pass, and its coverage is recorded. */
async function measure(tree: MutantTree, tests: ReadonlyMap<string, boolean>): Promise<Suite[]> {
  const suites: Suite[] = [];
  for (const [i, [file, isElsewhere]] of [...tests].entries()) {
    const coverage = join(tree.folder, "coverage", String(i));
    const { outcome, ms } = await runTests({ cwd: tree.folder, files: [file], limitMs: BASELINE_MS, coverage });
    if (outcome === "passed") suites.push({ file, isElsewhere, ms, lines: await readCoverage(coverage) });
    else console.error(`left out: ${file} ${outcome === "hung" ? "does not end" : "fails"} without a mutant`);
  }
  const quick = suites.filter(({ ms }) => ms <= Number(values.quick));
  return quick.toSorted((a, b) => a.ms - b.ms);
}

/**
 * The test files that reach the mutant's line, quick ones first. If no report has the line, all test files count. A
 * file that a test in another folder did not load may run in the program that the test starts.
 */
function reaching({ file, mutant }: Subject, suites: readonly Suite[]): Suite[] {
  return suites.filter(({ isElsewhere, lines }) => {
    const known = lines.get(file);
    if (known === undefined) return isElsewhere;
    return known.ran.has(mutant.line) || !known.known.has(mutant.line);
  });
}

/** Runs the mutant's tests, file by file, until one fails. */
async function caughtBy(tree: MutantTree, subject: Subject, suites: readonly Suite[]): Promise<string | undefined> {
  tree.write(subject.file, mutate(subject.source, subject.mutant));
  try {
    for (const { file, ms } of reaching(subject, suites)) {
      const run: TestRun = await runTests({ cwd: tree.folder, files: [file], limitMs: ms * 5 + GRACE_MS });
      if (run.outcome !== "passed") return file;
    }
    return undefined;
  } finally {
    tree.write(subject.file, subject.source);
  }
}

function reasonFor({ file, source, mutant }: Subject): string | undefined {
  const text = describe(source, mutant);
  const code = codeAt(source, mutant);
  return ACCEPTED.find((entry) => entry.file === file && entry.code === code && entry.mutant === text)?.reason;
}

const files = [...new Set(positionals.flatMap(sourcesIn))];
const others = [...positionals.flatMap(elsewhere), ...values.also].flatMap((place) => filesIn(place, "*.test.ts"));
const tests = new Map(others.map((file) => [file, true]));
for (const file of positionals.flatMap(testsBeside)) tests.set(file, false);
const subjects = await subjectsOf(files);
console.log(`${subjects.length} mutants of ${files.length} files, ${tests.size} test files`);
const tree = new MutantTree();
let caught = 0;
let accepted = 0;
try {
  const suites = await measure(tree, tests);
  for (const subject of subjects) {
    const { file, source, mutant } = subject;
    if ((await caughtBy(tree, subject, suites)) !== undefined) {
      caught += 1;
      continue;
    }
    const reason = reasonFor(subject);
    if (reason !== undefined) accepted += 1;
    const reached = reaching(subject, suites).length > 0 ? "survived" : "not reached";
    console.log(
      `${reason === undefined ? reached : `accepted (${reason})`}: ${file}:${mutant.line} ${describe(source, mutant)}`,
    );
  }
} finally {
  tree.close();
}
const share = subjects.length === 0 ? 100 : ((caught + accepted) / subjects.length) * 100;
console.log(`${caught} of ${subjects.length} caught, ${accepted} accepted: ${share.toFixed(1)} %`);
process.exitCode = share >= Number(values.least) ? 0 : 1;
