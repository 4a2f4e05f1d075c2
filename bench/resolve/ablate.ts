/**
 * Finds the conditions of the embedded analyst that decide nothing: each is held true and then false, and the questions
 * that it takes part in are judged again. `bun bench/resolve/ablate.ts [PATH PART]` prints the conditions that have one
 * outcome on all open questions, and those that change no verdict and no probability.
 */
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parse } from "@babel/parser";
import { type Node } from "@babel/types";

const ROOT = join(import.meta.dir, "../../src/content/resolve");
const ROOMS = /content\/resolve\/(?:embedded|reading|evidence)\/[^/]*(?<!\.test)\.ts$/u;

interface Condition {
  readonly place: string;
  readonly text: string;
  /** The cases in which it was true, and in which it was false. */
  readonly seen: readonly [Set<number>, Set<number>];
}

const conditions: Condition[] = [];
let current = 0;
let held: { readonly id: number; readonly value: boolean } | undefined;

/** Stands around each condition: notes its outcome, or replaces it. */
function observed(id: number, value: unknown): unknown {
  if (held?.id === id) return held.value;
  conditions[id]?.seen[value ? 0 : 1].add(current);
  return value;
}
Object.assign(globalThis, { __observed: observed });

/** The parts of a module that decide: tests, and the operands of logical operators in them. */
function operandsOf(node: Node, isTest = false): Node[] {
  if (node.type === "LogicalExpression" && node.operator !== "??")
    return [...operandsOf(node.left, true), ...operandsOf(node.right, isTest)];
  if (node.type === "UnaryExpression" && node.operator === "!") return operandsOf(node.argument, true);
  const own = isTest ? [node] : [];
  const tests = "test" in node && node.test !== null && typeof node.test === "object" ? [node.test as Node] : [];
  const isLoop = node.type === "ForStatement" || node.type === "WhileStatement";
  const below = Object.entries(node).flatMap(([key, value]: [string, unknown]) => {
    if (
      /^(?:loc|.*omments|typeAnnotation|typeParameters|typeArguments|returnType)$/u.test(key) ||
      (key === "test" && !isLoop)
    )
      return [];
    return (Array.isArray(value) ? value : [value]).filter((one): one is Node => typeof one?.type === "string");
  });
  return [
    ...own,
    ...(isLoop ? [] : tests.flatMap((test) => operandsOf(test, true))),
    ...below.flatMap((one) => operandsOf(one)),
  ];
}

function instrumented(path: string): string {
  const source = readFileSync(path, "utf8");
  const marks: [number, string][] = [];
  for (const { start, end, loc } of operandsOf(
    parse(source, { sourceType: "module", plugins: ["typescript"] }).program,
  )) {
    if (typeof start !== "number" || typeof end !== "number") continue;
    const id =
      conditions.push({
        place: `${relative(ROOT, path)}:${loc?.start.line}`,
        text: source.slice(start, end).replace(/\s+/gu, " "),
        seen: [new Set(), new Set()],
      }) - 1;
    marks.push([start, `__observed(${id}, (`], [end, "))"]);
  }
  let text = source;
  for (const [at, mark] of marks.toSorted((a, b) => b[0] - a[0] || Number(a[1] === "))") - Number(b[1] === "))")))
    text = text.slice(0, at) + mark + text.slice(at);
  return text;
}

Bun.plugin({
  name: "conditions",
  setup: (build) => {
    build.onLoad({ filter: ROOMS }, ({ path }) => ({ contents: instrumented(path), loader: "ts" }));
  },
});

const { openCases } = await import("./open-cases.ts");
const cases = await openCases(process.argv[3] ?? join(tmpdir(), "turnpike-open-claims.json"));
for (const { seen } of conditions) for (const one of seen) one.clear();
const before: string[] = [];
for (const [index, { judge }] of cases.entries()) {
  current = index;
  before.push(await judge());
}
const wanted = process.argv[2];
for (const [id, { place, text, seen }] of conditions.entries()) {
  if (!place.includes(wanted ?? "")) continue;
  const unused: string[] = [];
  for (const value of [true, false]) {
    const others = seen[value ? 1 : 0];
    if (wanted === undefined && others.size > 0) continue;
    held = { id, value };
    let isSame = true;
    for (const index of others) {
      isSame = (await cases[index]?.judge().catch(() => "failed")) === before[index];
      if (!isSame) break;
    }
    held = undefined;
    if (isSame) unused.push(others.size === 0 ? `always ${value}` : `${value} instead in ${others.size}`);
  }
  if (unused.length > 0) console.log(`${place}: ${unused.join(", ")}: ${text.slice(0, 120)}`);
}
