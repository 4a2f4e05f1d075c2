import { join } from "node:path";

const SCRIPT = join(import.meta.dir, "../../scripts/client-build.ts");

/** Builds the typed client, as npm does when it installs or packs the project. */
export function buildClient(): void {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, SCRIPT]);
  if (exitCode !== 0) throw new Error(`Cannot build the client: ${stderr.toString()}`);
}
