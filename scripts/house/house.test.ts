import { describe, expect, test } from "bun:test";
import { checkClocks } from "./clocks.ts";
import { checkDocstrings } from "./docstrings.ts";
import { checkExports } from "./exports.ts";

function tree(files: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(files));
}

function exportProblems(files: Readonly<Record<string, string>>): readonly string[] {
  return checkExports(tree(files)).problems;
}

describe("exports", () => {
  const user = 'import { used } from "../lib/used.ts";\nused();\n';

  test("a value that another file imports passes, by whatever import", () => {
    const files = {
      "src/lib/used.ts": "export function used() {}\n",
      "src/lib/renamed.ts": "export const renamed = 1;\n",
      "src/lib/again.ts": "export class Again {}\n",
      "src/lib/lazy.ts": "export async function lazy() {}\n",
      "src/lib/all.ts": "export let all = 1;\n",
      "src/cli/user.ts": `${user}import { renamed as other } from "../lib/renamed.ts";\n
export { Again } from "../lib/again.ts";
const { lazy } = await import("../lib/lazy.ts");
import * as everything from "../lib/all.ts";
everything.all;
`,
    };
    expect(checkExports(tree(files))).toEqual({ problems: [], count: 5 });
  });

  test("a value that no other file imports is found", () => {
    const files = {
      "src/lib/used.ts": "export function used() {}\nexport const alone = used;\n",
      "src/cli/user.ts": user,
    };
    expect(exportProblems(files)).toEqual(["src/lib/used.ts: exports alone, which no other file imports"]);
  });

  test("a value of the same name in another file does not count", () => {
    const files = {
      "src/lib/used.ts": "export function used() {}\n",
      "src/store/used.ts": "export function used() {}\n",
      "src/cli/user.ts": user,
    };
    expect(exportProblems(files)).toEqual(["src/store/used.ts: exports used, which no other file imports"]);
  });

  test("a module that is loaded whole has only the names that its loader writes", () => {
    const files = {
      "src/lib/all.ts": "export const first = 1;\nexport const second = 2;\n",
      "src/cli/user.ts": 'import * as all from "../lib/all.ts";\nall.first;\n',
    };
    expect(exportProblems(files)).toEqual(["src/lib/all.ts: exports second, which no other file imports"]);
  });

  test("a value that only tests import must have the tag @internal, and only such a value may", () => {
    const plain = "/** Adds. */\nexport function used() {}\n";
    const tagged = "/** Adds. @internal */\nexport function used() {}\n";
    expect(exportProblems({ "src/lib/used.ts": plain, "src/lib/used.test.ts": user })).toEqual([
      "src/lib/used.ts: exports used, which only tests import: tag it @internal",
    ]);
    expect(exportProblems({ "src/lib/used.ts": tagged, "src/lib/used.test.ts": user })).toEqual([]);
    expect(exportProblems({ "src/lib/used.ts": tagged, "src/cli/user.ts": user })).toEqual([
      "src/lib/used.ts: exports used as @internal, and the program imports it",
    ]);
  });

  test("types, tests, other folders and the published client may export what they want", () => {
    const files = {
      "src/lib/shape.ts": "export interface Shape {}\nexport type Other = Shape;\n",
      "src/lib/testing/help.ts": "export const help = 1;\n",
      "src/client/client.ts": "export class Client {}\n",
      "bench/run.ts": "export const run = 1;\n",
    };
    expect(checkExports(tree(files))).toEqual({ problems: [], count: 0 });
  });
});

describe("clocks", () => {
  const FILE = "src/lib/wait.ts";
  const problemsOf = (text: string, readers = {}) => checkClocks(tree({ [FILE]: text }), readers).problems;

  const reads = [
    "const started = Date.now();",
    "const started = performance.now();",
    "const date = new Date();",
    "const jitter = Math.random() * 2;",
    "const key = randomBytes(16);",
    "const id = crypto.randomUUID();",
    "crypto.getRandomValues(buffer);",
    "const now = () => clock(); const started = Date.now();",
    "const now = performance.now();",
  ];
  for (const text of reads) {
    test(`a file with "${text}" is found unless it is listed`, () => {
      expect(problemsOf(text)).toEqual([`${FILE}: reads a clock or random values itself; have them passed in`]);
      expect(problemsOf(text, { time: [FILE] })).toEqual([]);
    });
  }

  const passedIn = [
    "constructor(readonly clock: () => number = Date.now) {}",
    "const clock = () => performance.now();",
    "const clock = (): number => Date.now();",
    "function expire(now = Date.now()) {}",
    "function expire(now: number = Date.now()) {}",
    "function login(password: string, nonce = randomBytes(18)) {}",
    "  at: Date,\n  now = Date.now(),\n",
    "const options = { newId: () => crypto.randomUUID() };",
    "const date = new Date(clock());",
    " * Not `Date.now()`: the clock may be set back.",
    "// Math.random() is good enough here.",
  ];
  for (const text of passedIn) {
    test(`"${text}" passes`, () => {
      expect(problemsOf(text)).toEqual([]);
    });
  }

  test("tests and the console's page are not checked", () => {
    const text = "const started = Date.now();\n";
    const files = {
      "src/lib/a.test.ts": text,
      "src/lib/testing/b.ts": text,
      "src/gateway/admin/console/page/c.ts": text,
    };
    expect(checkClocks(tree(files), {})).toEqual({ problems: [], count: 0 });
  });

  test("an entry of the list is found when its file reads neither, or does not exist", () => {
    expect(problemsOf("export const one = 1;\n", { time: [FILE], names: ["src/lib/gone.ts"] })).toEqual([
      `scripts/house/clock-readers.ts: ${FILE} reads neither any more`,
      "scripts/house/clock-readers.ts: src/lib/gone.ts does not exist",
    ]);
  });
});

describe("docstrings", () => {
  const FILE = "src/lib/add.ts";
  const problemsOf = (text: string) => checkDocstrings(tree({ [FILE]: text })).problems;

  const declarations = [
    "class add {}",
    "abstract class add {}",
    "function add() {}",
    "function* add() {}",
    "async function add() {}",
  ];
  for (const declaration of declarations) {
    test(`"export ${declaration}" needs one`, () => {
      expect(problemsOf(`import "./b.ts";\n\nexport ${declaration}\n`)).toEqual([
        `${FILE}: exports add without a docstring`,
      ]);
      expect(problemsOf(`import "./b.ts";\n\n/** Adds. */\nexport ${declaration}\n`)).toEqual([]);
    });
  }

  test("a docstring is one only directly before the export", () => {
    expect(problemsOf("/** Adds. */\n\nexport function add() {}\n")).toHaveLength(1);
    expect(problemsOf("// Adds.\nexport function add() {}\n")).toHaveLength(1);
  });

  test("overloads share the first one's", () => {
    const overloads = "/** Adds. */\nexport function add(a: 1): 1;\nexport function add(a: 2): 2;\n";
    expect(problemsOf(overloads)).toEqual([]);
  });

  test("types and constants need none", () => {
    const declared = "export interface Sum {}\nexport type Add = number;\nexport const one = 1;\nexport let two = 2;\n";
    expect(problemsOf(declared)).toEqual([]);
  });

  test("tests and declaration files need none", () => {
    const text = "export class Add {}\n";
    const files = { "src/lib/add.test.ts": text, "src/lib/testing/add.ts": text, "src/lib/add.d.ts": text };
    expect(checkDocstrings(tree(files))).toEqual({ problems: [], count: 0 });
  });
});
