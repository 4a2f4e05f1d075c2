/**
 * Longest payment header, in characters of base64; a longer one is malformed. @operator Many proxies refuse a request with a
 * much longer field.
 */
export const MAX_HEADER_LENGTH = 8192;

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const decoder = new TextDecoder("utf-8", { fatal: true });

/** The JSON value in a payment header; undefined if it is too long, or not valid base64, UTF-8 or JSON. */
export function decodeHeader(text: string): unknown {
  if (text.length === 0 || text.length > MAX_HEADER_LENGTH || !BASE64.test(text)) return undefined;
  try {
    return JSON.parse(decoder.decode(Buffer.from(text, "base64")));
  } catch {
    return undefined;
  }
}

/** Encodes a value for a payment header: JSON in base64. */
export function encodeHeader(value: unknown): string {
  return Buffer.from(JSON.stringify(value), "utf8").toString("base64");
}
