/** A page of a test question. A string is a page without a date, on its own site. */
export interface MadePage {
  readonly text: string;
  readonly url?: string;
  readonly title?: string;
  /** An ISO date. */
  readonly published?: string;
}

/** A question, the text of its sources, and the expected verdict. YES and NO also accept LIKELY_YES and LIKELY_NO. */
export interface MadeQuestion {
  readonly ask: string;
  readonly criteria?: string;
  /** An ISO date; 15 June 2026 if it is absent. */
  readonly now?: string;
  readonly pages: readonly (string | MadePage)[];
  readonly expect: "YES" | "NO" | "UNCERTAIN";
}
