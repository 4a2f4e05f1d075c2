/**
 * Fails on an exported value of src that no other file imports, and on one that only tests import unless its docstring
 * has the tag `@internal`. Such a value may not be imported by the program. Types are free: an exported function's
 * parameters may be named by its callers.
 *
 * Every import in this repository names what it takes and the file's path, so that a few patterns find them all.
 * A tool with a resolver of its own (knip) would need a list of every worker, script and bench.
 */
import { dirname, join, normalize } from "node:path";
import { type Checked, isForBrowser, isTest, readSources, report, textBefore } from "./sources.ts";

const NAMED = /(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+"(\.[^"]+)"/g;
/** A namespace, or a module that is loaded when it is needed. */
const WHOLE = /\*\s+as\s+\w+\s+from\s+"(\.[^"]+)"|(?:import|require)\(\s*"(\.[^"]+)",?\s*\)/g;
const DECLARED = /^export\s+(?:abstract\s+)?(?:async\s+)?(?:const|let|class|function\*?)\s+([\w$]+)/gm;

/** The programs that other packages import. */
const PUBLIC = new Set(["src/client/client.ts", "src/client/ai.ts", "src/client/langchain.ts"]);
const FOLDERS = ["src", "scripts", "bench", "test", "client", "tools", "examples"];

/** The numbers of files that use an exported value. */
interface Users {
  tests: number;
  program: number;
}

/** The files that use each exported value. */
class Uses {
  readonly #texts: ReadonlyMap<string, string>;
  /** By the file and the name. */
  readonly #users = new Map<string, Users>();
  /** The files that load a file whole. */
  readonly #loaders = new Map<string, string[]>();

  constructor(texts: ReadonlyMap<string, string>) {
    this.#texts = texts;
    for (const [file, text] of texts) this.#addImports(file, text);
  }

  /** Counts the files that use an exported value. A file that loads the whole module uses the names that it writes. */
  of(file: string, name: string): Users {
    const key = `${file} ${name}`;
    const written = new RegExp(`\\b${name.replaceAll("$", "\\$")}\\b`);
    for (const loader of this.#loaders.get(file) ?? []) {
      if (written.test(this.#texts.get(loader) ?? "")) this.#add(key, loader);
    }
    return this.#users.get(key) ?? { tests: 0, program: 0 };
  }

  #addImports(file: string, text: string): void {
    const target = (path: string): string => normalize(join(dirname(file), path));
    for (const [, names = "", path = ""] of text.matchAll(NAMED)) {
      for (const part of names.split(",")) {
        const name =
          part
            .trim()
            .replace(/^type\s+/, "")
            .split(/\s+as\s+/)[0] ?? "";
        this.#add(`${target(path)} ${name}`, file);
      }
    }
    for (const [, namespace, module] of text.matchAll(WHOLE)) {
      const loaded = target(namespace ?? module ?? "");
      this.#loaders.set(loaded, [...(this.#loaders.get(loaded) ?? []), file]);
    }
  }

  #add(key: string, file: string): void {
    const entry = this.#users.get(key) ?? { tests: 0, program: 0 };
    if (isTest(file)) entry.tests += 1;
    else entry.program += 1;
    this.#users.set(key, entry);
  }
}

/** True if the docstring of the declaration at `index`, or of its group of constants, has the tag. */
function isInternal(text: string, index: number): boolean {
  const before = textBefore(text, index);
  return /@internal\b[^/]*\*\/\n$/.test(before.slice(before.lastIndexOf("/**")));
}

function problemOf(file: string, name: string, { tests, program }: Users, internal: boolean): string | undefined {
  if (program === 0 && tests === 0) return `${file}: exports ${name}, which no other file imports`;
  if (program === 0 && !internal) return `${file}: exports ${name}, which only tests import: tag it @internal`;
  if (program > 0 && internal) return `${file}: exports ${name} as @internal, and the program imports it`;
  return undefined;
}

/** Checks the exported values of the files under `src/`. `texts` has the text of each file by its path. */
export function checkExports(texts: ReadonlyMap<string, string>): Checked {
  const uses = new Uses(texts);
  const problems: string[] = [];
  let count = 0;
  for (const [file, text] of texts) {
    if (!file.startsWith("src/") || isTest(file) || PUBLIC.has(file) || isForBrowser(file)) continue;
    for (const { 1: name = "", index } of text.matchAll(DECLARED)) {
      count += 1;
      const problem = problemOf(file, name, uses.of(file, name), isInternal(text, index));
      if (problem !== undefined) problems.push(problem);
    }
  }
  return { problems, count };
}

if (import.meta.main) {
  const { problems, count } = checkExports(await readSources(FOLDERS));
  report(problems, `${count} exported values, each used by another file`);
}
