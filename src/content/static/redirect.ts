import { TurnpikeError } from "../../lib/errors.ts";
import { loadError } from "./load-errors.ts";
import { type ResponseHead, valuesOf } from "./response-parser.ts";

/** Statuses that redirect to their Location (RFC 9110 §15.4); other 3xx statuses do not. */
export const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Seconds. A refresh with a longer delay lets a reader read the page first, so it is not a redirect. */
const MAX_REFRESH_S = 5;

/**
 * The target of a redirect, from its status and Location, or from a Refresh field with a short delay. Undefined if the
 * response is the document itself. If the target has no fragment, it gets that of the request (RFC 9110 §10.2.2).
 * Throws if the target is neither http nor https.
 */
export function redirectOf(head: ResponseHead, from: URL): URL | undefined {
  const isRedirect = REDIRECTS.has(head.statusCode);
  const target = isRedirect ? valuesOf(head.headers, "location")[0] : refreshOf(head);
  if (target === undefined || target === "") return undefined;
  // Field values are bytes. Non-ASCII URLs in them are UTF-8, as in browsers.
  const text = Buffer.from(target, "latin1").toString();
  if (!URL.canParse(text, from.href)) return isRedirect ? refused() : undefined;
  const url = new URL(text, from.href);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new TurnpikeError(
      "page-failed",
      `Cannot load the page: it redirects to ${url.protocol}, not to http or https`,
    );
  }
  if (url.hash === "" && !text.includes("#")) url.hash = from.hash;
  // As in browsers, which do not expose the user name and password of a URL.
  url.username = "";
  url.password = "";
  // A page that reloads itself is a page with content.
  if (!isRedirect && url.href === from.href) return undefined;
  return url;
}

function refused(): never {
  throw loadError("it redirects to an invalid address");
}

/** The URL of `Refresh: 0; url=/next` (WHATWG HTML §4.2.4.3, the shared declarative refresh steps). */
function refreshOf(head: ResponseHead): string | undefined {
  const [value = ""] = valuesOf(head.headers, "refresh");
  const match = /^\s*(\d*)(?:\.[\d.]*)?\s*[;,\s]\s*(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|(.*))/i.exec(value);
  if (match === null || Number(match[1]) > MAX_REFRESH_S) return undefined;
  return (match[2] ?? match[3] ?? match[4])?.trim();
}
