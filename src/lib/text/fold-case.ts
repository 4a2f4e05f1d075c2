/** A text without letter case. Texts that any program considers equal regardless of case have equal results. */
export function foldCase(text: string): string {
  // `ſ` is in lower case and the Kelvin sign in upper case, so both directions are needed.
  return text.toUpperCase().toLowerCase();
}
