/** Prefix of the paths of files inside the program that is one file. */
export const INSIDE_ONE_FILE = "/$bunfs/";

/** True in the program that is one file; false if the source runs. */
export function isOneFile(): boolean {
  return Bun.main.startsWith(INSIDE_ONE_FILE);
}

/** The command that starts this program in a shell. npm mostly installs the package in a folder that is not in the PATH. */
export function commandName(): string {
  return isOneFile() ? "turnpike" : "npx turnpike";
}
