/** Runs every check that a commit must pass, in the order of what fails fastest; stops at the first that fails. */
const bun = process.execPath;

/**
 * Mutants of changed files, for a minute. A mutant has its three likeliest tests, which notice fewer than all tests do: half of a sample
 * of 63. So the result is shown, and fails nothing. `npm run mutate -- --changed` takes all tests and no limit.
 */
const SAMPLE = "--changed --beside --sample 200 --minutes 1 --jobs 2 --quick 5000 --tests 3".split(" ");

const checks: readonly (readonly [name: string, command: readonly string[]])[] = [
  ["format", ["node_modules/.bin/biome", "format", "."]],
  ["lint", ["node_modules/.bin/oxlint", "--type-aware", "--deny-warnings"]],
  ["prose", [bun, "scripts/prose.ts"]],
  ["types", ["node_modules/.bin/tsc", "--noEmit"]],
  // Apart from the rest: it runs in a browser, whose names no other code may use.
  ["types of the console", ["node_modules/.bin/tsc", "--noEmit", "-p", "src/gateway/admin/console/page"]],
  ["types of the paying page", ["node_modules/.bin/tsc", "--noEmit", "-p", "src/payments/browser/page"]],
  ["layers", [bun, "scripts/layers.ts"]],
  ["exports", [bun, "scripts/house/exports.ts"]],
  ["clocks", [bun, "scripts/house/clocks.ts"]],
  ["docstrings", [bun, "scripts/house/docstrings.ts"]],
  ["lockfile", [bun, "scripts/lockfile.ts", "--check"]],
  ["generated files", [bun, "scripts/generate.ts", "--check"]],
  ["tests", ["npm", "test"]],
];

for (const [name, command] of checks) {
  const started = performance.now();
  console.log(`── ${name}`);
  const { exitCode } = Bun.spawnSync([...command], { stdio: ["ignore", "inherit", "inherit"] });
  if (exitCode !== 0) {
    console.error(`check failed: ${name} (exit ${exitCode})`);
    process.exit(1);
  }
  console.log(`── ${name} passed in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

console.log("── mutants of changed files");
Bun.spawnSync([bun, "test/mutation/main.ts", ...SAMPLE], { stdio: ["ignore", "inherit", "inherit"] });
