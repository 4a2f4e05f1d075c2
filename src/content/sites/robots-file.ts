import { type EgressOptions } from "../egress/guard.ts";
import { MAX_DOCUMENT_BYTES } from "../static/body.ts";
import { ALLOW_ALL, ALLOW_NONE, CRAWLER_TOKEN, parseRobots, type Robots } from "./robots.ts";
import { type WebResponse, webGet } from "./web-get.ts";

/** Milliseconds for one request of a crawl. @bound */
export const FETCH_TIMEOUT_MS = 20_000;

/** The identity of a crawler, and the rules for its connections. */
export interface SiteFetch {
  readonly egress: EgressOptions;
  readonly userAgent: string;
  readonly signal: AbortSignal;
}

/** Fetches the robots.txt of the site of `url`. Never fails: the result says why the rules are unknown. */
export async function fetchRobots(url: URL, { egress, userAgent, signal }: SiteFetch): Promise<Robots> {
  let response: WebResponse;
  try {
    response = await webGet({
      url: new URL("/robots.txt", url),
      headers: { accept: "text/plain", "user-agent": userAgent },
      maxBytes: MAX_DOCUMENT_BYTES,
      egress,
      // RFC 9309 §2.3.1.2: redirects are followed, also to other hosts.
      redirects: "any-origin",
      signal: AbortSignal.any([signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)]),
    });
  } catch (error) {
    return { ...ALLOW_NONE, failure: error };
  }
  if (response.status === 200) return parseRobots(new TextDecoder().decode(response.body), CRAWLER_TOKEN);
  // §2.3.1.3: the file does not exist. §2.3.1.4: it cannot be fetched.
  return response.status >= 400 && response.status < 500 && response.status !== 429 ? ALLOW_ALL : ALLOW_NONE;
}
