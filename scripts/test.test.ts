import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { patient } from "../src/lib/testing/patience.ts";

/** Whether a test file runs for the first time in a folder. */
const IS_FIRST = `
import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
const isFirst = !existsSync("ran");
writeFileSync("ran", "");
`;
const RUNS_VARIABLE = "BUN_JSC_thresholdForJITAfterWarmUp";
const PASSES = 'import { test } from "bun:test"; test("passes", () => {});';

/** A file that notes in "order" that it runs. */
function noted(name: string): string {
  return `
import { expect, test } from "bun:test";
import { appendFileSync, readFileSync } from "node:fs";
appendFileSync("order", "${name} ");
const isFirst = readFileSync("order", "utf8").split("${name} ").length === 2;
test("passes", () => {});
test.skip("skipped", () => {});
`;
}

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "turnpike-flaky-"));
});
afterEach(() => rmSync(cwd, { recursive: true }));

/** Runs test files by their names, or as a whole run, and returns the exit code and what comes after the line "Failures:". */
async function runTests(
  files: Readonly<Record<string, string>>,
  { nightly = "", isWhole = false } = {},
): Promise<[number, string]> {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  const paths = isWhole ? [] : Object.keys(files).map((name) => `./${name}`);
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "test.ts"), ...paths], {
    cwd,
    // A program that is named is not built.
    env: { ...process.env, TURNPIKE_TEST_NIGHTLY: nightly, TURNPIKE_TEST_PROGRAM: "named", [RUNS_VARIABLE]: undefined },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const printed = await new Response(child.stderr).text();
  return [await child.exited, printed.split("\nFailures:\n")[1]?.trimEnd() ?? ""];
}

describe.each([
  ["", 0, " 0 fail", '"5000"'],
  ["1", 1, " 1 fail", "undefined"],
])("with TURNPIKE_TEST_NIGHTLY=%p", (nightly, exitCode, summary, runs) => {
  test(
    `programs that tests start compile code after ${runs} runs, where undefined is the engine's default`,
    async () => {
      const reads = `import { expect, test } from "bun:test"; test("t", () => expect(process.env.${RUNS_VARIABLE}).toBe(${runs}));`;
      expect(await runTests({ "reads.test.ts": reads }, { nightly })).toEqual([0, ""]);
    },
    patient(30_000),
  );

  test(
    `a test that passes only at the second try is listed, and the exit code is ${exitCode}`,
    async () => {
      const flaky = `${IS_FIRST} test("races", () => expect(isFirst).toBeFalse());`;
      const [code, end] = await runTests({ "flaky.test.ts": flaky, "other.test.ts": PASSES }, { nightly });
      expect(code).toBe(exitCode);
      expect(end).toStartWith("(flaky) flaky.test.ts > races\n    AssertionError: expect(received).toBeFalse()");
      expect(end).toEndWith(summary);
    },
    patient(30_000),
  );

  test(
    `an error between tests that the second try does not have is listed, and the exit code is ${exitCode}`,
    async () => {
      const flaky = `${IS_FIRST} test("passes", () => {}); if (isFirst) throw new Error("a port is taken");`;
      const [code, end] = await runTests({ "flaky.test.ts": flaky, "other.test.ts": PASSES }, { nightly });
      expect(code).toBe(exitCode);
      expect(end).toStartWith("(flaky) flaky.test.ts > error between tests\n    error: a port is taken");
      expect(end).toEndWith(summary);
    },
    patient(30_000),
  );
});

test(
  "a failed test of a long run, whose summary repeats it, is tried again and counted once",
  async () => {
    const flaky = `${IS_FIRST} test("races", () => expect(isFirst).toBeFalse());`;
    const many = 'import { test } from "bun:test"; for (let i = 0; i < 40; i++) test(`passes ${i}`, () => {});';
    const [code, end] = await runTests({ "flaky.test.ts": flaky, "many.test.ts": many });
    expect(code).toBe(0);
    expect(end.match(/^\(\w+\) .*/gm)).toEqual(["(flaky) flaky.test.ts > races"]);
    expect(end).toEndWith("\n 41 pass\n 0 skip\n 0 fail");
  },
  patient(30_000),
);

test(
  "every failed test and error is named at the end, with its file and the first lines of its error",
  async () => {
    const [code, end] = await runTests({
      "hook.test.ts": `import { afterAll, test } from "bun:test"; test("t", () => {}); afterAll(() => { throw new Error("no end"); });`,
      "load.test.ts": 'import { missing } from "./missing.ts"; missing();',
      "some.test.ts": `import { describe, expect, test } from "bun:test"; describe("outer", () => {
        test("prints", () => { console.error("own output"); expect(1).toBe(2); });
        test("never ends", () => new Promise(() => {}), 50);
      });`,
    });
    expect(code).toBe(1);
    expect(end).toMatch(/\(fail\) hook\.test\.ts > \(unnamed\)\n {4}Error: no end/);
    expect(end).toMatch(
      /\(fail\) load\.test\.ts > error between tests\n {4}error: Cannot find module '\.\/missing\.ts'/,
    );
    expect(end).toMatch(
      /\(fail\) some\.test\.ts > outer > prints\n {4}AssertionError: expect\(received\)\.toBe\(expected\)/,
    );
    expect(end).toMatch(/\(fail\) some\.test\.ts > outer > never ends\n {4}test timed out/);
    expect(end).toEndWith("\n 1 pass\n 0 skip\n 4 fail");
  },
  patient(30_000),
);

test(
  "a whole run takes the files that need idle processors first, tries failed files of all parts again, and sums the counts",
  async () => {
    const races = 'test("races", () => expect(isFirst).toBeFalse());';
    const [code, end] = await runTests(
      {
        "a.test.ts": noted("a") + races,
        "src/content/operations/charged.test.ts": noted("charged") + races,
        "test/start/charge-timeouts.test.ts": noted("timeouts"),
        "test/payments/crash.test.ts": noted("crash"),
      },
      { isWhole: true },
    );
    expect(readFileSync(join(cwd, "order"), "utf8")).toMatch(
      /^(?:charged timeouts|timeouts charged) (?:crash a|a crash) (?:charged a|a charged) $/,
    );
    expect(end.match(/^\(\w+\) .*/gm)).toEqual([
      "(flaky) src/content/operations/charged.test.ts > races",
      "(flaky) a.test.ts > races",
    ]);
    expect([code, end]).toEqual([0, expect.stringMatching(/\n 6 pass\n 4 skip\n 0 fail$/)]);
  },
  patient(30_000),
);

test.each([false, true])(
  "a run whose runner dies has failed (whole run: %p), whatever the other part of it did",
  async (isWhole) => {
    const kills = 'import { test } from "bun:test"; test("kills", () => process.kill(process.ppid, "SIGKILL"));';
    const flaky = `${IS_FIRST} test("races", () => expect(isFirst).toBeFalse());`;
    const parts = { "src/content/operations/charged.test.ts": flaky, "test/payments/crash.test.ts": PASSES };
    const files = isWhole ? parts : { "other.test.ts": PASSES };
    const [code, end] = await runTests({ "kills.test.ts": kills, ...files, "more.test.ts": PASSES }, { isWhole });
    expect([code, end]).toEqual([isWhole ? 1 : 137, expect.stringMatching(/ 1 fail$/)]);
  },
  patient(30_000),
);
