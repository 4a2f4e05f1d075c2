/** `npm test [-- FILES]`: all tests, with times that the load of the machine stretches (`src/lib/testing/patience.ts`). */
import { patient } from "../src/lib/testing/patience.ts";

const command = [process.execPath, "test", "--parallel=3", "--no-isolate", `--timeout=${patient(20_000)}`];
const run = Bun.spawn([...command, ...process.argv.slice(2)], { stdio: ["inherit", "inherit", "inherit"] });
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => run.kill(signal));
process.exit(await run.exited);
