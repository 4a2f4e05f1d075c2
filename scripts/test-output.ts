import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { Parser } from "htmlparser2";

/** A failed test, or an error between tests. */
export interface Failure {
  /** Empty if it is not known. */
  readonly file: string;
  /** The complete name of the test, or a description. */
  readonly name: string;
  /** The first lines that the runner printed about it. */
  lines: readonly string[];
}

/** Lines of one failure that are shown, and characters of a line. */
const MAX_LINES = 8;
const MAX_LINE_LENGTH = 300;

const HEADER = /^(?:::group::)?(\S+\.test\.tsx?):$/;
const VERDICT = /^\((pass|skip|todo|fail)\) (.*?)(?: \[[\d.]+m?s\])?$/;
const CRASHED = /^✗ (\S+) (\(.*\))$/;
const COUNT = /^ *(\d+) (pass|skip|fail|error)s?$/;
/** Above the lists of skipped and failed tests that the runner repeats at the end of a long run. */
const REPEATS = /^\d+ tests? (?:skipped|todo|failed):$/;
const UNHANDLED = "# Unhandled error between tests";
const RULE = /^-{5,}$/;
/** A line of a source excerpt, or the mark below its last line. */
const EXCERPT = /^ *(?:\d+ \||\^$)/;

/**
 * Reads the output of `bun test`. The runner prints headers and verdicts in order, but what a test file prints itself may come before
 * or after them: the details of failed tests are in the JUnit report, which is missing after a crash.
 */
export class TestOutput {
  readonly tests: Failure[] = [];
  readonly errors: Failure[] = [];
  readonly #counts = new Map<string, number>();
  readonly #decoder = new TextDecoder();
  /** Files with a header, and those with a verdict. */
  readonly #started = new Set<string>();
  readonly #loaded = new Set<string>();
  #text = "";
  #file = "";
  #hasCrashed = false;
  #hasEnded = false;
  /** The lines of an error that is being printed, between two rules. */
  #error: string[] | undefined;

  push(bytes: Uint8Array): void {
    const lines = (this.#text + this.#decoder.decode(bytes, { stream: true })).split("\n");
    this.#text = lines.pop() ?? "";
    for (const line of lines) this.#read(Bun.stripANSI(line).trimEnd());
  }

  /** The number of a line of the summary such as " 412 pass"; 0 if the line is missing. */
  count(word: "pass" | "skip" | "fail"): number {
    return this.#counts.get(word) ?? 0;
  }

  get failures(): Failure[] {
    return [...this.tests, ...this.errors];
  }

  /** Files without a single test: an error kept them from loading, and they count as one failed test each. */
  get #silent(): string[] {
    return [...this.#started].filter((file) => !this.#loaded.has(file));
  }

  /** The files of all failures. Undefined if a process of the runner died, or if the counts of the summary are others. */
  get failedFiles(): string[] | undefined {
    const isComplete =
      this.count("fail") === this.tests.length + this.#silent.length &&
      (this.#counts.get("error") ?? 0) === this.errors.length;
    if (this.#hasCrashed || !isComplete) return undefined;
    const files = [...this.failures.map(({ file }) => file), ...this.#silent].filter((file) => file !== "");
    return [...new Set(files)];
  }

  /** Adds the details of failed tests from the JUnit report. */
  addReport(path: string): void {
    const lines = linesOf(existsSync(path) ? readFileSync(path, "utf8") : "");
    for (const failed of this.tests) failed.lines = lines.get(`${failed.file} > ${failed.name}`) ?? failed.lines;
  }

  #read(line: string): void {
    if (this.#error !== undefined) return this.#readError(line, this.#error);
    const [, file] = HEADER.exec(line) ?? [];
    const [, verdict, name = ""] = VERDICT.exec(line) ?? [];
    const [, crashed, how = ""] = CRASHED.exec(line) ?? [];
    const [, count, word = ""] = COUNT.exec(line) ?? [];
    if (file !== undefined) this.#start(file);
    else if (REPEATS.test(line)) this.#hasEnded = true;
    else if (verdict !== undefined) this.#take(verdict, name);
    else if (crashed !== undefined) this.#crash(crashed, how);
    else if (count !== undefined) this.#counts.set(word, Number(count));
    else if (line === UNHANDLED) this.#error = [];
  }

  #start(file: string): void {
    this.#file = file;
    this.#started.add(file);
  }

  #take(verdict: string, name: string): void {
    if (this.#hasEnded) return;
    this.#loaded.add(this.#file);
    if (verdict === "fail") this.tests.push({ file: this.#file, name, lines: [] });
  }

  #crash(file: string, name: string): void {
    this.tests.push({ file, name, lines: [] });
    this.#hasCrashed = true;
  }

  #readError(line: string, error: string[]): void {
    if (!RULE.test(line) || error.length === 0) {
      error.push(line);
      return;
    }
    this.#error = undefined;
    const lines = shortened(error.slice(1));
    // A timer of one test file may fire within the next one.
    const [named] = /\/[^\s():']+\.test\.tsx?\b/.exec(lines.join("\n")) ?? [];
    const file = named === undefined ? this.#file : relative(process.cwd(), named);
    this.errors.push({ file, name: "error between tests", lines });
  }
}

function shortened(lines: readonly string[]): string[] {
  const kept = lines.filter((line) => line.trim() !== "" && !EXCERPT.test(line));
  return kept.slice(0, MAX_LINES).map((line) => line.slice(0, MAX_LINE_LENGTH));
}

/** The details of the failed tests of a JUnit report, by file and name. */
function linesOf(report: string): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  let test = "";
  let summary = "";
  let details: string | undefined;
  const parser = new Parser(
    {
      onopentag(tag, { file = "", name = "", classname = "", message = "" }) {
        if (tag === "testcase") test = [file, classname, name].filter((part) => part !== "").join(" > ");
        if (tag === "failure") [summary, details] = [message, ""];
      },
      ontext(text) {
        if (details !== undefined) details += text;
      },
      onclosetag(tag) {
        if (tag !== "failure" || details === undefined) return;
        found.set(test, shortened((details === "" ? summary : details).split("\n")));
        details = undefined;
      },
    },
    { xmlMode: true },
  );
  parser.end(report);
  return found;
}
