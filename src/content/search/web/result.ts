/** One result of a search, in clean text; `url` is http or https. */
export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** A result as its provider sent it. All fields are untrusted. */
export interface RawResult {
  readonly title: unknown;
  readonly url: unknown;
  readonly snippet: unknown;
}
