import { isDeepStrictEqual } from "node:util";
import { isIP } from "node:net";
import { isRemotePublicAddress } from "../../../lib/net/own-address.ts";
import { type OnEvent } from "../../telemetry/event.ts";
import { type Endpoint } from "../../wire/tcp.ts";
import { serverKey } from "../member.ts";
import { type AskDeps } from "./ask.ts";

/** Servers that one discovery may find. Servers beyond it are left out. @operator */
const MAX_FOUND = 256;

export interface Found {
  readonly endpoint: Endpoint;
  readonly weight: number;
}

/** Looks for servers of an upstream repeatedly. */
export interface Discovery {
  readonly servers: FoundServers;
  close(): void;
}

/** The services of a discovery, from DNS or from a catalog. */
export interface DiscoveryDeps extends AskDeps {
  /** Returns numbers from 0 to less than 1, like `Math.random`. */
  readonly random: () => number;
  readonly log: (message: string) => void;
  readonly onEvent?: OnEvent | undefined;
}

export interface DiscoveredUpstream {
  readonly name: string;
  readonly allowPrivate: boolean;
}

/** The last good list of a discovery. It stays in use until another good response arrives. */
export class FoundServers {
  list: readonly Found[] = [];
  /** Settles with the first response, good or bad. */
  readonly first: Promise<void>;
  onChange: (() => void) | undefined;
  readonly #upstream: string;
  readonly #what: string;
  readonly #allowPrivate: boolean;
  readonly #deps: Pick<DiscoveryDeps, "log" | "onEvent">;
  readonly #gotFirst: () => void;
  /** The failure that was logged last. It is not logged twice in a row. */
  #failure = "";
  #leftOut = "";

  /** `source` is the name of the discovery in the log. */
  constructor(
    { name, allowPrivate }: DiscoveredUpstream,
    source: string,
    deps: Pick<DiscoveryDeps, "log" | "onEvent">,
  ) {
    this.#upstream = name;
    this.#what = `upstream ${JSON.stringify(name)}: ${source}`;
    this.#allowPrivate = allowPrivate;
    this.#deps = deps;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.first = promise;
    this.#gotFirst = resolve;
  }

  /** Takes a good response. `unusable` counts the entries in it without a usable server. */
  replace(found: readonly Found[], unusable = 0): void {
    if (this.#failure !== "") this.#say(`${this.#what} responds again`);
    this.#failure = "";
    const byKey = new Map(found.map((server) => [serverKey(server.endpoint), server]));
    // Sorted, so that another order in the response is not a change.
    const all = [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, server]) => server);
    const allowed = all.filter(({ endpoint }) => this.#allowPrivate || !isPrivate(endpoint));
    const list = allowed.slice(0, MAX_FOUND);
    this.#sayLeftOut(unusable, all.length - allowed.length, allowed.length - list.length);
    if (!isDeepStrictEqual(list, this.list)) {
      this.#tellChange(list);
      this.list = list;
      this.onChange?.();
    }
    this.#gotFirst();
  }

  /** There was no response, or it cannot be used: the list stays. */
  failed(reason: string): void {
    if (reason !== this.#failure) {
      const { length } = this.list;
      const stay =
        length === 0 ? "no server is known" : `the last ${length === 1 ? "server stays" : `${length} servers stay`}`;
      this.#say(`${this.#what}: lookup failed (${reason}); ${stay}`);
    }
    this.#failure = reason;
    this.#gotFirst();
  }

  #say(message: string): void {
    this.#deps.log(message);
    this.#deps.onEvent?.({ kind: "discovery", message, details: { upstream: this.#upstream } });
  }

  #tellChange(list: readonly Found[]): void {
    const before = new Set(this.list.map(({ endpoint }) => serverKey(endpoint)));
    const now = new Set(list.map(({ endpoint }) => serverKey(endpoint)));
    const added = [...now].filter((key) => !before.has(key));
    const removed = [...before].filter((key) => !now.has(key));
    const message = `${this.#what} finds ${now.size} servers: ${added.length} new, ${removed.length} gone`;
    this.#deps.onEvent?.({ kind: "discovery", message, details: { upstream: this.#upstream, added, removed } });
  }

  #sayLeftOut(unusable: number, notPublic: number, tooMany: number): void {
    const parts = [
      unusable > 0 ? `${unusable} without a usable address` : "",
      notPublic > 0 ? `${notPublic} on private addresses, which allow_private forbids` : "",
      tooMany > 0 ? `${tooMany} beyond the ${MAX_FOUND} that are used` : "",
    ].filter((part) => part !== "");
    const leftOut = parts.join(", ");
    if (leftOut !== this.#leftOut && leftOut !== "") this.#say(`${this.#what}: left out: ${leftOut}`);
    this.#leftOut = leftOut;
  }
}

/** Names are checked when a connection to them is opened. */
function isPrivate(endpoint: Endpoint): boolean {
  if ("unix" in endpoint) return false;
  return isIP(endpoint.address) !== 0 && !isRemotePublicAddress(endpoint.address);
}

const FIRST_RETRY_MS = 1000;
const MAX_DOUBLINGS = 20;

/**
 * Milliseconds before a discovery tries again after `failures` failures in a row. The time doubles with each failure up
 * to `mostMs`, and half of it is random.
 */
export function backOffMs(failures: number, mostMs: number, random: () => number): number {
  const longest = Math.min(mostMs, FIRST_RETRY_MS * 2 ** Math.min(failures - 1, MAX_DOUBLINGS));
  return longest * (0.5 + 0.5 * random());
}
