/** `npm test [-- FILES]`: all tests, with times that the load of the machine stretches (`src/lib/testing/patience.ts`). */
import { PATIENCE_FACTOR, PATIENCE_VARIABLE } from "../src/lib/testing/patience.ts";

/** Test files at a time. Many of them wait more than they compute. */
const PARALLEL = 3;
/** The files that run beside a test are load too, also where the machine is quiet at the start. */
const factor = Math.max(PATIENCE_FACTOR, PARALLEL);

const command = [process.execPath, "test", `--parallel=${PARALLEL}`, "--no-isolate", `--timeout=${20_000 * factor}`];
const run = Bun.spawn([...command, ...process.argv.slice(2)], {
  env: { ...process.env, [PATIENCE_VARIABLE]: String(factor) },
  stdio: ["inherit", "inherit", "inherit"],
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => run.kill(signal));
process.exit(await run.exited);
