import { createHmac } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../lib/caught.ts";
import { LastingError, TurnpikeError } from "../../lib/errors.ts";
import { isAlive } from "../../lib/process/is-alive.ts";
import { startCell, type CellSettings } from "../browser/cell/cell.ts";
import { type Log } from "../browser/program/browser-opener.ts";
import { startForwardProxy } from "../egress/forward-proxy.ts";
import { type EgressOptions, EgressSession } from "../egress/guard.ts";
import { hashOf, isSecret } from "../jobs/sale.ts";
import { LiveBrowser } from "./live-browser.ts";

const ID_BYTES = 16;
const TOKEN_BYTES = 24;
/** Milliseconds without a client after which a browser ends. @bound */
const LIVE_IDLE_MS = 300_000;
const MINUTE_MS = 60_000;

/** Digits of the id in the path of a socket, which must be short. */
const SOCKET_DIGITS = 16;

/** Limits of the pages of one browser in all. @operator @bound */
const LIVE_EGRESS = { receivedBytes: 4 * 1024 * 1024 * 1024, hosts: 20_000, requests: 200_000 };

export interface LiveSettings {
  /** Browsers at one time. */
  readonly max: number;
  /** Minutes for which a browser can be paid at one time, counted from now. */
  readonly maxMinutes: number;
  /** Milliseconds without a client after which a browser ends. Default: LIVE_IDLE_MS. */
  readonly idleMs?: number;
}

/** The settings of `LiveBrowsers`. `random` returns random bytes; `now` gives Unix milliseconds, `clock` monotonic ones. */
export interface LiveBrowsersOptions extends LiveSettings {
  readonly cell: CellSettings;
  readonly egress: EgressOptions;
  readonly now: () => number;
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
}

/** A browser that was started, and the token of its client. */
export interface NewLive {
  readonly browser: LiveBrowser;
  readonly token: string;
}

/** The wish that a browser runs longer. */
interface Longer {
  readonly id: string;
  readonly token: string;
  readonly minutes: number;
  readonly payment: string;
}

/** The browsers that are sold by the minute. Decision 0923. */
export class LiveBrowsers {
  readonly #options: LiveBrowsersOptions;
  readonly #browsers = new Map<string, LiveBrowser>();
  #starting = 0;
  #closed = false;

  private constructor(options: LiveBrowsersOptions) {
    this.#options = options;
  }

  /** Resolves when a browser has started behind the wall, and was ended. Undefined, with a line in the log, if there is no wall. */
  static async open(options: LiveBrowsersOptions, log: Log): Promise<LiveBrowsers | undefined> {
    const browsers = new LiveBrowsers(options);
    try {
      await prepare(join(options.cell.folder, "live"));
      const { browser } = await browsers.#start(MINUTE_MS);
      browser.end();
      await browser.ended;
      return browsers;
    } catch (error) {
      log("error", `Browsers by the minute are not sold, because they cannot be walled in: ${messageOf(error)}`);
      return undefined;
    }
  }

  /**
   * Starts a browser. A client whose response was lost sends its request again: with the same payment, the browser that it cannot
   * know ends. `isPaid`: the payment was made before, so that the new one runs for the rest of the time. Otherwise it was perhaps
   * returned since. `payment` as for `extend`. Fails with `overloaded` if too many run.
   */
  async add(minutes: number, payment: string, isPaid: boolean): Promise<NewLive> {
    this.#assertMinutes(minutes);
    const paid = nameOf(payment, minutes);
    const lost = [...this.#browsers.values()].find((browser) => browser.isPaidBy(paid));
    const ttlMs = (isPaid ? lost?.leftMs : undefined) ?? minutes * MINUTE_MS;
    lost?.end();
    await lost?.ended;
    if (this.#closed || this.#browsers.size + this.#starting >= this.#options.max)
      throw new TurnpikeError("overloaded", "Cannot start a browser: all of them are in use; try again later");
    this.#starting += 1;
    try {
      const added = await this.#start(ttlMs);
      added.browser.paidBy(paid);
      return added;
    } catch {
      throw new TurnpikeError("browser-unavailable", "Cannot start a browser: it does not respond");
    } finally {
      this.#starting -= 1;
    }
  }

  /**
   * Lets a browser run longer, once for each payment: a client whose response was lost sends its request again. `payment` is empty
   * if none is known. Throws as `find` does.
   */
  extend({ id, token, minutes, payment }: Longer): NewLive {
    const browser = this.find(id, token);
    const paid = nameOf(payment, minutes);
    if (browser.isPaidBy(paid)) return { browser, token };
    this.#assertMinutes(minutes + Math.ceil(browser.leftMs / MINUTE_MS));
    if (browser.extend(minutes * MINUTE_MS, paid)) return { browser, token };
    throw new TurnpikeError("overloaded", "Cannot let the browser run longer: it has had too many payments");
  }

  #assertMinutes(minutes: number): void {
    const { maxMinutes } = this.#options;
    if (minutes <= maxMinutes) return;
    const message = `must be at most ${maxMinutes} from now on, in all`;
    const errors = [{ path: "minutes", message }];
    throw new TurnpikeError("invalid-parameters", `Cannot accept the request: 'minutes' ${message}`, errors);
  }

  /** Throws `not-found` if there is no such browser, or the token is another one. */
  find(id: string, token: string): LiveBrowser {
    const browser = this.#browsers.get(id);
    if (browser !== undefined && isSecret(token, browser.tokenHash)) return browser;
    throw new TurnpikeError("not-found", "There is no such browser, or the token is not its token");
  }

  withToken(token: string): LiveBrowser {
    return this.#with("tokenHash", token);
  }

  /** The browser with a token for viewers, and whether they may act in its pages. */
  withViewToken(token: string): { readonly browser: LiveBrowser; readonly controls: boolean } {
    const controls = [...this.#browsers.values()].some(({ controlHash }) => isSecret(token, controlHash));
    return { browser: this.#with(controls ? "controlHash" : "viewHash", token), controls };
  }

  #with(hash: "tokenHash" | "viewHash" | "controlHash", token: string): LiveBrowser {
    for (const browser of this.#browsers.values()) if (isSecret(token, browser[hash])) return browser;
    throw new TurnpikeError("not-found", "There is no browser with this token: it has ended, or never was");
  }

  /** Ends all browsers, and resolves when nothing of them is left. */
  async close(): Promise<void> {
    this.#closed = true;
    const all = [...this.#browsers.values()];
    for (const browser of all) browser.end();
    await Promise.all(all.map(({ ended }) => ended));
  }

  async #start(ttlMs: number): Promise<NewLive> {
    const { cell: settings, egress, random, now, clock, idleMs = LIVE_IDLE_MS } = this.#options;
    const id = Buffer.from(random(ID_BYTES)).toString("hex");
    const token = Buffer.from(random(TOKEN_BYTES)).toString("base64url");
    const socket = join(settings.folder, "live", `${process.pid}-${id.slice(0, SOCKET_DIGITS)}`);
    const proxy = await startForwardProxy({ host: "", socket, admits: () => true });
    const guard = new EgressSession({ ...egress, limits: LIVE_EGRESS });
    guard.adopt(proxy);
    const over = async (): Promise<void> => {
      guard.close();
      this.#browsers.delete(id);
      await rm(socket, { force: true });
    };
    try {
      const cell = await startCell(settings, socket, (...event) => this.#browsers.get(id)?.observe(...event));
      const times = { ttlMs, idleMs };
      const tokens = [token, viewTokenOf(token), viewTokenOf(token, true)];
      const [tokenHash = "", viewHash = "", controlHash = ""] = tokens.map((one) => hashOf(one).toString("hex"));
      const browser = new LiveBrowser(cell, { id, tokenHash, viewHash, controlHash, ...times, now, clock });
      this.#browsers.set(id, browser);
      void cell.exited.then(over);
      return { browser, token };
    } catch (error) {
      await over();
      throw error;
    }
  }
}

/** A payment of a channel that was returned has the same name as the next one, which can be for other minutes. */
function nameOf(payment: string, minutes: number): string {
  return payment && `${payment} ${minutes}`;
}

/** The token for viewers of the browser with a token, who may act in its pages if it `controls`. None tells another one. */
export function viewTokenOf(token: string, controls = false): string {
  return createHmac("sha256", token)
    .update(controls ? "view and control" : "view")
    .digest("base64url");
}

/** Makes the folder of the sockets, and removes those of services that were killed. */
async function prepare(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    if (!isAlive(Number.parseInt(name, 10))) await rm(join(folder, name), { force: true });
  }
}

/** The error of a service that sells no browsers. */
export function notSold(): TurnpikeError {
  return new LastingError("browser-unavailable", "This service sells no browsers by the minute");
}
