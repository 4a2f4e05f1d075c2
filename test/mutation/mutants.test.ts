import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { ACCEPTED } from "./accepted.ts";
import { importedConstants } from "./constants.ts";
import { codeAt, describe, mutantsOf, mutate } from "./mutants.ts";
import { elsewhere, TESTS_OF } from "./tests-of.ts";

/** All mutants of a text, each as the complete changed text. */
function all(source: string): string[] {
  return mutantsOf(source).map((mutant) => mutate(source, mutant));
}

const CASES: readonly (readonly [source: string, mutants: readonly string[]])[] = [
  [
    "a < b ? 1 : c;",
    [";", "(a <= b) ? 1 : c;", "(a >= b) ? 1 : c;", "true ? 1 : c;", "false ? 1 : c;", "a < b ? (1 + 1) : c;"],
  ],
  [
    "if (a && !b) throw e;",
    ["if ((a || !b)) throw e;", "if (true) throw e;", "if (false) throw e;", "if (a && b) throw e;", "if (a && !b) ;"],
  ],
  ["while (a()) b.c();", ["while (false) b.c();", "while (a()) ;"]],
  ["const x = await f(true);", ["const x = (f(true));", "const x = await f(false);"]],
  ["const f = async () => await g();", []],
  [
    "async function f() { return a ? await b : await c; }",
    [
      "async function f() { return undefined as never; }",
      "async function f() { return true ? await b : await c; }",
      "async function f() { return false ? await b : await c; }",
    ],
  ],
  [
    "async function f() { try { return await g(); } finally { h; } }",
    [
      "async function f() { try { return undefined as never; } finally { h; } }",
      "async function f() { try { return (g()); } finally { h; } }",
      "async function f() { try { return await g(); } finally { ; } }",
    ],
  ],
  [
    "async function f() { await using a = b; return await c; }",
    [
      "async function f() { await using a = b; return undefined as never; }",
      "async function f() { await using a = b; return (c); }",
    ],
  ],
  ["const f = (n: number): n is 5 => n++;", ["const f = (n: number): n is 5 => n--;"]],
  [
    "function f() { return a ?? b; }",
    ["function f() { return undefined as never; }", "function f() { return (a && b); }"],
  ],
  ["function f() { return undefined; }", []],
  ["function f() { return true; }", ["function f() { return false; }"]],
  [
    "const MAX_A = 2 * 1024, B = 7;",
    ["const MAX_A = (2 * (2 * 1024)), B = 7;", "const MAX_A = 2 * 1024, B = (7 + 1);"],
  ],
  ["const A = 65_536;", ["const A = (2 * (65_536));"]],
  ["const LIMITS = { b: 1 } as const;", ["const LIMITS = { b: (1 + 1) } as const;"]],
  ["const MAX_A = f(2);", ["const MAX_A = f((2 + 1));"]],
  ["f(a[i] ?? 0);", [";", "f((a[i] && 0));"]],
  ["const [a = 0] = b;", []],
  ["const A = 0; x = a + A;", ["const A = (0 + 1); x = a + A;", "const A = 0; ;"]],
  [
    "const S = { ok: 0 } as const; function f() { return S.ok; }",
    [
      "const S = { ok: (0 + 1) } as const; function f() { return S.ok; }",
      "const S = { ok: 0 } as const; function f() { return (S.ok + 1); }",
    ],
  ],
  ["function f() { return 0; }", ["function f() { return (0 + 1); }"]],
  ["f(a.b ?? 0);", [";", "f((a.b && 0));", "f(a.b ?? (0 + 1));"]],
  ["const a = 2;", ["const a = (2 + 1);"]],
  ["type A = 1 | 2; interface B { a: true } import { c } from 'c';", []],
  ["const a = b as 1 | 2;", []],
  [
    "for (const a of b) { if (c) continue; }",
    [
      "for (const a of b) { if (true) continue; }",
      "for (const a of b) { if (false) continue; }",
      "for (const a of b) { if (c) ; }",
    ],
  ],
];

for (const [source, mutants] of CASES) {
  test(`${source} has ${mutants.length} mutants`, () => {
    expect(all(source).toSorted()).toEqual([...mutants].toSorted());
  });
}

test("a change that has no effect because of an imported constant does not become a mutant", () => {
  const file = "src/gateway/filters/proxy-wasm/host/plain.ts";
  const imported = importedConstants(file);
  expect(imported.get("STATUS.notFound")).toBe(1);
  const mutants = mutantsOf("function f() { return STATUS.ok; }", imported).map(({ text }) => text);
  expect(mutants).toEqual(["(STATUS.ok + 1)"]);
});

test("a mutant has its line and a description of its change", () => {
  const source = "f();\nconst a =\n  b >= 10;\n";
  const bound = mutantsOf(source).find(({ kind }) => kind === "bound");
  expect(bound?.line).toBe(3);
  expect(bound === undefined ? "" : describe(source, bound)).toBe("b >= 10  →  (b > 10)");
});

test("every mutant of this module's subject still parses", async () => {
  const source = await Bun.file(`${import.meta.dir}/mutants.ts`).text();
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  const mutants = mutantsOf(source);
  expect(mutants.length).toBeGreaterThan(50);
  for (const mutant of mutants) expect(() => transpiler.transformSync(mutate(source, mutant))).not.toThrow();
});

test.each([...ACCEPTED])(
  "each listed reason belongs to an existing mutant: $file: $mutant",
  async ({ file, code, mutant, reason }) => {
    const source = await Bun.file(file).text();
    const found = mutantsOf(source, importedConstants(file)).filter(
      (it) => codeAt(source, it) === code && describe(source, it) === mutant,
    );
    expect(found).not.toBeEmpty();
    expect(reason.length).toBeGreaterThan(20);
  },
);

test("the listed tests for files in other folders exist", () => {
  expect(elsewhere("src/gateway/http1/chunked.ts")).toContain("test/http1");
  expect(elsewhere("src/gateway/http11")).toBeEmpty();
  for (const place of Object.values(TESTS_OF).flat()) expect(existsSync(place)).toBeTrue();
});
