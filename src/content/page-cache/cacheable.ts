import { createHash } from "node:crypto";
import { parseHttpDate } from "../../lib/http/http-date.ts";
import { type ExtractionTask } from "../extraction/tree/extraction.ts";
import { type FetchedDocument, type FetchedResponse, type PageRequest, type PageSource } from "../page/page.ts";

/** Tasks that need nothing but the document. */
const KINDS: ReadonlySet<ExtractionTask["kind"]> = new Set(["html", "markdown", "text", "links", "article"]);

/** Request fields that are the same for all callers, or part of the key. Pages that vary with others are not kept. */
const FIXED = new Set(["accept", "accept-encoding", "accept-language", "user-agent", ""]);

/**
 * The key of a request: equal for requests whose page is the same. Undefined if no other caller may get its page. `reach`
 * names the addresses that requests may reach.
 */
export function cacheKey(request: PageRequest, { kind }: ExtractionTask, reach: string): string | undefined {
  const { maxAgeMs, shows, own, steps, session } = request;
  if (maxAgeMs === undefined || (shows ?? own ?? steps ?? session) !== undefined || !KINDS.has(kind)) return undefined;
  const { url, engine, waitMs, waitUntil, selector = null, userAgent = null, stealth } = request;
  const address = new URL(url);
  address.hash = "";
  const parts = [reach, address.href, kind, engine, waitMs, waitUntil, selector, userAgent, stealth];
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}

/**
 * Whether any caller may get a document. Not if it, or a redirect to it, sets a cookie, is private, forbids its storage, or
 * varies with fields that are not part of the key. Errors are not kept either.
 */
export function isForAll({ redirects, ...document }: FetchedDocument): boolean {
  const { complete, statusCode } = document;
  return complete && (statusCode === 200 || statusCode === 304) && [...redirects, document].every(isPublic);
}

/** Whether any caller may get a response with these fields. */
export function isPublic({ headers }: Pick<FetchedResponse, "headers">): boolean {
  const values = (name: string) =>
    headers.filter(([field]) => field.toLowerCase() === name).flatMap(([, value]) => value.toLowerCase().split(","));
  const directives = values("cache-control").map((directive) => directive.split("=", 1)[0]?.trim());
  return (
    values("set-cookie").length === 0 &&
    !directives.includes("no-store") &&
    !directives.includes("private") &&
    values("vary").every((field) => FIXED.has(field.trim()))
  );
}

/** Characters of an ETag or date that is sent back. */
const MAX_VALIDATOR = 200;
/** A value that can be sent as it came. */
const SENDABLE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** The field lines that make a request conditional on a change of a document. Empty if it was redirected. */
export function conditionsOf({ redirects, headers }: FetchedDocument): string[] {
  if (redirects.length > 0) return [];
  const conditions = [
    ["etag", "If-None-Match"],
    ["last-modified", "If-Modified-Since"],
  ] as const;
  return conditions.flatMap(([name, condition]) => {
    const value = fieldOf(headers, name);
    return value.length <= MAX_VALIDATOR && SENDABLE.test(value) ? [`${condition}: ${value}`] : [];
  });
}

/**
 * The page as a response 304 confirms it, with the fields that the response brings up to date (RFC 9111 §3.2). Undefined
 * if the response is about another version: its ETag is another, or its date is later, or it came after a redirect.
 */
export function confirmedBy({ redirects, headers }: FetchedDocument, page: PageSource): PageSource | undefined {
  const [tag, knownTag] = [tagOf(headers), tagOf(page.headers)];
  const [date, knownDate] = [dateOf(headers), dateOf(page.headers)];
  const isLater = date !== undefined && knownDate !== undefined && date > knownDate;
  const isOther = tag === "" ? isLater : knownTag !== "" && tag !== knownTag;
  if (isOther || redirects.length > 0) return undefined;
  const news = headers.filter(([name]) => !/^content-/i.test(name));
  const names = new Set(news.map(([name]) => name.toLowerCase()));
  return { ...page, headers: [...page.headers.filter(([name]) => !names.has(name.toLowerCase())), ...news] };
}

/** An ETag for a weak comparison. */
function tagOf(headers: FetchedResponse["headers"]): string {
  return fieldOf(headers, "etag").replace(/^W\//, "");
}

function dateOf(headers: FetchedResponse["headers"]): number | undefined {
  return parseHttpDate(fieldOf(headers, "last-modified"), 0);
}

function fieldOf(headers: FetchedResponse["headers"], name: string): string {
  return headers.find(([field]) => field.toLowerCase() === name)?.[1].trim() ?? "";
}
