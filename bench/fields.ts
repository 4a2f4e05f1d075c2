/** `npm run bench -- fields`: fields by a schema on generated and on written pages with known values. */
import { fieldsOf } from "../src/content/extraction/schema-fields/fields-of.ts";
import { planOf } from "../src/content/extraction/schema-fields/field-plan.ts";
import { parseTree } from "../src/content/extraction/tree/tree.ts";
import { isObject } from "../src/lib/is-object.ts";
import { type MadePage, madePages } from "./fields/pages.ts";
import { compare, writtenPages } from "./fields/written-pages.ts";
import { aligned } from "./support/report.ts";

interface Score {
  pages: number;
  /** Fields whose value the page states, those of them that were found, and wrong values. */
  stated: number;
  right: number;
  wrong: number;
  planted: number;
}

const none = (): Score => ({ pages: 0, stated: 0, right: 0, wrong: 0, planted: 0 });

/** Prints precision and recall by kind of page and for held-out layouts. `--seed N`, `--show`: lists what is wrong. */
export async function runFieldsBench(args: readonly string[]): Promise<number> {
  const seed = Number(args[args.indexOf("--seed") + 1] ?? 1) || 1;
  const shows = args.includes("--show");
  const scores = new Map<string, Score>();
  const pages = madePages(seed);
  const startedAt = process.cpuUsage();
  for (const page of pages) {
    const { value, sources } = fieldsOf({ tree: parseTree(page.html), url: page.url }, planOf(page.schema));
    const groups = [page.group, page.isHeldOut ? "(held-out layouts)" : "(known layouts)", "all"];
    const wrongs: string[] = [];
    for (const group of groups) {
      const score = scores.get(group) ?? none();
      scores.set(group, score);
      count(page, value, score, group === "all" ? wrongs : []);
    }
    if (shows && wrongs.length > 0)
      console.log(`${page.name}: ${wrongs.join("; ")} ${JSON.stringify(sources).slice(0, 300)}`);
  }
  const { user } = process.cpuUsage(startedAt);
  countWritten(scores, shows);
  const row = (name: string, { pages: count_, stated, right, wrong, planted }: Score): string[] => [
    name,
    ...[count_, stated, right, wrong].map(String),
    (right / Math.max(right + wrong, 1)).toFixed(3),
    (right / Math.max(stated, 1)).toFixed(3),
    String(planted),
  ];
  console.log(
    aligned([
      ["pages of", "pages", "stated", "right", "wrong", "precision", "recall", "planted"],
      ...[...scores].map(([name, score]) => row(name, score)),
    ]).join("\n"),
  );
  console.log(`${(user / 1000 / pages.length).toFixed(2)} ms of CPU a page`);
  return 0;
}

/** Counts the pages that were written by hand, the second set also by itself. */
function countWritten(scores: Map<string, Score>, shows: boolean): void {
  for (const page of writtenPages()) {
    const { value } = fieldsOf({ tree: parseTree(page.html), url: page.url }, planOf(page.schema));
    const { stated, right, wrong, missing } = compare(value, page.truth);
    if (shows) console.log(`${page.name}: ${[...wrong, `missing: ${missing.join(" ")}`].join("; ")}`);
    for (const group of [`written ${page.group}`, "all written"]) {
      const score = scores.get(group) ?? none();
      scores.set(group, score);
      score.pages += 1;
      score.stated += stated;
      score.right += right;
      score.wrong += wrong.length;
    }
  }
}

function count(page: MadePage, value: unknown, score: Score, wrongs: string[]): void {
  score.pages += 1;
  const given = leavesOf(value, "");
  for (const [path, truth] of page.truth) {
    if (truth !== undefined) score.stated += 1;
    const own = Array.isArray(truth) ? at(value, path) : given.get(path);
    given.delete(path);
    if (Array.isArray(truth)) for (const key of given.keys()) if (key.startsWith(`${path}/`)) given.delete(key);
    if (own === undefined || own === null) {
      if (truth !== undefined) wrongs.push(`missing ${path}`);
      continue;
    }
    const isRight = truth !== undefined && Bun.deepEquals(own, truth);
    if (isRight) score.right += 1;
    else {
      score.wrong += 1;
      wrongs.push(`${path} is ${JSON.stringify(own)}, not ${JSON.stringify(truth)}`);
      if (page.planted.some((one) => Bun.deepEquals(one, own))) score.planted += 1;
    }
  }
  for (const [path, own] of given) {
    if (own === null) continue;
    score.wrong += 1;
    wrongs.push(`${path} is ${JSON.stringify(own)}, not there`);
  }
}

function leavesOf(value: unknown, path: string, into = new Map<string, unknown>()): Map<string, unknown> {
  if (Array.isArray(value)) for (const [index, one] of value.entries()) leavesOf(one, `${path}/${index}`, into);
  else if (isObject(value)) for (const [name, one] of Object.entries(value)) leavesOf(one, `${path}/${name}`, into);
  else into.set(path, value);
  return into;
}

function at(value: unknown, path: string): unknown {
  let own: unknown = value;
  for (const step of path.split("/").slice(1))
    own = Array.isArray(own) ? own[Number(step)] : isObject(own) ? own[step] : undefined;
  return own;
}
