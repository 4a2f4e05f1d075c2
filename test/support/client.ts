import { join } from "node:path";

const SCRIPT = join(import.meta.dir, "../../scripts/client-build.ts");

/** Builds the typed client, as npm does when it installs or packs the project, unless the run of all tests has built it. */
export function buildClient(): void {
  if ((process.env["TURNPIKE_TEST_CLIENT"] ?? "") !== "") return;
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, SCRIPT]);
  if (exitCode !== 0) throw new Error(`Cannot build the client: ${stderr.toString()}`);
}
