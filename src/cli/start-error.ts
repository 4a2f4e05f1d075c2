/** A start that failed for a reason the user can mend: its message is one line for each thing, and says what to do. */
export class StartError extends Error {}
