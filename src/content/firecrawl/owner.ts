import { createHash } from "node:crypto";
import { isTokenLike, TOKEN_FIELD, tokenDigest } from "../../payments/credit/token.ts";

/**
 * The owner of jobs: the consumer that the gateway has authenticated, the token of prepaid credit, or any other key. Empty
 * without a key. It is the secret of its jobs. `protocol`: the key of a WebSocket.
 */
export function ownerOf(headers: Headers, protocol?: string): string {
  const consumer = headers.get("x-consumer-name");
  if (consumer !== null) return digest(`consumer ${consumer}`);
  const key = protocol ?? /^bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  const token = headers.get(TOKEN_FIELD) ?? (key !== undefined && isTokenLike(key) ? tokenDigest(key) : undefined);
  if (token !== undefined) return digest(`token ${token}`);
  return key === undefined ? "" : digest(`key ${key}`);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
