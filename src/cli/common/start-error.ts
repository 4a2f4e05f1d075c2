/** A failed start that the user can fix. */
export class StartError extends Error {
  /** Lines to print before the message, such as the problems of a configuration. */
  readonly lines: readonly string[];

  constructor(message: string, options: ErrorOptions & { readonly lines?: readonly string[] } = {}) {
    super(message, options);
    this.lines = options.lines ?? [];
  }
}
