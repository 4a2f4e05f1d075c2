/** The bytes of a percent-encoded text as characters; what is no escape stands for itself, and so does `+`, which keys in Base64 have. */
export function unescapedBytes(text: string): string {
  if (!text.includes("%")) return text;
  return text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
