/**
 * `npm run mutate -- FOLDER ...`: makes small changes to each source file of a folder, one at a time, in a copy of the
 * project, and runs the tests that reach the changed line. A change that no test notices is a survivor.
 */
import { parseArgs } from "node:util";
import { mulberry32 } from "../../src/lib/testing/mulberry32.ts";
import { ACCEPTED } from "./accepted.ts";
import { Candidates, sourcesIn } from "./candidates.ts";
import { changedSources } from "./changed.ts";
import { judge, type Judgement, type Subject } from "./judge.ts";
import { importedConstants } from "./constants.ts";
import { codeAt, describe, mutantsOf } from "./mutants.ts";
import { Suites } from "./suites.ts";
import { Tally } from "./tally.ts";
import { ROOMS } from "./tests-of.ts";
import { MutantTree } from "./tree.ts";

const USAGE = `usage: npm run mutate -- FOLDER|FILE ... | --rooms | --changed [OPTION ...]

  --rooms     every room that has an aim, one after the other
  --changed   the source files that changed since the main branch, the last tag or the last commit
  --also      test files or folders that run after those of the folder and those that tests-of.ts has for it
  --beside    no other tests than those of the folder
  --sample N  this many mutants of a place, chosen by --seed S (1), in place of all
  --line N    the mutants of this line alone
  --quick MS  leave out test files that take longer than this many milliseconds
  --tests N   run at most this many test files for a mutant, the likeliest first
  --minutes N start no mutant after this time
  --jobs N    mutants at a time (1)
  --least N   fail if fewer percent are noticed, by more than the chance of a sample explains (0)`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rooms: { type: "boolean", default: false },
    changed: { type: "boolean", default: false },
    also: { type: "string", multiple: true, default: [] },
    beside: { type: "boolean", default: false },
    sample: { type: "string", default: "Infinity" },
    seed: { type: "string", default: "1" },
    line: { type: "string" },
    quick: { type: "string", default: "Infinity" },
    tests: { type: "string", default: "Infinity" },
    minutes: { type: "string", default: "Infinity" },
    jobs: { type: "string", default: "1" },
    least: { type: "string", default: "0" },
  },
});

/** Files that are sampled together: a folder, one file, or all changed files. */
interface Place {
  readonly name: string;
  /** Source files, each with the folder whose tests count as beside it. */
  readonly files: readonly (readonly [file: string, room: string])[];
}

function placesOf(): Place[] {
  if (values.changed) {
    const files = changedSources().flatMap(sourcesIn);
    return [{ name: "changed files", files: files.map((file) => [file, file]) }];
  }
  const names = values.rooms ? ROOMS : positionals;
  return names.map((name) => ({ name, files: sourcesIn(name).map((file) => [file, name]) }));
}

/** In random order, so that a run that stops early has a sample too. */
async function subjectsOf(place: Place, candidates: Candidates): Promise<Subject[]> {
  const all: Subject[] = [];
  const options = { isBesideOnly: values.beside, also: values.also };
  for (const [file, room] of place.files) {
    const source = await Bun.file(file).text();
    const common = { file, source, tests: candidates.of(file, room, options), starters: candidates.startersOf(file) };
    for (const mutant of mutantsOf(source, importedConstants(file))) {
      if (values.line === undefined || mutant.line === Number(values.line)) all.push({ ...common, mutant });
    }
  }
  if (values.sample === "Infinity" && values.minutes === "Infinity") return all;
  const random = mulberry32(Number(values.seed));
  const keyed = all.map((subject) => ({ subject, key: random() })).toSorted((a, b) => a.key - b.key);
  return keyed.slice(0, Number(values.sample)).map(({ subject }) => subject);
}

function reasonFor({ file, source, mutant }: Subject): string | undefined {
  const text = describe(source, mutant);
  const code = codeAt(source, mutant);
  return ACCEPTED.find((entry) => entry.file === file && entry.code === code && entry.mutant === text)?.reason;
}

/** Counts a judgement, and prints it unless the mutant is plainly caught. */
function note(subject: Subject, { verdict, by }: Judgement, tally: Tally): void {
  const reason = verdict === "survived" || verdict === "not reached" ? reasonFor(subject) : undefined;
  tally.add(reason === undefined ? verdict : "accepted");
  if (verdict === "caught") return;
  const { file, source, mutant } = subject;
  const how = reason === undefined ? verdict : `accepted (${reason})`;
  console.log(`${how}: ${file}:${mutant.line} ${describe(source, mutant)}${by === undefined ? "" : ` (${by})`}`);
}

async function judgeAll(place: Place, candidates: Candidates, suites: Suites): Promise<Tally> {
  const subjects = await subjectsOf(place, candidates);
  console.log(`${place.name}: ${subjects.length} mutants of ${place.files.length} files, seed ${values.seed}`);
  const tally = new Tally();
  const rules = { quickMs: Number(values.quick), mostTests: Number(values.tests) };
  const waiting = subjects.values();
  await Promise.all(
    trees.map(async (tree) => {
      for (const subject of waiting) {
        if (performance.now() > stopAt) return;
        note(subject, await judge(tree, subject, suites, rules), tally);
      }
    }),
  );
  if (tally.total < subjects.length) console.log(`stopped after ${values.minutes} minutes: ${tally.total} tried`);
  return tally;
}

if (!values.rooms && !values.changed && positionals.length === 0) {
  console.error(USAGE);
  process.exit(2);
}
const places = placesOf();
if (places.every(({ files }) => files.length === 0)) {
  console.log("no source file to change");
  process.exit(0);
}
const stopAt = performance.now() + Number(values.minutes) * 60_000;
const trees = Array.from({ length: Number(values.jobs) }, () => new MutantTree());
try {
  const candidates = await Candidates.read();
  const suites = new Suites();
  for (const place of places) {
    const tally = await judgeAll(place, candidates, suites);
    console.log(`${place.name}: ${String(tally)}`);
    if (tally.isBelow(Number(values.least))) process.exitCode = 1;
  }
} finally {
  for (const tree of trees) tree.close();
}
