import { type RequestHead } from "../../exchange.ts";

/** What a response is stored under. The scheme is part of it: what redirects to https must not be served there. */
export function uriOf({
  scheme,
  authority,
  path,
  query,
}: Pick<RequestHead, "scheme" | "authority" | "path" | "query">): string {
  return `${scheme}://${authority.toLowerCase()}${path}${query}`;
}
