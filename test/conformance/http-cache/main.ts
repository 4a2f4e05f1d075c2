/**
 * `npm run conformance`: runs the suite's tests through the gateway, and prints failures and the score. `-- ID` runs
 * one test and prints its messages.
 */
import { runSuite, scoreOf } from "./suite.ts";

const [asked = ""] = process.argv.slice(2);
const only = asked === "http-cache" ? "" : asked;
const results = await runSuite({}, only, only !== "");
for (const kind of ["required", "optimal", "own"] as const) {
  const ofKind = results.filter((result) => result.kind === kind);
  const failed = ofKind.filter(({ outcome }) => outcome !== "pass");
  console.log(`${kind}: ${ofKind.length - failed.length} of ${ofKind.length}`);
  for (const { suite, id, outcome, detail } of failed) console.log(`  ${outcome}: ${suite}/${id} ${detail}`);
}
const { passed, scored } = scoreOf(results);
console.log(`required and optimal: ${passed} of ${scored}, ${((100 * passed) / scored).toFixed(1)} %`);
