import { TurnpikeError } from "../../lib/errors.ts";
import { type Deadline } from "../page/deadline.ts";
import { type Visit } from "../page/visit.ts";
import { type DocumentWatch } from "./document-watch.ts";
import { type ScriptedPage } from "./page-scripts.ts";
import { type ClockedTab, passTime, passUntil } from "./passed-time.ts";

/**
 * Milliseconds of the wait for content that pages fetch after they have loaded, and at most half of the remaining time.
 */
const MAX_SETTLING_MS = 3_000;

/** Maximum number of documents of a visit whose timers run at once. If the page still navigates, the next document is read. */
const MAX_TIMED_DOCUMENTS = 3;

/** Objects through which data comes without a request. */
const CHANNELS = ["WebSocket", "EventSource", "Worker", "SharedWorker"];

/** The waits of a visit: for the page event, for content that comes after it, and for the page's timers. */
export class PageWaits {
  readonly #watch: DocumentWatch;
  readonly #page: ScriptedPage;
  readonly #deadline: Deadline;
  readonly #settles: boolean;
  readonly #tab: ClockedTab;
  #clock = Promise.withResolvers<void>();

  constructor(watch: DocumentWatch, page: ScriptedPage, { deadline, settles }: Visit, call: ClockedTab["call"]) {
    this.#watch = watch;
    this.#page = page;
    this.#deadline = deadline;
    this.#settles = settles;
    this.#tab = {
      call,
      stopped: () => {
        this.#clock = Promise.withResolvers();
        return this.#clock.promise;
      },
    };
  }

  /** The page's clock has reached the end of its budget, or the tab shows another document. */
  clockStopped(): void {
    this.#clock.resolve();
  }

  /** Waits for the page event of a document that does not navigate to another one. */
  async settle(): Promise<void> {
    let partial: boolean;
    do {
      await this.#deadline.race(this.#watch.settling());
      // A refresh is announced after the page event. When the document has responded, its announcement has arrived.
      partial = await this.#page.isPartial();
    } while (!this.#watch.settled);
    if (partial) {
      throw new TurnpikeError("page-failed", "Cannot load the page: its server closed the connection before the end");
    }
  }

  /** Waits while the page shows nothing: data can come one or two seconds after the page event. */
  async awaitContent(): Promise<void> {
    const page = this.#page;
    const settles = this.#settles;
    const mostMs = Math.floor(this.#deadline.leftMs / 2);
    const isObserved = settles && (await page.mayShowMore()) && (await page.hasObjects(["IntersectionObserver"]));
    const isOpen = await page.waitForContent({ settles, isObserved, isLive: false, mostMs });
    if (!settles || !isOpen || !(await page.hasObjects(CHANNELS))) return;
    await page.waitForContent({ settles, isObserved: false, isLive: true, mostMs });
  }

  /** Runs the page's timers of the next seconds at once. If a timer navigates the page, the new document's timers run too. */
  async runTimers(): Promise<void> {
    const watch = this.#watch;
    for (let documents = 0; documents < MAX_TIMED_DOCUMENTS; documents++) {
      const { documents: before } = watch;
      const mostMs = Math.min(MAX_SETTLING_MS, this.#deadline.leftMs / 2);
      await this.#deadline.race(passTime(this.#tab, { mostMs, refreshMs: watch.refreshMs }));
      if (watch.settled && watch.documents === before) return;
      let isLoaded = false;
      const settling = this.settle().finally(() => (isLoaded = true));
      await Promise.all([settling, passUntil(this.#tab, () => isLoaded)]);
    }
  }
}
