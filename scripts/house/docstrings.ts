/** Fails on an export of src without a docstring. Overloads share the docstring of the first one. */
import { CONSOLE, type Checked, isTest, readSources, report, textBefore } from "./sources.ts";

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

/** Finds the exports of `texts` without a docstring. `texts` has the text of each file by its path. */
export function checkDocstrings(texts: ReadonlyMap<string, string>): Checked {
  const problems: string[] = [];
  let count = 0;
  for (const [file, text] of texts) {
    if (isTest(file) || file.startsWith(CONSOLE) || file.endsWith(".d.ts")) continue;
    count += 1;
    for (const name of undocumented(text)) problems.push(`${file}: exports ${name} without a docstring`);
  }
  return { problems, count };
}

if (import.meta.main) {
  const { problems, count } = checkDocstrings(await readSources(["src"]));
  report(problems, `${count} files, each export with a docstring`);
}
