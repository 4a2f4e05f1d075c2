/** Longest payment header, in characters of base64. Many proxies refuse a head that has a field much longer. */
export const MAX_HEADER_LENGTH = 8192;

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const decoder = new TextDecoder("utf-8", { fatal: true });

/** The JSON value in a payment header; undefined where it is too long, no base64, no UTF-8 or no JSON. */
export function decodeHeader(text: string): unknown {
  if (text.length === 0 || text.length > MAX_HEADER_LENGTH || !BASE64.test(text)) return undefined;
  try {
    return JSON.parse(decoder.decode(Buffer.from(text, "base64")));
  } catch {
    return undefined;
  }
}

/** A value as a payment header carries it: JSON in base64. */
export function encodeHeader(value: unknown): string {
  return Buffer.from(JSON.stringify(value), "utf8").toString("base64");
}
