/**
 * Checks that documents, and the comments and error texts of `CHECKED_FOLDERS`, are plain English. With arguments it checks
 * these files or folders instead. Exits with 1 if there is a problem.
 */
import { Glob } from "bun";
import { checkProse } from "./prose/check.ts";
import { CHECKED_FOLDERS, UNCHECKED_DOCUMENTS, UNCHECKED_SOURCES } from "./prose/clean.ts";

const DOCUMENTS = ["*.md", "docs/**/*.md"];

function filesIn(folder: string): string[] {
  const files = [...new Glob(`${folder}/**/*.{ts,tsx,md}`).scanSync(".")];
  return files.filter((path) => !UNCHECKED_SOURCES.includes(path));
}

function chosenFiles(): string[] {
  const named = process.argv.slice(2);
  if (named.length > 0) {
    const chosen = named.flatMap((path) => (/\.(?:md|tsx?)$/.test(path) ? [path] : filesIn(path)));
    return chosen.filter((path) => !UNCHECKED_SOURCES.includes(path) && !UNCHECKED_DOCUMENTS.includes(path));
  }
  const documents = DOCUMENTS.flatMap((glob) => [...new Glob(glob).scanSync(".")]).filter(
    (path) => !UNCHECKED_DOCUMENTS.includes(path),
  );
  return [...documents, ...CHECKED_FOLDERS.flatMap(filesIn)];
}

/** Releases are history: only the unreleased part of the changelog is checked. */
function checkedPart(path: string, text: string): string {
  return path.endsWith("CHANGELOG.md") ? (text.split(/^## \[\d/m)[0] ?? "") : text;
}

let diagnostics = 0;
for (const path of chosenFiles().toSorted()) {
  for (const { line, column, rule, message } of checkProse(path, checkedPart(path, await Bun.file(path).text()))) {
    diagnostics++;
    console.error(`${path}:${line}:${column} ${rule}: ${message}`);
  }
}
if (diagnostics > 0) {
  console.error(`${diagnostics} problems; the style is in CONTRIBUTING.md, "Plain English"`);
  process.exit(1);
}
