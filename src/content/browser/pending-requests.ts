import { within } from "../../lib/time/within.ts";
import { type CdpFields } from "./program/cdp.ts";

/** Requests after which a page can look different. Pictures and frames are known to the page itself. */
const AWAITED = new Set(["Font", "Stylesheet", "Script", "XHR", "Fetch"]);

/** Maximum number of known requests in progress. Further ones are not waited for. */
const MAX_PENDING = 1_000;

/** Milliseconds that a script has to request more after it received something. */
const REACTION_MS = 30;

/** The requests of a tab's page that are in progress. It gets the events of the Network domain. */
export class PendingRequests {
  readonly #pending = new Set<string>();
  #begun = 0;
  #ended = Promise.withResolvers<void>();

  /**
   * Resolves when no request is in progress, after at most `ms` milliseconds. Requests that have not ended by then are
   * not waited for again: the page may keep them open. Returns false at once if no request is in progress.
   */
  async received(ms: number): Promise<boolean> {
    if (this.#pending.size === 0) return false;
    const wait = { isOver: false };
    const quiet = async (): Promise<void> => {
      while (!wait.isOver && this.#pending.size > 0) {
        this.#ended = Promise.withResolvers();
        await this.#ended.promise;
        await Bun.sleep(REACTION_MS);
      }
    };
    await within(ms, quiet(), () => {
      wait.isOver = true;
      this.#pending.clear();
      this.#ended.resolve();
    });
    return true;
  }

  get begun(): number {
    return this.#begun;
  }

  onEvent(method: string, params: CdpFields): void {
    const request = String(params["requestId"]);
    if (method === "Network.requestWillBeSent") {
      if (!AWAITED.has(String(params["type"]))) return;
      this.#begun += 1;
      if (this.#pending.size < MAX_PENDING) this.#pending.add(request);
    } else if (method === "Network.loadingFinished" || method === "Network.loadingFailed") {
      this.#pending.delete(request);
      if (this.#pending.size === 0) this.#ended.resolve();
    }
  }

  /** The page shows another document. No events come for the requests of the previous one. */
  onDocument(): void {
    this.#pending.clear();
    this.#ended.resolve();
  }
}
