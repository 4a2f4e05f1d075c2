import type * as ThirdParties from "third-party-web/nostats-subset";

/** Categories of hosts that a page's content never needs. */
const CATEGORIES = new Set(["ad", "analytics", "marketing", "tag-manager"]);

/** Host names, and the suffixes that a list gives as "*.example.com". */
interface Trackers {
  readonly hosts: ReadonlySet<string>;
  readonly families: ReadonlySet<string>;
}

let trackers: Trackers | undefined;

/** The lists are loaded at the first use, because they take 5 MB of memory. */
function load(): Trackers {
  const { entities }: typeof ThirdParties = require("third-party-web/nostats-subset");
  const hosts = new Set<string>();
  const families = new Set<string>();
  for (const { categories, domains } of entities) {
    if (!categories.some((category) => CATEGORIES.has(category))) continue;
    for (const domain of domains) {
      if (domain.startsWith("*.")) families.add(domain.slice(2).toLowerCase());
      else hosts.add(domain.toLowerCase());
    }
  }
  return { hosts, families };
}

/** Labels of a host name that are checked. A name has at most 127 (RFC 1035 §2.3.4). */
const MAX_LABELS = 127;

/** Returns a function that blocks trackers, but not the page itself if it is on a tracker's host. */
export function trackersBeside(page: URL): (host: string) => boolean {
  return (host) => isTracker(host) && !isTracker(page.hostname);
}

/** True if a host serves advertisements or tracks visitors, by the lists of third-party-web. */
export function isTracker(host: string): boolean {
  const { hosts, families } = (trackers ??= load());
  let name = host.toLowerCase().replace(/\.$/, "");
  if (hosts.has(name)) return true;
  for (let label = 0; label < MAX_LABELS; label += 1) {
    if (families.has(name)) return true;
    // The last label stays.
    name = name.slice(name.indexOf(".") + 1);
  }
  return false;
}
