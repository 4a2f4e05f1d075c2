import { expect, test } from "bun:test";
import { basename, join } from "node:path";
import { Glob } from "bun";
import { type Diagnostic, diagnosticText } from "./diagnostic.ts";
import { loadFile } from "./load.ts";

const FOLDER = join(import.meta.dir, "testdata");
// With UPDATE_GOLDEN=1, writes the current diagnostics to the files, for review in the diff.
const IS_UPDATE = process.env["UPDATE_GOLDEN"] === "1";

/** The diagnostic without its position, which changes with every line that is added to a file. */
function lineOf({ path, message }: Diagnostic): string {
  return diagnosticText({ path, message });
}

for (const file of [...new Glob("*.json").scanSync(FOLDER)].toSorted()) {
  test(`loading ${file} gives the diagnostics in ${basename(file, ".json")}.txt`, async () => {
    const path = join(FOLDER, file);
    const { config, problems, warnings } = await loadFile(path);
    const lines = [
      config === undefined ? "refused" : "loaded",
      ...problems.map((problem) => `problem: ${lineOf(problem)}`),
      ...warnings.map((warning) => `warning: ${lineOf(warning)}`),
      "",
    ].join("\n");
    const golden = path.replace(/\.json$/, ".txt");
    if (IS_UPDATE) await Bun.write(golden, lines);
    expect(lines).toBe(await Bun.file(golden).text());
    expect(config === undefined).toBe(problems.length > 0);
  });
}
