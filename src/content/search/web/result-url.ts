import { isIP } from "node:net";
import { bareHost } from "../../../lib/http/url-host.ts";
import { type EgressPolicy } from "../../egress/guard.ts";

/** Maximum number of characters of a result's address. A result with a longer address is dropped. */
const MAX_URL_LENGTH = 2048;
/** Nested redirect wrappers that are removed. */
const MAX_WRAPPERS = 3;

/** Parameters that identify the referrer and do not change the page. */
const TRACKING =
  /^(?:utm_\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|igshid|mc_cid|mc_eid|_hsenc|_hsmi|vero_id|oly_enc_id|oly_anon_id|srsltid)$/i;

/** Redirect addresses of providers, and the parameter that holds the result's address. */
const WRAPPERS: readonly { readonly host: RegExp; readonly path: string; readonly parameter: string }[] = [
  { host: /^(?:\w+\.)?duckduckgo\.com$/, path: "/l/", parameter: "uddg" },
  { host: /^(?:www\.)?google\.[a-z.]{2,6}$/, path: "/url", parameter: "q" },
  { host: /^(?:www\.)?mojeek\.com$/, path: "/redirect", parameter: "url" },
];

/**
 * The address of a result: absolute, http or https, without redirect wrapper, user and tracking parameters. Undefined
 * if there is no such address.
 */
export function resultUrl(value: unknown, base: string): string | undefined {
  if (typeof value !== "string" || value.length > MAX_URL_LENGTH * 2) return undefined;
  let url = URL.parse(value.trim(), base);
  for (let depth = 0; url !== null && depth < MAX_WRAPPERS; depth += 1) {
    const inner = wrapped(url);
    if (inner === undefined) break;
    url = URL.parse(inner);
  }
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:") || wrapped(url) !== undefined)
    return undefined;
  url.username = "";
  url.password = "";
  dropTracking(url);
  return url.href.length > MAX_URL_LENGTH ? undefined : url.href;
}

/**
 * Names that are not on the public Internet (RFC 6761, RFC 6762, RFC 8375, and names in common use). The last ones are
 * services whose names contain the address that they resolve to.
 */
const PRIVATE_NAME =
  /^[^.]*$|(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa|(?:nip|sslip|xip)\.io|localtest\.me|lvh\.me)$/;

/** A site is the same with and without `www.`. */
export function hostWithoutWww(host: string): string {
  return host.replace(/^www\./, "");
}

/** Whether a host is `site` or a subdomain of it. */
export function isOfSite(hostname: string, site: string): boolean {
  const host = hostname.replace(/\.$/, "");
  return host === site || host.endsWith(`.${site}`);
}

/** Whether a host may appear in results. Private hosts may only if the policy allows connections to them. */
export function isShown(hostname: string, policy: EgressPolicy): boolean {
  const host = bareHost(hostname).replace(/\.$/, "");
  if (isIP(host) !== 0) return policy.allowsAddress(host);
  return !PRIVATE_NAME.test(host) || policy.allowsAddress("127.0.0.1");
}

/**
 * A key for comparisons: equal for addresses that most likely show the same page. It is never shown to users. `url`
 * must be a result's.
 */
export function urlKey(href: string): string {
  const url = new URL(href);
  dropTracking(url);
  url.searchParams.delete("amp");
  url.searchParams.sort();
  const host = url.hostname.replace(/\.$/, "").replace(/^(?:www|m|amp)\.(?=[^.]+\.)/, "");
  const path = url.pathname.replace(/\/(?:index\.(?:html?|php))$/i, "/").replace(/(?:\/amp|\.amp)?\/?$/, "");
  // The scheme does not count, since very few sites serve different pages over http and https.
  return `${host}:${url.port}${path}?${url.searchParams.toString()}`;
}

function dropTracking(url: URL): void {
  const names = [...url.searchParams.keys()].filter((name) => TRACKING.test(name));
  // Deleting a parameter re-encodes the whole query, so it is only done if necessary.
  for (const name of new Set(names)) url.searchParams.delete(name);
}

function wrapped(url: URL): string | undefined {
  const wrapper = WRAPPERS.find(({ host, path }) => host.test(url.hostname) && url.pathname === path);
  return wrapper === undefined ? undefined : (url.searchParams.get(wrapper.parameter) ?? undefined);
}
