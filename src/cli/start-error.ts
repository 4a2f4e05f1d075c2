/** A start that failed for a reason that the user can mend. */
export class StartError extends Error {
  /** Lines that are printed before the message, such as the problems of a configuration. */
  readonly lines: readonly string[];

  constructor(message: string, options: ErrorOptions & { readonly lines?: readonly string[] } = {}) {
    super(message, options);
    this.lines = options.lines ?? [];
  }
}
