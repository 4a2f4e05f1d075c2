import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../../lib/caught.ts";
import { isOneFile } from "../../../lib/files/one-file.ts";
import { writeFontConfig } from "../../fonts/font-config.ts";
import { packageFolder, unpackBrowser } from "./unpack.ts";

/** The origin of the browser's program: the npm package, `content.browser_path`, or the operating system. */
export type BrowserSource = "npm" | "configured" | "installed";

/** A browser program that can be started, and its environment. */
export interface BrowserProgram {
  readonly path: string;
  readonly source: BrowserSource;
  readonly environment: Readonly<Record<string, string>>;
  /** Its main version, such as "153", if that is known before it runs. */
  readonly major?: string;
}

const HEADLESS_SHELLS = ["chromium-headless-shell", "chrome-headless-shell"];
const FULL_BROWSERS = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

const ADVICE =
  "install the package chromium-headless-shell or chromium, or name a browser program in content.browser_path";

/**
 * The browser programs to try, best first. A configured program is the only candidate. Otherwise the browser of the npm
 * package comes first: its version is pinned, so that every machine renders pages the same way and the tests cover it. An installed
 * headless shell is next. A whole Chromium or Chrome is last, because it takes four times the CPU time for each page.
 */
export async function* browserPrograms(
  configured: string | undefined,
  folder: string,
): AsyncGenerator<BrowserProgram, void, void> {
  if (configured !== undefined) {
    assertExecutable(configured);
    yield { path: configured, source: "configured", environment: await systemEnvironment(folder) };
    return;
  }
  const source = npmBrowser();
  if (source !== undefined) {
    const { version, path, libraries, fonts } = await unpackBrowser(source, folder).catch((error: unknown) => {
      const reason = messageOf(error);
      throw new Error(`Cannot unpack the browser into '${folder}': ${reason}; name another folder with --state-dir`);
    });
    // The package's own fonts.conf names a fixed folder that another user could own.
    const fontConfig = await writeFontConfig({ folder, more: [fonts], withSystem: false });
    const environment = { LD_LIBRARY_PATH: libraries, FONTCONFIG_FILE: fontConfig };
    yield { path, source: "npm", environment, major: version.split(".")[0] ?? "" };
  }
  for (const name of [...HEADLESS_SHELLS, ...FULL_BROWSERS]) {
    const path = Bun.which(name);
    if (path !== null) yield { path, source: "installed", environment: await systemEnvironment(folder) };
  }
}

/** A browser of the system uses the system's fonts, and those of the service. */
async function systemEnvironment(folder: string): Promise<Readonly<Record<string, string>>> {
  return { FONTCONFIG_FILE: await writeFontConfig({ folder, withSystem: true }) };
}

/** This machine has no browser program, and the configuration names none. */
export class NoBrowserError extends Error {
  constructor() {
    super(absenceMessage());
  }
}

/** The message for the case that no browser program starts. `failure` is the reason why the last one failed. */
export function brokenBrowserMessage(failure: string): string {
  return `Cannot start a browser: ${failure}; ${ADVICE}`;
}

function absenceMessage(): string {
  const machine = `${process.platform}-${process.arch}`;
  if (isOneFile()) {
    return `There is no browser beside ${process.execPath}, and none is installed; put the folder node_modules that comes with the program beside it, or ${ADVICE}`;
  }
  return `npm has no browser for ${machine}, and none is installed; run 'npm ci', or ${ADVICE}`;
}

/** The npm package has a program for Linux on x86-64 only. */
function npmBrowser(): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  const folder = packageFolder();
  return folder !== undefined && existsSync(join(folder, "bin/chromium.br")) ? folder : undefined;
}

function assertExecutable(path: string): void {
  try {
    accessSync(path, constants.X_OK);
  } catch {
    throw new Error(`Cannot start the browser '${path}' of content.browser_path: there is no such program; ${ADVICE}`);
  }
}
