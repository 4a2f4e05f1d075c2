import { TurnpikeError } from "../../lib/errors.ts";
import { loadError } from "./faults.ts";
import { type ResponseHead, valuesOf } from "./response-parser.ts";

/** Statuses that lead on to their Location (RFC 9110 §15.4); others of 3xx do not. */
export const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** A refresh that waits longer than this is there for a reader to read the page first. In seconds. */
const MAX_REFRESH_S = 5;

/**
 * Where a response leads on to, by its status and Location, or by a Refresh field that hardly waits; undefined where it
 * is the document itself. The fragment is the request's where the target has none (RFC 9110 §10.2.2). Fails where the target is neither http nor https.
 */
export function redirectOf(head: ResponseHead, from: URL): URL | undefined {
  const isRedirect = REDIRECTS.has(head.statusCode);
  const target = isRedirect ? valuesOf(head.headers, "location")[0] : refreshOf(head);
  if (target === undefined || target === "") return undefined;
  // Fields come as bytes, and addresses in them are UTF-8 where they are not ASCII, as in browsers.
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
  // As in browsers, which keep them to themselves.
  url.username = "";
  url.password = "";
  // A page that loads itself anew is a page that shows something.
  if (!isRedirect && url.href === from.href) return undefined;
  return url;
}

function refused(): never {
  throw loadError("it redirects to an invalid address");
}

/** The address of `Refresh: 0; url=/next` (WHATWG HTML §4.2.4.3, the shared declarative refresh steps). */
function refreshOf(head: ResponseHead): string | undefined {
  const [value = ""] = valuesOf(head.headers, "refresh");
  const match = /^\s*(\d*)(?:\.[\d.]*)?\s*[;,\s]\s*(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|(.*))/i.exec(value);
  if (match === null || Number(match[1]) > MAX_REFRESH_S) return undefined;
  return (match[2] ?? match[3] ?? match[4])?.trim();
}
