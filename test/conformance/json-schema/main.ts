/** The part of `npm run conformance` for JSON Schema 2020-12: failures, and the score. */
import { playFormats, playOwn, playSuite, type Result, suiteFolder } from "./suite.ts";

function show(name: string, results: readonly Result[]): void {
  const failed = results.filter(({ error }) => error !== "");
  console.log(`${name}: ${results.length - failed.length} of ${results.length}`);
  for (const { id, error } of failed) console.log(`  ${id}: ${error}`);
}

show("JSON Schema 2020-12, own cases", playOwn());
const folder = suiteFolder();
if (folder === undefined) {
  console.log("JSON Schema 2020-12, official suite: not played, no copy of it was found");
} else {
  show("JSON Schema 2020-12, official suite", playSuite(folder));
  show("JSON Schema 2020-12, official suite, optional/format", playFormats(folder));
}
