/** Compiles AssemblyScript: each argument is a JSON list of the compiler's own. One process, since the compiler starts slowly. */
import { main } from "assemblyscript/asc";

for (const args of process.argv.slice(2)) {
  // The helper beside this file passes lists of strings.
  const { error } = await main(JSON.parse(args) as string[], { stderr: process.stderr });
  if (error !== null) process.exit(1);
}
