/** The page event that a visit waits for. */
export type WaitUntil = "load" | "domcontentloaded" | "networkidle0";

/** What a caller wants of a page, with every default filled in. */
export interface PageRequest {
  readonly url: URL;
  readonly timeoutMs: number;
  /** Waited after the page event, beyond the time-out. */
  readonly waitMs: number;
  readonly waitUntil: WaitUntil;
  readonly selector: string | undefined;
  readonly userAgent: string | undefined;
  readonly stealth: boolean;
  /** Aborted when the client has gone away. */
  readonly signal: AbortSignal | undefined;
}

/** A page as it stood when it was read. */
export interface PageSnapshot {
  readonly html: string;
  readonly title: string;
  readonly finalUrl: string;
  /** The status of the document's response; undefined where the browser does not tell. */
  readonly statusCode: number | undefined;
  readonly contentType: string;
}

/** A page that has loaded and may be asked, for as long as its visit lasts. */
export interface OpenPage {
  snapshot(): Promise<PageSnapshot>;
  /** Evaluates a script expression in the page; text as it is, everything else as JSON. */
  evaluate(expression: string): Promise<string>;
}

/** A way to load pages. */
export interface PageEngine {
  /** Opens the page, hands it to `use`, and closes it whatever happens. Fails with a TurnpikeError. */
  visit<T>(request: PageRequest, use: (page: OpenPage) => Promise<T>): Promise<T>;
}
