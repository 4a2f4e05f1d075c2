/**
 * Whether a system tool is installed, for `skipIf`. In CI a missing tool is an error, because its tests would be skipped there
 * every time: `.ci/run` installs it.
 */
export function isInstalled(tool: string, isFound = Bun.which(tool) !== null, ci = process.env["CI"]): boolean {
  if (!isFound && ci === "true")
    throw new Error(`Cannot run these tests: ${tool} is not installed. .ci/run installs it`);
  return isFound;
}
