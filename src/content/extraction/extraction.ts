/** What may be made of a page's HTML. */
export type ExtractionKind = "markdown" | "text" | "links" | "article";

/** A page to extract from; `url` is the one that relative links start at. */
export interface ExtractionJob {
  readonly kind: ExtractionKind;
  readonly html: string;
  readonly url: string;
}

/** `title` is set for an article alone, where it has one. */
export interface Extraction {
  readonly content: string;
  readonly title?: string;
}

/** What a worker answers: the extraction, or why there is none. */
export type ExtractionAnswer = { readonly id: number } & (
  | { readonly ok: true; readonly extraction: Extraction }
  | { readonly ok: false; readonly reason: string }
);

export interface ExtractionMessage {
  readonly id: number;
  readonly job: ExtractionJob;
}
