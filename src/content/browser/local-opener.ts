import { availableParallelism } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../lib/caught.ts";
import { type BrowserInfo, type BrowserOpener, type Log } from "./program/browser-opener.ts";
import { type BrowserProgram, brokenBrowserMessage, browserPrograms, NoBrowserError } from "./program/find.ts";
import { majorOf, ordinaryUserAgent } from "./program/identity.ts";
import { launchBrowser, type LaunchOptions } from "./launch.ts";
import { MAX_VISITS } from "./pooled-browser.ts";
import { type RunningBrowser } from "./program/running-browser.ts";

/** The settings of browsers on this machine. The service unpacks its browser below `stateDir`. */
export interface LocalOptions {
  readonly stateDir: string;
  readonly browserPath?: string;
  /** Visits after which a new browser replaces one. Default: MAX_VISITS. */
  readonly visitsPerBrowser?: number;
  readonly log: Log;
}

/** Open pages for each processor core: a core renders one page while another waits for the network. @bound */
const PAGES_PER_CORE = 2;

interface Choice {
  readonly program: BrowserProgram;
  readonly launch: LaunchOptions;
}

/** Starts browsers on this machine. */
export class LocalOpener implements BrowserOpener {
  readonly info: BrowserInfo;
  readonly maxPages = availableParallelism() * PAGES_PER_CORE;
  readonly maxVisits: number;
  readonly failure = "the browser does not start";
  readonly lost = "The browser stopped; the next request starts another";
  readonly reopenMs = undefined;
  readonly #folder: string;
  readonly #choice: Choice;
  readonly #log: Log;
  /** The browser that showed that its program starts. */
  #first: RunningBrowser | undefined;

  private constructor(options: LocalOptions, folder: string, choice: Choice, first: RunningBrowser) {
    this.maxVisits = options.visitsPerBrowser ?? MAX_VISITS;
    this.#folder = folder;
    this.#choice = choice;
    this.#log = options.log;
    this.#first = first;
    const [name = "", version = ""] = first.product.split("/");
    const { path, source } = choice.program;
    this.info = { name, version, path, source, sandboxed: choice.launch.sandboxed };
  }

  /**
   * Finds a browser that starts. Fails with a one-line message that says what to do: NoBrowserError if there is no
   * browser program.
   */
  static async find(options: LocalOptions): Promise<LocalOpener> {
    const folder = join(options.stateDir, "browser");
    const { browser, choice } = await firstThatStarts(options, folder);
    return new LocalOpener(options, folder, choice, browser);
  }

  get program(): BrowserOpener["program"] {
    const { program, launch } = this.#choice;
    return { program, userAgent: launch.userAgent };
  }

  async open(): Promise<RunningBrowser> {
    const first = this.#first;
    this.#first = undefined;
    if (first !== undefined) return first;
    try {
      return await launchBrowser(this.#choice.program, this.#folder, this.#choice.launch);
    } catch (error) {
      this.#log("error", `Cannot restart the browser: ${messageOf(error)}`);
      throw error;
    }
  }
}

/** Tries the programs in order, each with its sandbox first if the sandbox can work. */
async function firstThatStarts(
  options: LocalOptions,
  folder: string,
): Promise<{ browser: RunningBrowser; choice: Choice }> {
  let failure: string | undefined;
  // Chromium refuses to use its sandbox as root.
  const modes = process.geteuid?.() === 0 ? [false] : [true, false];
  for await (const program of browserPrograms(options.browserPath, folder)) {
    for (const sandboxed of modes) {
      try {
        const { browser, launch } = await launchNamed(program, folder, sandboxed);
        if (!sandboxed) options.log("warn", sandboxWarning(modes.length === 1));
        return { browser, choice: { program, launch } };
      } catch (error) {
        failure = messageOf(error);
      }
    }
  }
  throw failure === undefined ? new NoBrowserError() : new Error(brokenBrowserMessage(failure));
}

/**
 * Starts a browser with a matching user agent. The user agent can only be set at the start, and only a running browser
 * reports its exact version.
 */
async function launchNamed(
  program: BrowserProgram,
  folder: string,
  sandboxed: boolean,
): Promise<{ browser: RunningBrowser; launch: LaunchOptions }> {
  const guess =
    program.major === undefined ? { sandboxed } : { sandboxed, userAgent: ordinaryUserAgent(program.major) };
  const first = await launchBrowser(program, folder, guess);
  const major = majorOf(first.product);
  if (major === program.major) return { browser: first, launch: guess };
  const launch = { sandboxed, userAgent: ordinaryUserAgent(major) };
  const [browser] = await Promise.all([launchBrowser(program, folder, launch), first.close()]);
  return { browser, launch };
}

function sandboxWarning(root: boolean): string {
  const [why, advice] = root
    ? ["it runs as root", "run Turnpike as an ordinary user"]
    : ["this system does not allow user namespaces", "allow them"];
  return `The browser runs without its sandbox, since ${why}; ${advice} if pages are not trusted`;
}
