/** Runs the suite's client under Node against the base URL that it is given, and prints the results as JSON. */
import { getResults, runTests } from "http-cache-tests/client/runner.mjs";
import suites from "http-cache-tests/tests/index.mjs";
import fetch from "node-fetch";
import { withLaterTests } from "./later.mjs";

const [base, only] = process.argv.slice(2);
const all = withLaterTests(suites).map((suite) => ({
  ...suite,
  tests: suite.tests.filter((test) => !only || test.id === only),
}));
if (only) for (const { tests } of all) for (const test of tests) test.dump = true;
await runTests(all, fetch, false, base);
const tests = all.flatMap((suite) =>
  suite.tests
    .filter((test) => test.browser_only !== true)
    .map(({ id, name, kind = "required", depends_on: dependsOn = [] }) => ({
      suite: suite.id,
      id,
      name,
      kind,
      dependsOn,
    })),
);
process.stdout.write(`\n${JSON.stringify({ tests, results: getResults() })}`);
