import { type EgressSession } from "../egress/guard.ts";
import { type Deadline } from "./deadline.ts";
import { type FetchedDocument, type OpenPage, type PageRequest } from "./page.ts";

/** One page that is loaded for one request. All engines that load it share its egress session and its time. */
export interface Visit {
  readonly request: PageRequest;
  readonly egress: EgressSession;
  readonly deadline: Deadline;
  /** The document that the static engine has fetched. The browser uses it and does not request it again. */
  readonly fetched: FetchedDocument | undefined;
  /**
   * True: a page that has loaded gets time to show its content, and its timers run at once, up to those of some seconds. Then
   * its clock stops.
   */
  readonly settles: boolean;
  /** Field lines that make the first request of the static engine conditional. */
  readonly conditions?: readonly string[];
  /** True if a script of the caller runs in the page. */
  readonly scripted: boolean;
}

export interface BrowserEngine {
  /** Opens the page, passes it to `use`, and closes it in every case. Fails with a TurnpikeError. */
  visit<T>(visit: Visit, use: (page: OpenPage) => Promise<T>): Promise<T>;
}

/** Loads documents without a browser. Fails with a TurnpikeError. */
export type StaticEngine = (visit: Visit) => Promise<FetchedDocument>;
