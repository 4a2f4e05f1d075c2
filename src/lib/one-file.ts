/** Prefix of the paths of files inside the program that is one file. */
export const INSIDE_ONE_FILE = "/$bunfs/";

/** True in the program that is one file; false if the source runs. */
export function isOneFile(): boolean {
  return Bun.main.startsWith(INSIDE_ONE_FILE);
}
