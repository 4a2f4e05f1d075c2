/**
 * `npm test [-- FILES]`: all tests, with times that the load of the machine stretches (`src/lib/testing/patience.ts`). When at
 * most six files have failures, or errors happen between tests, these files run a second time, alone. A failure that does not happen then is
 * listed as flaky, for a test or the program has a race. It fails only the nightly run (`TURNPIKE_TEST_NIGHTLY=1`). The last lines name
 * everything that failed and count all tests, and the lines before them the files that took the most CPU time. Without FILES, the files
 * that need idle processors run first (`ALONE`), and those that wait for long run beside all others (`WAITING`). Tests that start the
 * program start `dist/test/turnpike` then, which is built first: it needs 0.2 s of CPU time less to start than the source. The typed client
 * is built first, too: a build takes 8 s of CPU time, and three files need it. So are the filters that several files use
 * (`test-filters.ts`).
 */
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { PATIENCE_FACTOR, PATIENCE_VARIABLE } from "../src/lib/testing/patience.ts";
import { COSTS_VARIABLE, describeCosts, ENGINE_VARIABLE } from "./test-costs.ts";
import { createTestFolder, removeTestFolder } from "./test-folder.ts";
import { type Failure, TestOutput } from "./test-output.ts";

/** Test files at a time. Many of them wait more than they compute: with 6 on two processors, an eighth of the time is unused. */
const PARALLEL = 7;
/**
 * Files of a whole run that run first, without others. Their pages must use up CPU time at idle priority: beside other files, they wait
 * for up to nine minutes, and visit the pages again and again.
 */
const ALONE = ["src/content/operations/charged.test.ts", "test/start/charge-timeouts.test.ts"];
/**
 * Files of a whole run that wait for most of their time, such as for leases of killed processes: they use a tenth of a processor. They run
 * beside all others from the start, so that none of them ends last, and the others keep the processors busy.
 */
const WAITING = [
  "test/payments/refunds.test.ts",
  "test/payments/crash.test.ts",
  "src/content/live/attacks.test.ts",
  "src/content/live/lost-clients.test.ts",
  "test/http3/slow-readers.test.ts",
  "test/payments/channel-kills.test.ts",
  "test/payments/deferred-kills.test.ts",
  "test/payments/deferred.test.ts",
  "test/payments/full-disk.test.ts",
  "test/payments/kills.test.ts",
  "test/payments/metered.test.ts",
  "test/payments/permit2-refunds.test.ts",
  "test/payments/permit2.test.ts",
  "test/proxy/http1-faults.test.ts",
  "test/proxy/http2-faults.test.ts",
  "test/proxy/slow-downloads.test.ts",
];
/** Files with failures above which nothing runs again. One test that fails can fail the others of its file. */
const MOST_SECOND_TRIES = 6;
/**
 * The processes that run tests compile only what runs very often by the last compiler of their engine, which uses a tenth of their CPU
 * time otherwise. `test-costs-preload.ts` removes the variable from the environment that tests pass on to programs.
 */
const ENGINE = { [ENGINE_VARIABLE]: "1000000" };
/**
 * The tests, and the programs that they start, compile code that has run 5,000 times, in place of 500. Most programs live for a tenth of a
 * second, of which the compilers use a quarter otherwise. In the nightly run, programs compile as they do for users.
 */
const PROGRAM_ENGINE = { BUN_JSC_thresholdForJITAfterWarmUp: "5000" };
/** Test files that run in parallel slow each other down, even if the machine was idle at the start. */
const factor = Math.max(PATIENCE_FACTOR, PARALLEL);

interface Run {
  readonly exitCode: number;
  readonly output: TestOutput;
}

const ROOT = join(import.meta.dir, "..");
const PROGRAM_VARIABLE = "TURNPIKE_TEST_PROGRAM";
/** With any value, `test/support/client.ts` does not build the typed client again. */
const CLIENT_VARIABLE = "TURNPIKE_TEST_CLIENT";
const isNightly = process.env["TURNPIKE_TEST_NIGHTLY"] === "1";

const files = process.argv.slice(2);
const environment = files.length === 0 ? await buildForAll() : {};
const folder = createTestFolder();
const costs = join(folder, "costs.jsonl");

/** Builds what several test files use, and returns the environment that tells them so, unless the caller has named a program. */
async function buildForAll(): Promise<Readonly<Record<string, string>>> {
  if (process.env[PROGRAM_VARIABLE] !== undefined) return {};
  const builds = ["build/program.ts", "client-build.ts", "test-filters.ts"].map((script) =>
    Bun.spawn([process.execPath, join(import.meta.dir, script)], { stdio: ["ignore", "inherit", "inherit"] }),
  );
  const failed = (await Promise.all(builds.map(({ exited }) => exited))).find((code) => code !== 0);
  if (failed !== undefined) process.exit(failed);
  // The program looks for the browser in `node_modules` beside itself.
  const place = join(ROOT, "dist/test");
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place);
  linkSync(join(ROOT, "dist/turnpike"), join(place, "turnpike"));
  symlinkSync("../../node_modules", join(place, "node_modules"));
  return { [PROGRAM_VARIABLE]: join(place, "turnpike"), [CLIENT_VARIABLE]: "built" };
}

async function run(parallel: number, chosen: readonly string[]): Promise<Run> {
  const report = join(folder, `${parallel}.xml`);
  const reporter = ["--reporter=junit", `--reporter-outfile=${report}`];
  const preload = `--preload=${join(import.meta.dir, "test-costs-preload.ts")}`;
  const command = [
    "test",
    `--parallel=${parallel}`,
    "--no-isolate",
    `--timeout=${20_000 * factor}`,
    preload,
    ...reporter,
  ];
  const engine = isNightly ? ENGINE : { ...PROGRAM_ENGINE, ...ENGINE };
  const own = { ...engine, [PATIENCE_VARIABLE]: String(factor), [COSTS_VARIABLE]: costs, TMPDIR: folder };
  const child = Bun.spawn([process.execPath, ...command, ...chosen], {
    env: { ...process.env, ...environment, ...own },
    stdio: ["inherit", "inherit", "pipe"],
  });
  const signals = ["SIGINT", "SIGTERM"] as const;
  const passOn = (signal: NodeJS.Signals): void => child.kill(signal);
  for (const signal of signals) process.on(signal, passOn);
  const output = new TestOutput();
  for await (const chunk of child.stderr) {
    process.stderr.write(chunk);
    output.push(chunk);
  }
  const exitCode = await child.exited;
  for (const signal of signals) process.off(signal, passOn);
  output.addReport(report);
  return { exitCode, output };
}

function list(word: string, failures: readonly Failure[]): void {
  for (const { file, name, lines } of failures) {
    console.error([`(${word}) ${file} > ${name}`, ...lines].join("\n    "));
  }
}

/** Runs the files of few failures again, lists all failures and the counts of all runs, and returns the exit code. */
async function finish(runs: readonly Run[]): Promise<number> {
  const outputs = runs.map(({ output }) => output);
  const count = (word: "pass" | "skip" | "fail"): number =>
    outputs.reduce((sum, output) => sum + output.count(word), 0);
  const exitCode = runs.find((each) => each.exitCode !== 0)?.exitCode ?? 0;
  const failures = outputs.flatMap((output) => output.failures);
  let failed: readonly Failure[] = failures;
  let flaky: readonly Failure[] = [];
  const failing = failedFiles(runs);
  if (failing.length > 0 && failing.length <= MOST_SECOND_TRIES) {
    console.error(`\n${failures.length} failed; their files run again, alone`);
    const again = await run(1, paths(failing));
    if (again.exitCode === 0) [failed, flaky] = [[], failures];
    else failed = again.output.failures.length > 0 ? again.output.failures : failures;
  }
  if (exitCode !== 0) console.error("\nFailures:");
  list("flaky", flaky);
  list("fail", failed);
  const isPassed = exitCode === 0 || (flaky.length > 0 && !isNightly);
  const counted = isPassed ? 0 : Math.max(1, count("fail"), failures.length);
  const passed = count("pass") + (isPassed ? flaky.length : 0);
  console.error(`\n ${passed} pass\n ${count("skip")} skip\n ${counted} fail`);
  return isPassed ? 0 : exitCode;
}

/** Empty if a process of a runner died, or if it is not known which files failed. */
function failedFiles(runs: readonly Run[]): readonly string[] {
  const failed = runs.filter(({ exitCode }) => exitCode !== 0).map(({ output }) => output.failedFiles ?? []);
  return failed.some((some) => some.length === 0) ? [] : failed.flat();
}

function paths(names: readonly string[]): string[] {
  return names.map((name) => `./${name}`);
}

const isWhole = files.length === 0;
const others = [...ALONE, ...WAITING].map((file) => `--path-ignore-patterns=${file}`);
const runs = isWhole
  ? [await run(ALONE.length, paths(ALONE)), ...(await Promise.all([run(2, paths(WAITING)), run(PARALLEL, others)]))]
  : [await run(PARALLEL, files)];
if (isWhole && existsSync(costs)) console.error(["", ...describeCosts(readFileSync(costs, "utf8"))].join("\n"));
const exitCode = await finish(runs);
await removeTestFolder(folder);
process.exit(exitCode);
