import { createHash, timingSafeEqual } from "node:crypto";

/** A token of RFC 6750 §2.1, as it stands after `Bearer`. */
export const BEARER_TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/**
 * Checks that a request has this token in `Authorization: Bearer`. The comparison of two digests takes the same time for all
 * tokens, whatever their length and wherever they differ.
 */
export function bearerCheck(token: string): (request: Request) => boolean {
  const expected = digest(`Bearer ${token}`);
  return ({ headers }) => timingSafeEqual(digest(headers.get("authorization") ?? ""), expected);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
