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

/**
 * The `Authorization` value of a URL with a user name or password (RFC 7617); undefined without them. Throws a URIError,
 * which does not contain them, if their percent-encoding is not valid.
 */
export function basicAuthorization({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(credentials).toString("base64")}`;
}
