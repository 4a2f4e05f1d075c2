import { type AiTerms } from "../../page/ai-terms.ts";
import { type PageSource } from "../../page/page.ts";
import { type FieldRule, type FieldSuggestion, type PageFields } from "./page-fields.ts";

/**
 * The selectors of a table's rows on a page, and of its cells in a row: `selector`, `selector@attribute` or
 * `@attribute`.
 */
export interface TableShape {
  readonly row: string;
  readonly columns: Readonly<Record<string, string>>;
}

export type ExtractionTask =
  /** The page in a format. With `crawled`, it has these fields too, and a `sketch` (`sketch.ts`). */
  | { readonly kind: "html" | "markdown" | "text" | "links"; readonly crawled?: boolean; readonly forms?: FormsTask }
  /** The main content, with the comments of readers below it if `comments` is true. */
  | {
      readonly kind: "article";
      readonly comments?: boolean;
      readonly crawled?: boolean;
      readonly forms?: FormsTask;
    }
  | (PlainTask & { readonly crawled?: never; readonly forms?: never });

/** A task without further forms of the page. */
type PlainTask =
  /**
   * `index` is for crawlers: the article as plain text, and in `fields` the `links` with their `texts`, `canonical` and
   * `robots`.
   */
  | { readonly kind: "index" }
  /** The text, or the value of an attribute, of the elements that match each CSS selector, by the selectors' names. */
  | {
      readonly kind: "fields";
      readonly selectors: Readonly<Record<string, string>>;
      readonly attributes: Readonly<Record<string, string>>;
    }
  | SchemaTask
  /** The rows and columns of a page whose layout is known. Only this task accepts a page without content. */
  | { readonly kind: "tables"; readonly tables: Readonly<Record<string, TableShape>> }
  /** Whether the scripts of the page change its content. These are the texts of the external ones. */
  | { readonly kind: "scripts"; readonly scripts: readonly Script[] };

/** The fields that a JSON schema describes. */
export interface SchemaTask {
  readonly kind: "schema";
  /** Checked by `planOf`. */
  readonly schema: object;
  /** The language tag by which numbers and dates are read. Undefined: that of the page. */
  readonly locale?: string | undefined;
  /** True: only values that a reader sees. */
  readonly shownOnly?: boolean | undefined;
  /** The learned places of fields, by JSON pointer. */
  readonly rules?: Readonly<Record<string, FieldRule>> | undefined;
  /** Hints on the fields for a language model. */
  readonly prompt?: string | undefined;
  /** True: the visible text is part of the result. */
  readonly withText?: boolean | undefined;
  /** Values that a language model states, by JSON pointer. Each is checked with the page. */
  readonly suggestions?: Readonly<Record<string, FieldSuggestion>> | undefined;
  /** Confirmed values, by JSON pointer, for which rules are learned. Values that are found are confirmed too. */
  readonly learn?: Readonly<Record<string, string | number | boolean>> | undefined;
}

/** Forms of a page to make beside its content. The selectors are those of `parseSelector`. */
export interface FormsTask {
  readonly names: readonly ("html" | "rawHtml" | "links" | "images" | "text" | "summary")[];
  readonly attributes: readonly { readonly selector: string; readonly attribute: string }[];
  /** Selectors of the only elements that are read, and of those that are not. They apply to the content too. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** True: the text of which the summary is made is part of the result, for a language model. */
  readonly withSummaryText?: boolean;
  /** True: pictures whose data stands in the page as base64 are kept, up to a bound. */
  readonly inlinePictures?: boolean;
  /** Fields of the whole page. */
  readonly json?: SchemaTask | undefined;
}

/** A link with its text, or a picture with its text alternative. */
export interface NamedAddress {
  readonly url: string;
  readonly text: string;
}

/** Forms of a page beside its content. */
export interface PageForms {
  /** The content as HTML without hidden parts, and the document as it was received. */
  readonly html?: string;
  readonly rawHtml?: string;
  readonly text?: string;
  /** The sentences that say most of the main content. */
  readonly summary?: string;
  readonly summaryText?: string;
  /** The maker of the summary. Default: its sentences were chosen from the page. */
  readonly summaryBy?: "model";
  /** Absolute addresses, each once. */
  readonly links?: readonly NamedAddress[];
  readonly images?: readonly NamedAddress[];
  readonly json?: PageFields;
  /** The values of each attribute of the task. */
  readonly attributes: readonly (readonly string[])[];
  /** The texts of `meta` elements by their names, `title`, `language` and `favicon`. */
  readonly meta: Readonly<Record<string, string>>;
}

/** An external script that is not known to be harmless. */
export interface ScriptAddress {
  readonly url: string;
  readonly isModule: boolean;
  /** True: the script defines a component that a framework runs. */
  readonly isComponent?: boolean;
}

/** A script and its code. Inline code has the address "". */
export interface Script extends ScriptAddress {
  readonly code: string;
}

export interface ExtractionJob {
  readonly source: PageSource;
  readonly task: ExtractionTask;
  /** Whether `needs-browser` is a possible outcome. */
  readonly mayNeedBrowser: boolean;
}

/** A string for one match, an array for several, null for no match. */
export type FieldValue = string | readonly string[] | null;

/** A word that was recognised in a picture, with its box in pixels from the top left corner. */
export interface OcrWord {
  readonly text: string;
  /** From 0 to 1. */
  readonly confidence: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A text that was recognised in pictures. The confidence is the mean of its words, from 0 to 1. */
export interface ScanFacts {
  readonly pages: number;
  readonly confidence: number;
  /** The words on their pages, which count from 1 on. */
  readonly words: readonly (OcrWord & { readonly page: number })[];
}

/** The result of an extraction: the content in the format of its task, and data about the page. */
export interface Extraction {
  readonly content: string;
  /** The title of the page. For an article, the article's title. */
  readonly title: string;
  readonly fields?: Readonly<Record<string, FieldValue>>;
  readonly forms?: PageForms;
  readonly values?: PageFields;
  /** The terms that the page states for its use by AI. Absent if it states none. */
  readonly terms?: AiTerms;
  /** Present if the text was recognised in pictures. */
  readonly scan?: ScanFacts;
  /** Whether parts of a long document are missing. */
  readonly partial?: boolean;
  /** Whether values were left out of `fields`. */
  readonly truncated?: boolean;
  /**
   * The author, the date of publication in the page's format, and the language tag of an article, if the page gives
   * them.
   */
  readonly byline?: string;
  readonly published?: string;
  readonly language?: string;
  readonly siteName?: string;
  /** Absolute addresses: the canonical address of the page, and the address of its lead picture. */
  readonly canonical?: string;
  readonly image?: string;
  /** The expected F1 of the chosen words, from 0 to 1. */
  readonly confidence?: number;
}

/** Why a page is an error instead of content. */
export type NotContent = "challenge" | "consent-wall" | "empty" | "unsupported-type" | "unreadable";

/** Evidence that the scripts of a page change its content. A comparison with the browser's result can refute it. */
export interface Evidence {
  /** Undefined if the document has no sign. */
  readonly sign: string | undefined;
  /** External scripts that may change the content. */
  readonly scripts: readonly ScriptAddress[];
  /** The name of the page's template. */
  readonly template: string;
}

/** The outcome of an extraction: the content, or the reason for its absence. */
export type ExtractionOutcome =
  | {
      readonly outcome: "content";
      readonly extraction: Extraction;
      /** Evidence that scripts change the content. Absent if no code runs, or if it was not searched. */
      readonly evidence?: Evidence;
    }
  /** A browser certainly shows other content. `sign` names the evidence. */
  | { readonly outcome: "needs-browser"; readonly sign: string }
  | { readonly outcome: "not-content"; readonly reason: NotContent; readonly detail: string }
  /** Names of the task's invalid selectors. */
  | { readonly outcome: "bad-selectors"; readonly names: readonly string[] };

/** A worker's reply: the outcome, or why it failed. */
export type ExtractionResponse = { readonly id: number } /** With `isLast`, another worker does the next job. */ & (
  | { readonly ok: true; readonly outcome: ExtractionOutcome; readonly isLast?: boolean }
  | { readonly ok: false; readonly reason: string }
);

/** A job, as a worker receives it. The `ExtractionResponse` has the same `id`. */
export interface ExtractionMessage {
  readonly id: number;
  readonly job: ExtractionJob;
}
