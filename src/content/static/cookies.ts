import { NewestMap } from "../../lib/memory/newest-map.ts";
import { isIP } from "node:net";

interface Cookie {
  readonly name: string;
  readonly value: string;
  /** The host only, or the domain and its subdomains. */
  readonly domain: string;
  readonly hostOnly: boolean;
  readonly path: string;
  readonly secure: boolean;
}

/**
 * Maximum number of cookies of one visit, and characters of each. Beyond these limits, the oldest cookies are removed
 * and long ones are rejected (as in Chromium).
 */
const MAX_COOKIES = 100;
const MAX_COOKIE_LENGTH = 4096;

/** Labels before a country's label in suffixes under which anyone can register names: `co.uk`, `com.br`, `ne.jp`. */
const SECOND_LEVEL = /^(?:ac|asso|co|com|edu|firm|gob|gov|gouv|id|info|ltd|me|mil|ne|net|nom|or|org|plc|sch|web)$/;

/** The cookies that servers set and get during one visit (RFC 6265 §5). They are discarded with the visit. */
export class CookieJar {
  readonly #cookies = new NewestMap<string, Cookie>(MAX_COOKIES);

  store(url: URL, setCookies: readonly string[], now: number): void {
    for (const text of setCookies) {
      const parsed = parse(text, url, now);
      if (parsed === undefined) continue;
      const { cookie, expired } = parsed;
      const key = JSON.stringify([cookie.name, cookie.domain, cookie.hostOnly, cookie.path]);
      if (expired) this.#cookies.delete(key);
      else this.#cookies.set(key, cookie);
    }
  }

  /** The Cookie field for a request; empty if there are no cookies to send. */
  header(url: URL): string {
    const sent = [...this.#cookies.values()].filter((cookie) => matches(cookie, url));
    // Longer paths come first (RFC 6265 §5.4). The sort keeps the order of equal ones.
    const sorted = sent.toSorted((a, b) => b.path.length - a.path.length);
    return sorted.map(({ name, value }) => (name === "" ? value : `${name}=${value}`)).join("; ");
  }
}

function matches({ domain, hostOnly, path, secure }: Cookie, url: URL): boolean {
  const host = url.hostname;
  if (host !== domain && (hostOnly || !isBelow(host, domain))) return false;
  if (secure && url.protocol !== "https:") return false;
  if (!url.pathname.startsWith(path)) return false;
  return path.endsWith("/") || url.pathname.length === path.length || url.pathname[path.length] === "/";
}

function isBelow(host: string, domain: string): boolean {
  return isIP(host) === 0 && host.endsWith(`.${domain}`);
}

function parse(text: string, url: URL, now: number): { cookie: Cookie; expired: boolean } | undefined {
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
  return {
    cookie: { name, value, ...domain, secure, path: path.startsWith("/") ? path : defaultPath(url.pathname) },
    expired: isExpired(attributes, now),
  };
}

/** The hosts that the cookie is for; undefined if its server may not set it for them. */
function domainOf(attribute: string, host: string): Pick<Cookie, "domain" | "hostOnly"> | undefined {
  const domain = attribute.replace(/^\./, "").toLowerCase();
  if (domain === "" || domain === host) return { domain: host, hostOnly: domain === "" || isIP(host) !== 0 };
  return isBelow(host, domain) && !isPublicSuffix(domain) ? { domain, hostOnly: false } : undefined;
}

/**
 * True if anyone can register names below this one, judged by its form. A name that this check misses affects only one
 * visit.
 */
function isPublicSuffix(domain: string): boolean {
  const labels = domain.split(".");
  if (labels.length < 2) return true;
  const [second = "", top = ""] = labels;
  return labels.length === 2 && top.length === 2 && SECOND_LEVEL.test(second);
}

function defaultPath(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 1));
}

function isExpired(attributes: ReadonlyMap<string, string>, now: number): boolean {
  const age = attributes.get("max-age");
  if (age !== undefined && /^-?\d+$/.test(age)) return Number(age) <= 0;
  const expires = Date.parse(attributes.get("expires") ?? "");
  return expires <= now;
}
