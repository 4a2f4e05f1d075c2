/** Part of the program that is one file: finds the npm packages that lie beside it. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** As `import.meta.resolve` does, for packages in `node_modules` beside the program or above it. Throws if it is not there. */
export function resolveBeside(name: string): string {
  const program = process.execPath;
  try {
    return pathToFileURL(Bun.resolveSync(name, program)).href;
  } catch (error) {
    // A package for `import` alone, whose code is never run: only its folder counts.
    const folder = join(dirname(program), "node_modules", name);
    if (existsSync(join(folder, "package.json"))) return pathToFileURL(join(folder, "build/index.js")).href;
    throw error;
  }
}
