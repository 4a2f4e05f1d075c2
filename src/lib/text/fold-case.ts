/** A text without letter case, so that texts are equal if any program takes them for equal without regard to case. */
export function foldCase(text: string): string {
  // `ſ` is in lower case and the Kelvin sign in upper case, so both directions are needed.
  return text.toUpperCase().toLowerCase();
}
