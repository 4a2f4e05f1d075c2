import { NewestMap } from "../../lib/memory/newest-map.ts";
import { isIP } from "node:net";
import { getPublicSuffix } from "tldts";
import { type Cookie } from "../page/browsing-state.ts";
import { type OwnCookie } from "../page/own-request.ts";

/**
 * Maximum number of cookies of one visit, of a session, and characters of each. Beyond these limits, the oldest cookies
 * are removed and long ones are rejected (as in Chromium).
 */
const MAX_COOKIES = 100;
const MAX_SESSION_COOKIES = 1_000;
const MAX_COOKIE_LENGTH = 4096;
/** Maximum milliseconds for which a cookie is kept (draft-ietf-httpbis-rfc6265bis §5.5). */
const MAX_AGE_MS = 400 * 86_400_000;

/** The cookies that servers set and get during one visit (RFC 6265 §5). Without a session, they are discarded with the visit. */
export class CookieJar {
  readonly #cookies: NewestMap<string, Cookie>;

  /** `cookies`: those of the session, if the visit has one. */
  constructor(cookies?: readonly Cookie[]) {
    this.#cookies = new NewestMap(cookies === undefined ? MAX_COOKIES : MAX_SESSION_COOKIES);
    for (const cookie of cookies ?? []) this.#cookies.set(keyOf(cookie), cookie);
  }

  /** The cookies that have not expired, the oldest first. */
  all(now: number): readonly Cookie[] {
    return [...this.#cookies.values()].filter(({ expires = Infinity }) => expires > now);
  }

  store(url: URL, setCookies: readonly string[], now: number): void {
    for (const text of setCookies) {
      const cookie = parse(text, url, now);
      if (cookie === undefined) continue;
      if (cookie.expires !== undefined && cookie.expires <= now) this.#cookies.delete(keyOf(cookie));
      else this.#cookies.set(keyOf(cookie), cookie);
    }
  }

  add(cookies: readonly OwnCookie[], host: string): void {
    for (const { name, value, domain, path, secure } of cookies) {
      const scope = { domain: domain ?? host, hostOnly: domain === undefined || isIP(host) !== 0 };
      const cookie = { name, value, ...scope, path, secure, httpOnly: false };
      this.#cookies.set(keyOf(cookie), cookie);
    }
  }

  /** The Cookie field for a request; empty if there are no cookies to send. */
  header(url: URL, now: number): string {
    const sent = this.all(now).filter((cookie) => matches(cookie, url));
    // Longer paths come first (RFC 6265 §5.4). The sort keeps the order of equal ones.
    const sorted = sent.toSorted((a, b) => b.path.length - a.path.length);
    return sorted.map(({ name, value }) => (name === "" ? value : `${name}=${value}`)).join("; ");
  }
}

function keyOf({ name, domain, hostOnly, path, partition }: Cookie): string {
  return JSON.stringify([name, domain, hostOnly, path, partition]);
}

function matches({ domain, hostOnly, path, secure, partition }: Cookie, url: URL): boolean {
  const host = url.hostname;
  // Only a browser knows the parts of its cookies.
  if (partition !== undefined) return false;
  if (host !== domain && (hostOnly || !isBelow(host, domain))) return false;
  if (secure && url.protocol !== "https:") return false;
  if (!url.pathname.startsWith(path)) return false;
  return path.endsWith("/") || url.pathname.length === path.length || url.pathname[path.length] === "/";
}

function isBelow(host: string, domain: string): boolean {
  return isIP(host) === 0 && host.endsWith(`.${domain}`);
}

function parse(text: string, url: URL, now: number): Cookie | undefined {
  // Nothing that could end the line of a request is kept.
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  if (text.length > MAX_COOKIE_LENGTH || /[\x00-\x08\x0a-\x1f\x7f]/.test(text)) return undefined;
  const [pair = "", ...parts] = text.split(";");
  const equals = pair.indexOf("=");
  const name = pair.slice(0, Math.max(equals, 0)).trim();
  const value = pair.slice(equals + 1).trim();
  if (name === "" && value === "") return undefined;
  const attributes = new Map<string, string>();
  for (const part of parts) {
    const at = part.indexOf("=");
    const key = (at === -1 ? part : part.slice(0, at)).trim().toLowerCase();
    attributes.set(key, at === -1 ? "" : part.slice(at + 1).trim());
  }
  const domain = domainOf(attributes.get("domain") ?? "", url.hostname);
  const secure = attributes.has("secure");
  if (domain === undefined || (secure && url.protocol !== "https:")) return undefined;
  if (/^__host-/i.test(name) && (!secure || !domain.hostOnly || attributes.get("path") !== "/")) return undefined;
  if (/^__secure-/i.test(name) && !secure) return undefined;
  const path = attributes.get("path") ?? "";
  const expires = expiryOf(attributes, now);
  const sameSite = SAME_SITE[attributes.get("samesite")?.toLowerCase() ?? ""];
  return {
    name,
    value,
    ...domain,
    secure,
    httpOnly: attributes.has("httponly"),
    path: path.startsWith("/") ? path : defaultPath(url.pathname),
    ...(sameSite === undefined ? {} : { sameSite }),
    ...(expires === undefined ? {} : { expires }),
  };
}

const SAME_SITE: Readonly<Record<string, "Strict" | "Lax" | "None">> = { strict: "Strict", lax: "Lax", none: "None" };

/** The hosts that the cookie is for; undefined if its server may not set it for them. */
function domainOf(attribute: string, host: string): Pick<Cookie, "domain" | "hostOnly"> | undefined {
  const domain = attribute.replace(/^\./, "").toLowerCase();
  if (domain === "" || domain === host) return { domain: host, hostOnly: domain === "" || isIP(host) !== 0 };
  return isBelow(host, domain) && !isPublicSuffix(domain) ? { domain, hostOnly: false } : undefined;
}

/** True if anyone can register names below this one, by the Public Suffix List. */
export function isPublicSuffix(domain: string): boolean {
  return getPublicSuffix(domain, { allowPrivateDomains: true }) === domain;
}

function defaultPath(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 1));
}

/** Unix milliseconds; undefined if the cookie stays as long as its session. */
function expiryOf(attributes: ReadonlyMap<string, string>, now: number): number | undefined {
  const age = attributes.get("max-age");
  const given = attributes.get("expires");
  const isAge = age !== undefined && /^-?\d+$/.test(age);
  if (!isAge && given === undefined) return undefined;
  const expires = isAge ? now + Number(age) * 1000 : Date.parse(given ?? "");
  return Number.isNaN(expires) ? undefined : Math.min(expires, now + MAX_AGE_MS);
}
