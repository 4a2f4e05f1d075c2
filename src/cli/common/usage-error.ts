/** An invalid command line. The message says why. */
export class UsageError extends Error {}
