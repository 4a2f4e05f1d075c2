/** Only the letters and digits of a text, in lower case, to compare titles and names. */
export function folded(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");
}
