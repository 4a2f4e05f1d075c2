import { type PageSource } from "../page/page.ts";

/** Where the rows of a table are on a page, and its cells in a row: `selector`, `selector@attribute` or `@attribute`. */
export interface TableShape {
  readonly row: string;
  readonly columns: Readonly<Record<string, string>>;
}

/** What may be made of a page. */
export type ExtractionTask =
  /** `index` is what a search index wants: the article as plain text; `links`, `canonical` and `robots` in `fields`. */
  | { readonly kind: "html" | "markdown" | "text" | "links" | "index" }
  /** The main content; with the comments of readers below it if `comments` is true. */
  | { readonly kind: "article"; readonly comments?: boolean }
  /** Text of the elements that each CSS selector matches, by the selectors' names, or the value of an attribute of them. */
  | {
      readonly kind: "fields";
      readonly selectors: Readonly<Record<string, string>>;
      readonly attributes: Readonly<Record<string, string>>;
    }
  /** Rows and columns of a page whose layout is known; the only task that takes a page without content. */
  | { readonly kind: "tables"; readonly tables: Readonly<Record<string, TableShape>> }
  /** Whether the source, an external script of a page, fills places of these names: then the page needs a browser. */
  | { readonly kind: "script"; readonly names: readonly string[] };

/** What the external scripts of a page that came whole may still fill. */
export interface Placeholders {
  /** Absolute addresses of the scripts that are not known. */
  readonly scripts: readonly string[];
  /** Identifiers, classes and data attributes of places that are empty, or where a sign such as "--" stands for a value. */
  readonly names: readonly string[];
}

/** A page, and what is to be made of it. */
export interface ExtractionJob {
  readonly source: PageSource;
  readonly task: ExtractionTask;
  /** Whether the response may be that the page must be loaded in a browser. */
  readonly mayNeedBrowser: boolean;
}

/** One match gives a text, several an array, none null. */
export type FieldValue = string | readonly string[] | null;

export interface Extraction {
  readonly content: string;
  /** The page's title; of an article, the article's. */
  readonly title: string;
  /** What was made of `fields`. */
  readonly fields?: Readonly<Record<string, FieldValue>>;
  /** Whether there was more than `fields` holds. */
  readonly truncated?: boolean;
  /** Of an article: who wrote it, when it was published as the page writes it, and its language tag, where the page tells. */
  readonly byline?: string;
  readonly published?: string;
  readonly language?: string;
  readonly siteName?: string;
  /** Absolute addresses: the one that the page calls its own, and that of its lead picture. */
  readonly canonical?: string;
  readonly image?: string;
  /** Of an article: the F1 over words that the reader expects of its choice, from 0 to 1. */
  readonly confidence?: number;
}

/** Why a page is an error and no content. */
export type NotContent = "challenge" | "consent-wall" | "empty" | "unsupported-type" | "unreadable";

export type ExtractionOutcome =
  | { readonly outcome: "content"; readonly extraction: Extraction; readonly placeholders?: Placeholders }
  /** The page shows its content by script alone; `sign` names what tells so. */
  | { readonly outcome: "needs-browser"; readonly sign: string; readonly placeholders?: Placeholders }
  | { readonly outcome: "not-content"; readonly reason: NotContent; readonly detail: string }
  /** Selectors that are none, by their names in the task. */
  | { readonly outcome: "bad-selectors"; readonly names: readonly string[] };

/** What a worker answers: the outcome, or why there is none. */
export type ExtractionResponse = { readonly id: number } & (
  | { readonly ok: true; readonly outcome: ExtractionOutcome }
  | { readonly ok: false; readonly reason: string }
);

export interface ExtractionMessage {
  readonly id: number;
  readonly job: ExtractionJob;
}
