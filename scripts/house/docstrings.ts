/** Fails on an exported function or class of src without a docstring. Overloads share the docstring of the first one. */
import { type Checked, isForBrowser, isTest, readSources, report } from "./sources.ts";

const EXPORTED = /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:class|function\*?)\s+([\w$]+)/gm;

/** The names of the exported functions and classes of a text that have no docstring. */
function undocumented(text: string): string[] {
  const missing = [];
  let last = "";
  for (const { 1: name = "", index } of text.matchAll(EXPORTED)) {
    if (!text.slice(0, index).endsWith("*/\n") && name !== last) missing.push(name);
    last = name;
  }
  return missing;
}

/** Finds the exported functions and classes of `texts` without a docstring. `texts` has the text of each file by its path. */
export function checkDocstrings(texts: ReadonlyMap<string, string>): Checked {
  const problems: string[] = [];
  let count = 0;
  for (const [file, text] of texts) {
    if (isTest(file) || isForBrowser(file) || file.endsWith(".d.ts")) continue;
    count += 1;
    for (const name of undocumented(text)) problems.push(`${file}: exports ${name} without a docstring`);
  }
  return { problems, count };
}

if (import.meta.main) {
  const { problems, count } = checkDocstrings(await readSources(["src"]));
  report(problems, `${count} files, each exported function and class with a docstring`);
}
