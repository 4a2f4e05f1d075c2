import { type EgressSession } from "../egress/guard.ts";
import { type Deadline } from "./deadline.ts";
import { type FetchedDocument, type OpenPage, type PageRequest } from "./page.ts";

/** One page loaded for one request, by whichever engines: they share its way out and its time. */
export interface Visit {
  readonly request: PageRequest;
  readonly egress: EgressSession;
  readonly deadline: Deadline;
  /** What the static engine got already; the browser takes it in place of asking again. */
  readonly fetched: FetchedDocument | undefined;
  /** Whether a page that has loaded is given time to fetch and show what it is for. */
  readonly settles: boolean;
  /** Names of places in the page that its scripts are known to fill; they are waited for, for a bounded time. */
  readonly awaits?: readonly string[];
  /** Whether a script of the caller's runs in the page. */
  readonly scripted: boolean;
}

/** Loads pages in a browser. */
export interface BrowserEngine {
  /** Opens the page, hands it to `use`, and closes it whatever happens. Fails with a TurnpikeError. */
  visit<T>(visit: Visit, use: (page: OpenPage) => Promise<T>): Promise<T>;
}

/** Loads documents without a browser. Fails with a TurnpikeError. */
export type StaticEngine = (visit: Visit) => Promise<FetchedDocument>;
