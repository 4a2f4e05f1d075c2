import { TurnpikeError } from "../../lib/errors.ts";
import { type EgressOptions, EgressSession } from "../egress/guard.ts";
import { type OwnProxy } from "../egress/own-proxy.ts";
import { trackersBeside } from "../egress/trackers.ts";
import { Deadline } from "../page/deadline.ts";
import { type FairSemaphore } from "../page/fair-semaphore.ts";
import { type FetchedDocument, type PageRequest } from "../page/page.ts";
import { PixelBudget } from "../page/pixel-budget.ts";
import { type StaticEngine, type Visit } from "../page/visit.ts";
import { type SiteTerms } from "../sites/site-terms.ts";

/** The engine without a browser, and the rules of all visits. */
export interface VisitDeps {
  readonly fetchDocument: StaticEngine;
  /** Limits the documents that are fetched at one time. */
  readonly semaphore: FairSemaphore;
  readonly egress: EgressOptions;
  /** The operator's proxies by their names, which callers may choose. */
  readonly proxies?: ReadonlyMap<string, OwnProxy>;
  /** The terms of sites for the use of their pages by AI. Undefined: only those of the page are read. */
  readonly terms?: Pick<SiteTerms, "assert" | "of">;
}

/**
 * Maximum number of pixels of all page windows at one time. A page's process takes at least 4 bytes of memory for each
 * pixel.
 */
const MAX_WINDOW_PIXELS = 100_000_000;

/** The browser's default window is small. */
const NO_WINDOW = { width: 0, height: 0 };

/** Begins and ends visits, and limits those that fetch a document or have a window at one time. */
export class Visits {
  readonly #deps: VisitDeps;
  readonly #windows = new PixelBudget(MAX_WINDOW_PIXELS);

  constructor(deps: VisitDeps) {
    this.#deps = deps;
  }

  /** Runs `use` with a visit of its own. Throws if the operator or the terms of the site do not allow the visit. */
  async run<T>(request: PageRequest, use: (visit: Visit) => Promise<T>): Promise<T> {
    const proxy = this.#proxyOf(request);
    const deadline = new Deadline(request.timeoutMs, request.signal, request.turnMs);
    const blocks = request.stealth ? { blocks: trackersBeside(request.url) } : {};
    const egress = new EgressSession({
      ...this.#deps.egress,
      ...blocks,
      ...(proxy === undefined ? {} : { proxy }),
      onExcess: (error) => deadline.stop(error),
    });
    try {
      await deadline.race(this.#deps.terms?.assert(request.url, request.signal) ?? Promise.resolve());
      return await use({
        request,
        egress,
        deadline,
        fetched: undefined,
        settles: false,
        scripted: false,
      });
    } finally {
      deadline.clear();
      egress.close();
    }
  }

  #proxyOf({ own }: PageRequest): OwnProxy | undefined {
    const { proxy } = own ?? {};
    if (typeof proxy !== "string") return proxy;
    const known = this.#deps.proxies?.get(proxy);
    if (known !== undefined) return known;
    const message = "must be the URL of a proxy, or the name of one of the operator";
    throw new TurnpikeError("invalid-parameters", "Cannot use the proxy: it is not known", [
      { path: "proxy", message },
    ]);
  }

  /** Waits until the window of the request may be shown. Call the result when it is not shown any more. */
  async window({ request, deadline }: Visit): Promise<() => void> {
    const { width, height } = request.window ?? NO_WINDOW;
    deadline.wait();
    try {
      return await this.#windows.take(width * height, (promise) => deadline.race(promise));
    } finally {
      deadline.go();
    }
  }

  async fetch(visit: Visit): Promise<FetchedDocument> {
    const release = await this.#deps.semaphore.take(visit.request.signal, visit.deadline);
    try {
      return await this.#deps.fetchDocument(visit);
    } finally {
      release();
    }
  }
}
