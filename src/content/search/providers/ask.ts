import { parsedJson } from "../../../lib/parsed-json.ts";
import { ProviderError, type SearchFilters } from "../web/provider.ts";
import { type WebResponse, WebError, type WebRequest, webGet } from "../../sites/web-get.ts";

/** Maximum number of bytes of a provider's response. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

export type Ask = Pick<WebRequest, "url" | "headers" | "form" | "egress" | "signal">;

/** Sends a request to a provider's server, and returns its response with status 200. Fails with a ProviderError. */
export async function ask(given: Ask): Promise<WebResponse> {
  // A search page that redirects to another site asks for a CAPTCHA or a login.
  const request = { ...given, maxBytes: MAX_RESPONSE_BYTES, redirects: "same-origin" } as const;
  const response = await webGet(request).catch((error: unknown) => {
    throw providerError(error);
  });
  const { status } = response;
  if (status === 200) return response;
  if (status === 429 || status === 503) throw new ProviderError("limited", `it responded with ${status}`);
  if (status === 202 || status === 403) throw new ProviderError("challenge", `it responded with ${status}`);
  throw new ProviderError("refused", `it responded with ${status}`);
}

/** The query with the operators for the sites that are wanted and excluded. Every web search engine supports them. */
export function withSites(query: string, { site, exclude_site: excluded = [] }: SearchFilters): string {
  const operators = [...(site === undefined ? [] : [`site:${site}`]), ...excluded.map((other) => `-site:${other}`)];
  return [query, ...operators].join(" ");
}

/** `query` cut so that the operators for sites fit into `max` characters with it. */
export function fitted(query: string, filters: SearchFilters, max: number): string {
  const operators = withSites("", filters).length;
  return withSites(query.slice(0, Math.max(0, max - operators)).toWellFormed(), filters);
}

/** The first and the last day of results. Undefined if any day is allowed. */
export function daysOf({ after, before }: SearchFilters): readonly [first: string, last: string] | undefined {
  if (after === undefined && before === undefined) return undefined;
  return [after ?? "1970-01-01", before ?? "2099-12-31"];
}

function providerError(error: unknown): ProviderError {
  const reason = error instanceof WebError ? error.reason : "unreachable";
  if (reason === "timeout") return new ProviderError("timeout", "it did not respond in time");
  if (reason === "too-large")
    return new ProviderError("unreadable", `its response has more than ${MAX_RESPONSE_BYTES} bytes`);
  if (reason === "redirects") return new ProviderError("challenge", "it redirects to another site");
  if (reason === "refused") return new ProviderError("unreachable", "its address is refused");
  return new ProviderError("unreachable", "it cannot be reached");
}

/** The JSON object in a response. Fails with a ProviderError. */
export function jsonObject(response: WebResponse): object {
  const value = parsedJson(Buffer.from(response.body).toString("utf8"));
  if (value === undefined) throw new ProviderError("unreadable", "its response is not JSON");
  if (typeof value !== "object" || value === null)
    throw new ProviderError("unreadable", "its response is not an object");
  return value;
}

/** A field of an untrusted object. Undefined for inherited properties. */
export function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}

/** Maximum number of results of a page that are read. */
const MAX_RESULTS = 100;

/** The list in a field, cut to `MAX_RESULTS`. Undefined if the field holds no list. */
export function list(value: unknown, name: string): readonly unknown[] | undefined {
  const found = field(value, name);
  return Array.isArray(found) ? found.slice(0, MAX_RESULTS) : undefined;
}
