/**
 * Fails on an export without a docstring, except in the folders that UNDOCUMENTED_FOLDERS still lists. Overloads share
 * the docstring of the first one.
 */
import { dirname } from "node:path";
import { CONSOLE, type Checked, isTest, readSources, report, textBefore } from "./sources.ts";
import { UNDOCUMENTED_FOLDERS } from "./undocumented.ts";

const EXPORTED =
  /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:const|let|class|interface|type|function\*?)\s+([\w$]+)/gm;

/** The exported names of a text that have no docstring. A group of constants shares the docstring of its first. */
function undocumented(text: string): string[] {
  const missing = [];
  let last = "";
  for (const { 1: name = "", index } of text.matchAll(EXPORTED)) {
    const before = textBefore(text, index);
    if (!before.endsWith("*/\n") && name !== last) missing.push(name);
    last = name;
  }
  return missing;
}

/**
 * Finds the exports of `texts` without a docstring, except in `folders`, and the entries of `folders` that are no
 * longer needed. `texts` has the text of each file by its path.
 */
export function checkDocstrings(texts: ReadonlyMap<string, string>, folders: readonly string[]): Checked {
  const problems: string[] = [];
  /** The folders of the list that still have an export without a docstring. */
  const undone = new Set<string>();
  let count = 0;
  for (const [file, text] of texts) {
    if (isTest(file) || file.startsWith(CONSOLE) || file.endsWith(".d.ts")) continue;
    const missing = undocumented(text);
    if (folders.includes(dirname(file))) {
      if (missing.length > 0) undone.add(dirname(file));
      continue;
    }
    count += 1;
    for (const name of missing) problems.push(`${file}: exports ${name} without a docstring`);
  }
  for (const folder of folders) {
    if (!undone.has(folder))
      problems.push(`scripts/house/undocumented.ts: every export of ${folder} has one; remove it`);
  }
  return { problems, count };
}

if (import.meta.main) {
  const { problems, count } = checkDocstrings(await readSources(["src"]), UNDOCUMENTED_FOLDERS);
  report(problems, `${count} files, each export with a docstring`);
}
