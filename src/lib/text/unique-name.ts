/** A part of a file name that no other process uses, for a file that is renamed or loses its name when it is complete. */
export function uniqueName(): string {
  return `${process.pid}-${crypto.randomUUID()}`;
}
