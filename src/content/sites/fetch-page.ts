import { type PageSource } from "../page/page.ts";
import { FETCH_TIMEOUT_MS, type SiteFetch } from "./robots-file.ts";
import { type WebResponse, webGet } from "./web-get.ts";

/** Maximum number of bytes of a page that a crawler reads. */
export const MAX_PAGE_BYTES = 10 * 1024 * 1024;
/** Content types that may contain text to read. Other bodies are not loaded. */
const PAGE_TYPE = /^\s*(?:text\/|application\/(?:[\w.-]+\+)?(?:xml|json|pdf)\b)/i;

/** Fetches a page as a crawler. Follows no redirect, since each target has to pass its own robots.txt. */
export function fetchPage(
  url: URL,
  { egress, userAgent, signal }: SiteFetch,
  headers: Readonly<Record<string, string>> = {},
): Promise<WebResponse> {
  return webGet({
    url,
    headers: { accept: "text/html,application/xhtml+xml", ...headers, "user-agent": userAgent },
    maxBytes: MAX_PAGE_BYTES,
    egress,
    redirects: "none",
    wants: (status, type) => status === 200 && (type === "" || PAGE_TYPE.test(type)),
    signal: AbortSignal.any([signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)]),
  });
}

/** A fetched page, for the extractor. */
export function fetchedSource({ url, status, headers, body }: WebResponse): PageSource {
  return {
    engine: "static",
    body,
    contentType: headers.get("content-type") ?? "",
    finalUrl: url,
    statusCode: status,
    headers: [],
    complete: true,
  };
}
