/** Changes of the content by code that runs by itself. docs/engines.md describes each. @internal */
export const CODE_SIGNS = [
  "script-redirect",
  "document-write",
  "shadow-root",
  "mount-call",
  "script-writes",
  "data-request",
  "client-state",
  "evaluated-code",
] as const;

/** The name of such a change. */
export type CodeSign = (typeof CODE_SIGNS)[number];
