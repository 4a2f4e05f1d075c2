/**
 * Fails on a file of src that reads a clock or draws random values itself, unless READERS lists it. A component gets
 * both passed in, so that its tests set them. A default such as `now = Date.now` is passed in; a call is not.
 */
import { READERS } from "./clock-readers.ts";
import { type Checked, isForBrowser, isTest, readSources, report } from "./sources.ts";

const READ =
  /\b(?:Date\.now|performance\.now|Math\.random|randomBytes|randomUUID|randomFillSync|getRandomValues)\(|\bnew Date\(\)/g;
/** The text before a read that is passed in: a function that reads the clock, or the default of a parameter. */
const PASSED_IN = /(?:\(\)(?:: number)? => |[(,] ?\w+(?:: \w+)? = )(?:crypto\.)?$/;
/** A parameter with such a default on a line of its own. */
const DEFAULT_ON_A_LINE = /^\s*\w+(?:: \w+)? = [\w.]+\(.*\),$/;
const COMMENT = /^\s*(?:\*|\/\*\*|\/\/)/;

function readsItself(text: string): boolean {
  return text
    .split("\n")
    .filter((line) => !COMMENT.test(line))
    .filter((line) => !DEFAULT_ON_A_LINE.test(line))
    .some((line) => [...line.matchAll(READ)].some(({ index }) => !PASSED_IN.test(line.slice(0, index))));
}

/**
 * Finds the files of `texts` that read a clock or random values themselves and are not listed, and the listed ones that
 * do not, or do not exist. `texts` has the text of each file by its path; `readers` has the listed files by the reason.
 */
export function checkClocks(
  texts: ReadonlyMap<string, string>,
  readers: Readonly<Record<string, readonly string[]>>,
): Checked {
  const listed = new Set(Object.values(readers).flat());
  const problems: string[] = [];
  let count = 0;
  for (const [file, text] of texts) {
    if (isTest(file) || isForBrowser(file) || file.includes("/dist/")) continue;
    count += 1;
    const reads = readsItself(text);
    if (reads && !listed.has(file)) {
      problems.push(`${file}: reads a clock or random values itself; have them passed in`);
    }
    if (!reads && listed.has(file)) problems.push(`scripts/house/clock-readers.ts: ${file} reads neither any more`);
    listed.delete(file);
  }
  for (const file of listed) problems.push(`scripts/house/clock-readers.ts: ${file} does not exist`);
  return { problems, count };
}

if (import.meta.main) {
  const { problems, count } = checkClocks(await readSources(["src"]), READERS);
  const listed = Object.values(READERS).flat().length;
  report(problems, `${count} files, ${listed} of them read a clock or random values themselves`);
}
