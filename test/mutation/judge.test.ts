import { expect, spyOn, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { judge, type Verdict } from "./judge.ts";
import { mutantsOf } from "./mutants.ts";
import { Suites } from "./suites.ts";
import { Tally } from "./tally.ts";

const SOURCE = "export const isLarge = (n: number): boolean => n > 10;\n";
const IMPORTS = 'import { expect, test } from "bun:test";\nimport { isLarge } from "./large.ts";\n';

/** The verdict over `n > 10` to `n >= 10` with a test of this body, in a project of its own. */
async function verdictWith(body: string, quickMs = Number.POSITIVE_INFINITY): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-judge-"));
  const tree = { folder, write: (file: string, text: string): void => writeFileSync(join(folder, file), text) };
  try {
    mkdirSync(join(folder, "src"));
    tree.write("src/large.ts", SOURCE);
    tree.write("src/large.test.ts", IMPORTS + body);
    const mutant = mutantsOf(SOURCE).find(({ text }) => text === "(n >= 10)");
    if (mutant === undefined) throw new Error("there is no such mutant");
    const subject = {
      file: "src/large.ts",
      source: SOURCE,
      mutant,
      tests: [{ file: "src/large.test.ts", startsPrograms: false }],
      starters: [],
    };
    const rules = { quickMs, mostTests: 1 };
    return (await judge(tree, subject, new Suites(), rules)).verdict;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("a mutant is caught by a test that fails with it, and passes without it", async () => {
  expect(await verdictWith('test("t", () => expect(isLarge(10)).toBeFalse());')).toBe("caught");
});

test("a test that passes only in its second run, without coverage, is used", async () => {
  const body = `import { existsSync, writeFileSync } from "node:fs";
    const isFirst = !existsSync("ran");
    writeFileSync("ran", "");
    test("t", () => expect(isFirst || isLarge(10)).toBeFalse());`;
  expect(await verdictWith(body)).toBe("caught");
});

test("a mutant survives a test that passes with it", async () => {
  expect(await verdictWith('test("t", () => expect(isLarge(11)).toBeTrue());')).toBe("survived");
});

test("a test file that takes too long is left out, and printed", async () => {
  const printed = spyOn(console, "error").mockImplementation(() => undefined);
  try {
    expect(await verdictWith('test("t", () => expect(isLarge(10)).toBeFalse());', 0)).toBe("not reached");
    expect(printed.mock.calls).toEqual([[expect.stringMatching(/^left out: src\/large\.test\.ts takes \d+ s$/)]]);
  } finally {
    printed.mockRestore();
  }
});

test("a mutant is not caught by a test that also fails with the unchanged code", async () => {
  const fails =
    'test("t", () => { const first = !fs.existsSync("ran"); fs.writeFileSync("ran", ""); isLarge(1); expect(first).toBeTrue(); });';
  expect(await verdictWith(`import fs from "node:fs";\n${fails}`)).toBe("unsure");
});

test("a file that a run with a mutant leaves is removed before the unchanged code runs", async () => {
  const body = `import { existsSync, writeFileSync } from "node:fs";
    test("t", () => {
      if (isLarge(10)) writeFileSync("left", "");
      expect(existsSync("left")).toBeFalse();
    });`;
  expect(await verdictWith(body)).toBe("caught");
});

test("a mutant on a line that no test runs is not reached", async () => {
  expect(await verdictWith('test("t", () => expect(typeof isLarge).toBe("function"));')).not.toBe("caught");
});

test("accepted and pinned mutants do not count as noticed, and hung ones are counted apart", () => {
  const tally = new Tally();
  for (const verdict of ["caught", "caught", "hung", "accepted", "pinned", "survived"] as const) tally.add(verdict);
  expect(tally.share).toBe(50);
  expect(String(tally)).toBe("6 mutants: 2 caught, 1 hung, 1 pinned, 1 accepted, 1 survived: 50.0 % noticed");
});

test("a small sample is below the aim only if chance does not explain it", () => {
  const tally = new Tally();
  for (let i = 0; i < 6; i++) tally.add("caught");
  for (let i = 0; i < 4; i++) tally.add("survived");
  expect(tally.isBelow(85)).toBeTrue();
  tally.add("caught");
  tally.add("caught");
  expect(tally.isBelow(85)).toBeFalse();
});
