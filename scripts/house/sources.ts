import { Glob } from "bun";

/** The result of a check: its problems, one line each, and how many files or exported values it looked at. */
export interface Checked {
  problems: string[];
  count: number;
}

/** True if a file runs only in tests. */
export function isTest(file: string): boolean {
  return file.endsWith(".test.ts") || file.startsWith("test/") || file.includes("/testing/");
}

/** The TypeScript and JavaScript files of some folders, with their texts. */
export async function readSources(folders: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const paths = folders.flatMap((folder) => [...new Glob(`${folder}/**/*.{ts,tsx,mjs,js}`).scanSync(".")]);
  const texts = new Map<string, string>();
  for (const file of paths.toSorted()) texts.set(file, await Bun.file(file).text());
  return texts;
}

/** The text up to the declaration at `index`, and up to the group of constants that it belongs to: a group shares one docstring. */
export function textBefore(text: string, index: number): string {
  return text.slice(0, index).replace(/(?:(?<=\n)(?:export )?const .*;\n)+$/, "");
}

/** True for code that runs in a browser: it is checked and bundled apart. */
export function isForBrowser(file: string): boolean {
  return file.startsWith("src/gateway/admin/console/page/") || file.startsWith("src/payments/browser/page/");
}

/** Prints the problems and exits with 1 if there are any; otherwise prints `summary`. */
export function report(problems: readonly string[], summary: string): void {
  for (const problem of problems.toSorted()) console.error(problem);
  if (problems.length > 0) process.exit(1);
  console.log(summary);
}
