import { isIP } from "node:net";
import { TurnpikeError } from "../../lib/errors.ts";
import { type Deadline } from "./deadline.ts";
import { bareHost } from "../../lib/http/url-host.ts";
import { NewestMap } from "../../lib/memory/newest-map.ts";

/**
 * Milliseconds. From the second such page of a site in a minute on, the site's next page begins this much later for
 * each one. A page that wastes CPU time ends within seconds. @bound
 */
const REST_MS = 3_000;
const MAX_REST_MS = 15_000;
const FORGOTTEN_MS = 60_000;
/** Limits of remembered sites and of waiting visits. */
const MAX_SITES = 1_000;
const MAX_WAITING = 64;

interface Offence {
  count: number;
  /** The time at which its last page ended. */
  at: number;
  /** The time at which its next page may begin. */
  free: number;
}

/**
 * Delays pages of sites that used too many resources repeatedly, so that such pages get a small part of the browser's
 * time.
 */
export class Offenders {
  /** In the order of their last offence, the oldest first. */
  readonly #sites = new NewestMap<string, Offence>(MAX_SITES);
  readonly #now: () => number;
  #waiting = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Records that a page of this host used too many resources. */
  note(host: string): void {
    const site = siteOf(host);
    const at = this.#now();
    const count = (this.#recordOf(site)?.count ?? 0) + 1;
    const free = at + Math.min(MAX_REST_MS, (count - 1) * REST_MS);
    this.#sites.set(site, { count, at, free });
  }

  /** Waits until a page of this host may begin. Fails with `overloaded` if too many wait, or with the deadline. */
  async turn(host: string, deadline: Deadline): Promise<void> {
    const site = siteOf(host);
    for (;;) {
      const record = this.#recordOf(site);
      const restMs = (record?.free ?? 0) - this.#now();
      if (record === undefined || restMs <= 0) {
        // Other waiting pages begin one after the other.
        if (record !== undefined && record.count > 1) record.free = this.#now() + REST_MS;
        return;
      }
      if (this.#waiting >= MAX_WAITING) {
        throw new TurnpikeError(
          "overloaded",
          "Cannot accept the request: pages of this site used too much memory or processor time; try again",
        );
      }
      this.#waiting += 1;
      await deadline.sleep(restMs).finally(() => {
        this.#waiting -= 1;
      });
    }
  }

  forgive(host: string): void {
    this.#sites.delete(siteOf(host));
  }

  #recordOf(site: string): Offence | undefined {
    const record = this.#sites.get(site);
    if (record === undefined || this.#now() - record.at < FORGOTTEN_MS) return record;
    this.#sites.delete(site);
    return undefined;
  }
}

/**
 * The part of a host name that probably has one owner: two labels, or three below a country's second level such as
 * co.uk. @internal
 */
export function siteOf(host: string): string {
  if (isIP(bareHost(host)) !== 0) return host;
  const labels = host.toLowerCase().replace(/\.$/, "").split(".");
  const [second = "", top = ""] = labels.slice(-2);
  return labels.slice(top.length === 2 && second.length <= 3 ? -3 : -2).join(".");
}
