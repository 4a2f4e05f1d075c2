import { type RequestHead } from "../../exchange/exchange.ts";

/** The URI that a response is stored under. It includes the scheme: a redirect to https must not be served over https. */
export function uriOf({
  scheme,
  authority,
  path,
  query,
}: Pick<RequestHead, "scheme" | "authority" | "path" | "query">): string {
  return `${scheme}://${authority.toLowerCase()}${path}${query}`;
}
