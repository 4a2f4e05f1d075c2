import { messageOf } from "../../../lib/caught.ts";
import { within } from "../../../lib/time/within.ts";
import { type BrowserInfo, type BrowserOpener, type Log } from "../program/browser-opener.ts";
import { type RunningBrowser } from "../program/running-browser.ts";
import { endpointName } from "./endpoint.ts";
import { connectRemoteBrowser, type RemoteSettings } from "./remote-browser.ts";

/**
 * Milliseconds between two attempts to connect. The time doubles with each failure in a row, up to the maximum. Visits
 * in between fail at once.
 */
const RECONNECT_MS = 250;
const MAX_RECONNECT_MS = 10_000;
/** Milliseconds for the command line of the browser. @bound */
const INFO_TIMEOUT_MS = 2_000;

/** Connects to a browser that others run (`content.browser`). Decision 0920. */
export class RemoteOpener implements BrowserOpener {
  readonly maxPages: number;
  readonly program = undefined;
  /** Its operator replaces it. */
  readonly maxVisits = Number.POSITIVE_INFINITY;
  readonly failure = "the remote browser cannot be used";
  readonly lost = "The connection to the remote browser ended; connecting again";
  readonly #settings: RemoteSettings;
  readonly #log: Log;
  readonly #connect: typeof connectRemoteBrowser;
  readonly #clock: () => number;
  #info: BrowserInfo | undefined;
  #pauseMs = 0;
  #failedAt = 0;
  /** The last reason that was logged, so that a lasting failure is logged once. */
  #reason = "";

  /** `clock` returns monotonic milliseconds. */
  constructor(
    settings: RemoteSettings,
    log: Log,
    connect = connectRemoteBrowser,
    clock: () => number = () => performance.now(),
  ) {
    this.maxPages = settings.maxPages;
    this.#settings = settings;
    this.#log = log;
    this.#connect = connect;
    this.#clock = clock;
  }

  get info(): BrowserInfo | undefined {
    return this.#info;
  }

  get reopenMs(): number {
    return Math.max(RECONNECT_MS, this.#pauseMs);
  }

  async open(): Promise<RunningBrowser> {
    if (this.#clock() - this.#failedAt < this.#pauseMs) throw new Error(this.#reason);
    try {
      const browser = await this.#connect(this.#settings);
      await this.#onOpen(browser);
      return browser;
    } catch (error) {
      this.#onFailure(messageOf(error));
      throw error;
    }
  }

  async #onOpen({ cdp, product }: RunningBrowser): Promise<void> {
    this.#pauseMs = 0;
    this.#reason = "";
    const [name = "", version = ""] = product.split("/");
    const path = endpointName(this.#settings.endpoint);
    // The browser's command line shows whether it uses its sandbox. A browser that does not report its command line
    // counts as one without a sandbox.
    const asked = cdp.send("SystemInfo.getInfo").catch(() => undefined);
    const { commandLine = "" } = (await within(INFO_TIMEOUT_MS, asked)) ?? {};
    const sandboxed = commandLine !== "" && !String(commandLine).includes("--no-sandbox");
    this.#info = { name, version, path, source: "remote", sandboxed };
    this.#log("info", `Connected to the remote browser ${name} ${version} at ${path}`);
  }

  #onFailure(reason: string): void {
    this.#failedAt = this.#clock();
    this.#pauseMs = Math.min(Math.max(RECONNECT_MS, this.#pauseMs * 2), MAX_RECONNECT_MS);
    if (reason === this.#reason) return;
    this.#reason = reason;
    this.#log("warn", `Cannot use the remote browser at ${endpointName(this.#settings.endpoint)}: ${reason}`);
  }
}
