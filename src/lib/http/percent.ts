/** The bytes of a percent-encoded text as characters. Broken escapes and `+` stay: Base64 keys have it. */
export function unescapedBytes(text: string): string {
  if (!text.includes("%")) return text;
  return text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** A text without its percent-encoding. One that cannot be decoded stays. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
