/** Part of the program that is one file: finds the npm packages that lie beside it. */
import { pathToFileURL } from "node:url";

/** As `import.meta.resolve` does, for packages in `node_modules` beside the program or above it. Throws if it is not there. */
export function resolveBeside(name: string): string {
  return pathToFileURL(Bun.resolveSync(name, process.execPath)).href;
}
