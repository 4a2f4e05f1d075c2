import { type EgressSession } from "../egress/guard.ts";
import { type Deadline } from "./deadline.ts";
import { type FetchedDocument, type OpenPage, type PageRequest, type PageSource } from "./page.ts";

/** Ids, classes, attributes and kinds (such as `tbody`) of elements that scripts of the page fill. */
export interface AwaitedElements {
  /** Some of these elements may stay empty: the visit waits while all of them are empty. */
  readonly names: readonly string[];
  /** Scripts certainly fill these elements: the visit waits while one of them is empty. */
  readonly certain: readonly string[];
}

/** A page that a browser has loaded, before it has waited for the elements that scripts fill. */
export interface LoadedPage {
  snapshot(): Promise<PageSource>;
  /** The text of an external script that the page has loaded. Empty if the browser does not have it. */
  scriptAt(url: string): Promise<string>;
}

/** One page that is loaded for one request. All engines that load it share its egress session and its time. */
export interface Visit {
  readonly request: PageRequest;
  readonly egress: EgressSession;
  readonly deadline: Deadline;
  /** The document that the static engine has fetched. The browser uses it and does not request it again. */
  readonly fetched: FetchedDocument | undefined;
  /** True: a page that has loaded gets time to fetch and show its main content. */
  readonly settles: boolean;
  /** True: the timers of a page that has loaded run at once, up to those of some seconds. Then its clock stops. */
  readonly runsTimers: boolean;
  /** Elements that the page's scripts fill. The visit waits for them, for a limited time. */
  readonly awaits?: AwaitedElements;
  /** Finds these elements in the loaded page if `awaits` is not known. It is not called for a page without scripts. */
  readonly findAwaited?: (page: LoadedPage) => Promise<AwaitedElements>;
  /** True if a script of the caller runs in the page. */
  readonly scripted: boolean;
}

/** Loads pages in a browser. */
export interface BrowserEngine {
  /** Opens the page, passes it to `use`, and closes it in every case. Fails with a TurnpikeError. */
  visit<T>(visit: Visit, use: (page: OpenPage) => Promise<T>): Promise<T>;
}

/** Loads documents without a browser. Fails with a TurnpikeError. */
export type StaticEngine = (visit: Visit) => Promise<FetchedDocument>;
