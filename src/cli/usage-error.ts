/** A command line that makes no sense: its message says why. */
export class UsageError extends Error {}
