/** One word for a POSIX shell, in quotes if it needs them. */
export function shellQuoted(text: string): string {
  return /^[\w:/.=@,+%-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
