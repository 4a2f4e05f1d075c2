/**
 * Compiles AssemblyScript. Each argument is a JSON list of the compiler's own arguments. One process compiles them all,
 * because the compiler starts slowly.
 */
import { createRequire } from "node:module";

interface Compiler {
  main(args: string[], streams: { stderr: typeof process.stderr }): Promise<{ error: Error | null }>;
}

// Imported by its path, because the types of the package change those of this program's arrays.
const path = createRequire(import.meta.url).resolve("assemblyscript/dist/asc.js");
const compiler = (await import(path)) as Compiler;

for (const args of process.argv.slice(2)) {
  // The helper in the same folder passes lists of strings.
  const { error } = await compiler.main(JSON.parse(args) as string[], { stderr: process.stderr });
  if (error !== null) process.exit(1);
}
