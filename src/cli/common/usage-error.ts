/** An invalid command line. The message says why. */
export class UsageError extends Error {}

/** The error of a subcommand that is not in `known`. An empty `name` stands for an absent one. */
export function unknownSubcommand(name: string, known: readonly string[]): UsageError {
  const names = known.join(", ");
  return new UsageError(name === "" ? `Name a subcommand: ${names}` : `"${name}" is not one of ${names}`);
}
