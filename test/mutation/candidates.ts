import { basename, dirname, join, normalize } from "node:path";
import { Glob } from "bun";
import { elsewhere } from "./tests-of.ts";

/** Compares `docs/reference/bounds.md` with the code: it notices a changed bound that no test of behaviour notices. */
export const BOUNDS_TEST = "scripts/bounds.test.ts";

/** Imports between a test and a file beyond which a test in another folder is not a candidate. */
const MOST_STEPS = 2;

/** Files of a folder; a file is returned itself. */
export function filesIn(place: string, pattern: string): string[] {
  if (place.endsWith(".ts")) return [place];
  return [...new Glob(`${place.replace(/\/$/, "")}/**/${pattern}`).scanSync(".")].toSorted();
}

/** The sources of a place that have mutants. */
export function sourcesIn(place: string): string[] {
  return filesIn(place, "*.ts").filter((file) => !/\.test\.ts$|\.d\.ts$|\/test(?:ing|data)\//.test(file));
}

/** Finds the tests that may notice a change of a source file, the likeliest first. */
export class Candidates {
  readonly #importers = new Map<string, string[]>();
  readonly #imports = new Map<string, string[]>();
  readonly #starters = new Set<string>();
  /** Modules that run in threads or processes of their own, with the lines that start them. */
  readonly #started = new Map<string, Line[]>();

  static async read(): Promise<Candidates> {
    const candidates = new Candidates();
    const files = ["src", "test", "bench"].flatMap((folder) => filesIn(folder, "*.ts"));
    await Promise.all(files.map(async (file) => candidates.#add(file, await Bun.file(file).text())));
    return candidates;
  }

  #add(file: string, source: string): void {
    if (isForTests(file) && /\b(?:spawn|spawnSync|Worker|launch)\(/.test(source)) this.#starters.add(file);
    const imports: string[] = [];
    this.#imports.set(file, imports);
    for (const [, path = ""] of source.matchAll(/(?:from|import\(|import|require\(|new URL\()\s*"(\.[^"]+\.ts)"/g)) {
      const imported = normalize(join(dirname(file), path));
      imports.push(imported);
      const importers = this.#importers.get(imported) ?? [];
      importers.push(file);
      this.#importers.set(imported, importers);
    }
    if (!isForTests(file)) this.#addStarted(file, source);
  }

  #addStarted(file: string, source: string): void {
    for (const [index, line] of source.split("\n").entries()) {
      const path = /new URL\("(\.[^"]+\.ts)", import\.meta\.url\)/.exec(line)?.[1];
      if (path === undefined) continue;
      const started = normalize(join(dirname(file), path));
      this.#started.set(started, [...(this.#started.get(started) ?? []), { file, line: index + 1 }]);
    }
  }

  /** The lines that start a thread or process whose module imports the source: of what runs there, coverage reports nothing. */
  startersOf(source: string): Line[] {
    const importers = new Set([source]);
    for (const file of importers) for (const importer of this.#importers.get(file) ?? []) importers.add(importer);
    return [...importers].flatMap((file) => this.#started.get(file) ?? []);
  }

  /** Test files with the number of imports between them and a source file. */
  #distances(source: string): Map<string, number> {
    const distances = new Map([[source, 0]]);
    const tests = new Map<string, number>();
    for (const [file, steps] of distances) {
      for (const importer of this.#importers.get(file) ?? []) {
        if (distances.has(importer)) continue;
        distances.set(importer, steps + 1);
        if (importer.endsWith(".test.ts")) tests.set(importer, steps + 1);
      }
    }
    return tests;
  }

  /** Whether a test starts programs, browsers or threads, of which coverage reports nothing. */
  #startsPrograms(test: string): boolean {
    const reached = new Set([test]);
    for (const file of reached) {
      if (this.#starters.has(file)) return true;
      for (const imported of this.#imports.get(file) ?? []) if (isForTests(imported)) reached.add(imported);
    }
    return false;
  }

  /**
   * The tests in `room` that import the source, or start programs in a folder around it, and those elsewhere that import it in
   * few steps. Unless `isBesideOnly`, those of `tests-of.ts` and `also` follow, and the other tests of `room` that start
   * programs: first those whose path has most words of the source's path.
   */
  of(source: string, room: string, options: Options = {}): Candidate[] {
    return this.#filesFor(source, room, options).map((file) => ({ file, startsPrograms: this.#startsPrograms(file) }));
  }

  #filesFor(source: string, room: string, { isBesideOnly = false, also = [] }: Options): string[] {
    const distances = this.#distances(source);
    const stem = basename(source, ".ts");
    const folder = room.endsWith(".ts") ? dirname(room) : room;
    const keyed: [file: string, key: number][] = [];
    for (const [file, steps] of distances) {
      const isBeside = file.startsWith(`${folder}/`);
      if (!isBeside && (steps > MOST_STEPS || isBesideOnly)) continue;
      const isOwn = dirname(file) === dirname(source) && basename(file).startsWith(stem);
      keyed.push([file, steps + (isOwn ? 0 : dirname(file) === dirname(source) ? 10 : isBeside ? 20 : 30)]);
    }
    const programs = filesIn(folder, "*.test.ts").filter((file) => !distances.has(file) && this.#startsPrograms(file));
    const isAround = (file: string): boolean => source.startsWith(`${dirname(file)}/`);
    for (const file of programs.filter(isAround)) keyed.push([file, 15]);
    const near = keyed.toSorted(([, a], [, b]) => a - b).map(([file]) => file);
    if (isBesideOnly) return near;
    const far = [...[...elsewhere(source), ...also].flatMap((place) => filesIn(place, "*.test.ts")), ...programs];
    return [...new Set([...near, ...far.toSorted((a, b) => sharedWords(source, b) - sharedWords(source, a))])];
  }
}

function sharedWords(one: string, other: string): number {
  const words = new Set(one.split(/\W/));
  return new Set(other.split(/\W/)).intersection(words).size;
}

function isForTests(file: string): boolean {
  return file.startsWith("test/") || file.includes("/testing/") || file.endsWith(".test.ts");
}

/** A line of a source file. The first one is 1. */
export interface Line {
  readonly file: string;
  readonly line: number;
}

/** A test file that may notice a change. */
export interface Candidate {
  readonly file: string;
  readonly startsPrograms: boolean;
}

export interface Options {
  readonly isBesideOnly?: boolean;
  /** Test files, or folders of them. */
  readonly also?: readonly string[];
}
