/** Longest memo of a payment on Solana, in bytes of UTF-8; x402 allows no longer one. */
export const MAX_MEMO_BYTES = 256;

/** True for a text that a payment can contain as its memo. */
export function isMemo(text: unknown): text is string {
  return typeof text === "string" && new TextEncoder().encode(text).length <= MAX_MEMO_BYTES;
}
