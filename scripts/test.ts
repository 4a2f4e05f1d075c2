/**
 * `npm test [-- FILES]`: all tests, with times that the load of the machine stretches (`src/lib/testing/patience.ts`). When at
 * most three tests fail, their files run a second time, alone. A test that passes then is reported by name, for its test or the
 * program has a race. It fails only the nightly run (`TURNPIKE_TEST_NIGHTLY=1`).
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Parser } from "htmlparser2";
import { PATIENCE_FACTOR, PATIENCE_VARIABLE } from "../src/lib/testing/patience.ts";

/** Test files at a time. Many of them wait more than they compute: with 3 on two processors, 4 tenths of their time is unused. */
const PARALLEL = 4;
/** Failed tests above which nothing runs again. */
const MOST_SECOND_TRIES = 3;
/** Characters at the end of the output that hold its summary. */
const SUMMARY_LENGTH = 2000;
/** Test files that run in parallel slow each other down, even if the machine was idle at the start. */
const factor = Math.max(PATIENCE_FACTOR, PARALLEL);

interface Failed {
  readonly file: string;
  readonly name: string;
}

interface Run {
  readonly exitCode: number;
  /** The end of what it printed. */
  readonly summary: string;
}

const isNightly = process.env["TURNPIKE_TEST_NIGHTLY"] === "1";

const folder = mkdtempSync(join(tmpdir(), "turnpike-test-run-"));
const report = join(folder, "report.xml");

async function run(parallel: number, files: readonly string[]): Promise<Run> {
  const reporter = ["--reporter=junit", `--reporter-outfile=${report}`];
  const command = ["test", `--parallel=${parallel}`, "--no-isolate", `--timeout=${20_000 * factor}`, ...reporter];
  const child = Bun.spawn([process.execPath, ...command, ...files], {
    env: { ...process.env, [PATIENCE_VARIABLE]: String(factor) },
    stdio: ["inherit", "inherit", "pipe"],
  });
  const signals = ["SIGINT", "SIGTERM"] as const;
  const passOn = (signal: NodeJS.Signals): void => child.kill(signal);
  for (const signal of signals) process.on(signal, passOn);
  let summary = "";
  const decoder = new TextDecoder();
  for await (const chunk of child.stderr) {
    process.stderr.write(chunk);
    summary = (summary + decoder.decode(chunk, { stream: true })).slice(-SUMMARY_LENGTH);
  }
  const exitCode = await child.exited;
  for (const signal of signals) process.off(signal, passOn);
  return { exitCode, summary };
}

/** The number of a line of the summary such as " 412 pass"; 0 when the line is missing. */
function countOf(word: string, { summary }: Run): number {
  return Number(
    summary
      .matchAll(new RegExp(`^ *(\\d+) ${word}s?$`, "gm"))
      .toArray()
      .at(-1)?.[1] ?? 0,
  );
}

function failedTests(): Failed[] {
  const failed: Failed[] = [];
  let test: Failed = { file: "", name: "" };
  const parser = new Parser(
    {
      onopentag(tag, { file = "", name = "", classname = "" }) {
        if (tag === "testcase") test = { file, name: classname === "" ? name : `${classname} > ${name}` };
        if (tag === "failure") failed.push(test);
      },
    },
    { xmlMode: true },
  );
  parser.end(existsSync(report) ? readFileSync(report, "utf8") : "");
  return failed;
}

/** Runs the files of few failed tests again, and gives the exit code of it all. */
async function secondTry(first: Run): Promise<number> {
  const failed = failedTests();
  // A test that a crash or a broken import kept from running is in no report: the counts differ.
  const isComplete = failed.length === countOf("fail", first) && countOf("error", first) === 0;
  if (first.exitCode === 0 || !isComplete || failed.length === 0 || failed.length > MOST_SECOND_TRIES) {
    return first.exitCode;
  }
  console.error(`\n${failed.length} failed; their files run again, alone`);
  const again = await run(1, [...new Set(failed.map(({ file }) => `./${file}`))]);
  if (again.exitCode !== 0) return again.exitCode;
  console.error("\nThese tests failed beside others, and passed alone. Mend them:");
  for (const { file, name } of failed) console.error(`(flaky) ${file} > ${name}`);
  const flaky = isNightly ? failed.length : 0;
  const passed = countOf("pass", first) + failed.length - flaky;
  console.error(`\n ${passed} pass\n ${countOf("skip", first)} skip\n ${flaky} fail`);
  return flaky === 0 ? 0 : 1;
}

const exitCode = await secondTry(await run(PARALLEL, process.argv.slice(2)));
rmSync(folder, { recursive: true, force: true });
process.exit(exitCode);
