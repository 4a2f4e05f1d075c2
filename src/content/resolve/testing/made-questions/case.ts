/** A page of a made question; a text alone is a page without a date on a site of its own. */
export interface MadePage {
  readonly text: string;
  readonly url?: string;
  readonly title?: string;
  /** An ISO date. */
  readonly published?: string;
}

/** A question, what sources say, and what must come out: YES and NO stand for their likely ones, too. */
export interface MadeQuestion {
  readonly ask: string;
  readonly criteria?: string;
  /** An ISO date; 15 June 2026 if it is absent. */
  readonly now?: string;
  readonly pages: readonly (string | MadePage)[];
  readonly expect: "YES" | "NO" | "UNCERTAIN";
}
