import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../lib/caught.ts";
import { isOneFile } from "../../lib/one-file.ts";
import { writeFontConfig } from "../fonts/font-config.ts";
import { packageFolder, unpackBrowser } from "./unpack.ts";

export type BrowserSource = "npm" | "configured" | "installed";

/** A browser program that may be started, and the environment it needs. */
export interface BrowserProgram {
  readonly path: string;
  readonly source: BrowserSource;
  readonly environment: Readonly<Record<string, string>>;
  /** Its main version, as "153", where that is known before it runs. */
  readonly major?: string;
}

const HEADLESS_SHELLS = ["chromium-headless-shell", "chrome-headless-shell"];
const FULL_BROWSERS = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

const ADVICE =
  "install the package chromium-headless-shell or chromium, or name a browser program in content.browser_path";

/**
 * The browser programs to try, best first. A configured one stands alone. Then the one npm brought: it is pinned, so
 * every machine renders alike and the tests speak for it. An installed headless shell comes next, and a whole
 * Chromium or Chrome last, since it takes four times the CPU for each page.
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
    // The package's own fonts.conf names a fixed folder that may be anybody's.
    const fontConfig = await writeFontConfig({ folder, more: [fonts], withSystem: false });
    const environment = { LD_LIBRARY_PATH: libraries, FONTCONFIG_FILE: fontConfig };
    yield { path, source: "npm", environment, major: version.split(".")[0] ?? "" };
  }
  for (const name of [...HEADLESS_SHELLS, ...FULL_BROWSERS]) {
    const path = Bun.which(name);
    if (path !== null) yield { path, source: "installed", environment: await systemEnvironment(folder) };
  }
}

/** A browser of the system's finds fonts as the system says, and ours. */
async function systemEnvironment(folder: string): Promise<Readonly<Record<string, string>>> {
  return { FONTCONFIG_FILE: await writeFontConfig({ folder, withSystem: true }) };
}

/** There is no browser program on this machine, and the configuration names none. */
export class NoBrowserError extends Error {
  constructor() {
    super(absenceMessage());
  }
}

/** What to say if no browser program starts; `failure` is why the last one does not. */
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

/** The npm package holds a program for Linux on x86-64 alone. */
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
