/** The content service, as it tells of itself at /health; `available: false`: this gateway has none, or it gives no response. */
export type ContentSummary =
  | { readonly available: false; readonly reason: string }
  | { readonly available: true; readonly health: Readonly<Record<string, unknown>> };
