/**
 * The state of the content service, from its /health. `available: false`: this gateway has no content service, or it
 * does not respond.
 */
export type ContentSummary =
  | { readonly available: false; readonly reason: string }
  | { readonly available: true; readonly health: Readonly<Record<string, unknown>> };
