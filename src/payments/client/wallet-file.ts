import { mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf, messageOf } from "../../lib/caught.ts";
import { createWholeFile } from "../../lib/files/whole-file.ts";

/** The text of a wallet's file; undefined without the file. Throws if other users can read it. */
export function walletText(path: string): string | undefined {
  try {
    const { mode } = statSync(path);
    if ((mode & 0o077) !== 0) {
      const shown = (mode & 0o777).toString(8).padStart(4, "0");
      throw new Error(`other users can read it (mode ${shown}); protect it with: chmod 600 "${path}"`);
    }
    return readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new Error(`Cannot use the wallet "${path}": ${codeOf(error) ?? messageOf(error)}`, { cause: error });
  }
}

/** Creates a wallet's file completely or not at all. Returns false if there is one already: it may hold money. */
export function createWalletFile(path: string, wallet: object): boolean {
  const cannot = (why: string, cause: unknown) => new Error(`Cannot make a wallet at "${path}": ${why}`, { cause });
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw cannot(codeOf(error) === "EEXIST" ? "its folder is a file" : (codeOf(error) ?? messageOf(error)), error);
  }
  try {
    createWholeFile(path, `${JSON.stringify(wallet, undefined, 2)}\n`);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw cannot(codeOf(error) ?? messageOf(error), error);
  }
}
