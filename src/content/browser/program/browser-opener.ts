import { type BrowserProgram, type BrowserSource } from "./find.ts";
import { type RunningBrowser } from "./running-browser.ts";

/** Writes one line to the service's log. */
export type Log = (level: "info" | "warn" | "error", message: string, extra?: Record<string, unknown>) => void;

/** The browser of the service, for its log and its health report. */
export interface BrowserInfo {
  readonly name: string;
  readonly version: string;
  /** The path of its program, or the origin of its endpoint. */
  readonly path: string;
  readonly source: BrowserSource | "remote";
  readonly sandboxed: boolean;
}

/** Opens the browsers of a pool: starts them here, or connects to those of others. */
export interface BrowserOpener {
  /** The browser that was opened last; undefined before the first. */
  readonly info: BrowserInfo | undefined;
  readonly maxPages: number;
  /** The program that it starts, and its user agent in workers. Undefined for a remote browser. */
  readonly program: { readonly program: BrowserProgram; readonly userAgent?: string | undefined } | undefined;
  /** Visits after which a new browser replaces one. */
  readonly maxVisits: number;
  /** Parts of messages: the reason why no page loads, as a sentence; and the log text after the browser was lost. */
  readonly failure: string;
  readonly lost: string;
  /** Milliseconds until a lost browser is opened again without a visit. Undefined: the next visit opens one. */
  readonly reopenMs: number | undefined;
  /** Opens a browser. A failure was logged before it is thrown. */
  open(): Promise<RunningBrowser>;
}
