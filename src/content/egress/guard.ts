import { NewestMap } from "../../lib/memory/newest-map.ts";
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { type ErrorCode, TurnpikeError } from "../../lib/errors.ts";
import { isRemotePublicAddress } from "../../lib/net/own-address.ts";
import { within } from "../../lib/time/within.ts";
import { PageExcess } from "./page-excess.ts";
import { type ForwardProxy } from "./forward-proxy.ts";
import { type EgressAmounts, EGRESS_LIMITS, type EgressFailure } from "./limits.ts";
import { type OwnProxy } from "./own-proxy.ts";
import { type ProxyRoute } from "./tunnel.ts";
import { bareHost, portOf } from "../../lib/http/url-host.ts";

/** Looks a host name up and returns all its addresses. Default: the system's resolver; tests pass another. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Decides which connections are allowed. Called for each address of a host. */
export interface EgressPolicy {
  allowsAddress(address: string): boolean;
  allowsPort(port: number): boolean;
}

/** The web servers of the public Internet. This machine is excluded, even at its public addresses. */
export const PUBLIC_WEB: EgressPolicy = {
  allowsAddress: isRemotePublicAddress,
  allowsPort: (port) => port === 80 || port === 443,
};

/** All addresses and ports, including private, loopback and link-local addresses: for trials and intranets. */
export const ANYWHERE: EgressPolicy = { allowsAddress: () => true, allowsPort: () => true };

/** The rules of one page visit: the servers that it can reach, and how it looks names up. */
export interface EgressOptions {
  readonly policy: EgressPolicy;
  readonly resolve?: Resolve;
  /** Hosts that the visit does not need: trackers, if the caller wants none. */
  readonly blocks?: (host: string) => boolean;
  /** The proxy through which all connections go. */
  readonly proxy?: OwnProxy | undefined;
  /** Default: those of a visit. */
  readonly limits?: EgressAmounts;
  /** Called when the visit has made twice its limit of requests. */
  readonly onExcess?: (error: Error) => void;
}

/** Maximum number of characters of a host name: DNS allows 253, and a final dot. */
const MAX_HOST_LENGTH = 254;

const LOOPBACK: readonly string[] = ["127.0.0.1", "::1"];

async function systemResolve(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true, verbatim: true })).map((entry) => entry.address);
}

/**
 * The guard against SSRF: decides which servers one page visit can reach. A host is looked up once and all its addresses are checked. Every
 * connection of the visit goes to one of these addresses, so that a changed DNS response (DNS rebinding) has no effect.
 * Decision 0902.
 */
export class EgressSession {
  readonly #options: EgressOptions;
  readonly #limits: EgressAmounts;
  readonly #hosts = new Map<string, Promise<readonly string[]>>();
  readonly #failures = new NewestMap<string, EgressFailure>(EGRESS_LIMITS.failures);
  #proxy: ForwardProxy | undefined;
  #route: Promise<ProxyRoute | EgressFailure | undefined> | undefined;
  #closed = false;
  #received = 0;
  #requests = 0;

  constructor(options: EgressOptions) {
    this.#options = options;
    this.#limits = options.limits ?? EGRESS_LIMITS;
  }

  /** Makes the proxy the visit's egress proxy, and closes it with the visit. */
  adopt(proxy: ForwardProxy): void {
    this.#proxy = proxy;
    if (this.#closed) proxy.close();
    else proxy.bind(this);
  }

  /**
   * The reason why the last failed connection to the authority failed. Undefined if none failed, or if that was long
   * ago.
   */
  failureOf(host: string, port: number): EgressFailure | undefined {
    return this.#failures.get(authority(host, port));
  }

  /** The most recent failure, for any host. */
  get lastFailure(): EgressFailure | undefined {
    return [...this.#failures.values()].at(-1);
  }

  get tooMuch(): boolean {
    return this.#received > this.#limits.receivedBytes || this.#requests > this.#limits.requests;
  }

  /** Counts a request or a tunnel. False after the visit has reached its limit. */
  request(): boolean {
    this.#requests += 1;
    // Each further request of a page that continues costs resources.
    if (this.#requests > this.#limits.requests * 2) this.#options.onExcess?.(egressError("too-much"));
    return !this.tooMuch;
  }

  /** Counts received bytes. False after the visit has reached its limit. */
  receive(bytes: number): boolean {
    this.#received += bytes;
    return !this.tooMuch;
  }

  /** The addresses that the visit may connect to for this host and port, or the reason why there is no such address. */
  async addressesOf(host: string, port: number): Promise<readonly string[] | EgressFailure> {
    const found = await this.#permitted(bareHost(host), port);
    if (typeof found === "string") this.fail(host, port, found);
    return found;
  }

  /**
   * The proxy of the visit and its addresses; undefined if the visit uses no proxy. An address that the operator has not
   * chosen must be one that pages may have, at a port that proxies use.
   */
  route(): Promise<ProxyRoute | EgressFailure | undefined> {
    this.#route ??= this.#findRoute();
    return this.#route;
  }

  async #findRoute(): Promise<ProxyRoute | EgressFailure | undefined> {
    const { proxy, policy } = this.#options;
    if (proxy === undefined) return undefined;
    if (!proxy.isTrusted && !isProxyPort(proxy.port) && !policy.allowsPort(proxy.port)) return "proxy-refused";
    const addresses = await this.#look(bareHost(proxy.host));
    if (addresses.length === 0) return "proxy-unresolved";
    const isAllowed = proxy.isTrusted || addresses.every((address) => policy.allowsAddress(address));
    return isAllowed ? { proxy, addresses } : "proxy-refused";
  }

  fail(host: string, port: number, failure: EgressFailure): void {
    this.#failures.set(authority(host, port), failure);
  }

  /** Throws `address-refused` or `page-failed` if the URL, or the proxy to it, may not or cannot be reached. */
  async assertReachable(url: URL): Promise<void> {
    const route = await this.route();
    if (typeof route === "string") throw egressError(route);
    const found = await this.addressesOf(url.hostname, portOf(url));
    if (typeof found === "string") throw egressError(found);
  }

  close(): void {
    this.#closed = true;
    this.#proxy?.close();
  }

  async #permitted(host: string, port: number): Promise<readonly string[] | EgressFailure> {
    if (host.length > MAX_HOST_LENGTH) return "unresolved";
    if (!this.#options.policy.allowsPort(port)) return "refused";
    if (this.#options.blocks?.(host) === true) return "blocked";
    if (this.tooMuch) return "too-much";
    let entry = this.#hosts.get(host);
    if (entry === undefined) {
      if (this.#hosts.size >= this.#limits.hosts) return "too-much";
      entry = this.#look(host);
      this.#hosts.set(host, entry);
    }
    const addresses = await entry;
    if (addresses.length === 0) return "unresolved";
    const { policy } = this.#options;
    // Checked each time: during a visit, an interface of this machine can get one of the addresses.
    return addresses.every((address) => policy.allowsAddress(address)) ? addresses : "refused";
  }

  async #look(host: string): Promise<readonly string[]> {
    if (isIP(host) !== 0) return [host];
    // RFC 6761 §6.3: these names are always this machine, whatever a resolver says.
    return /(?:^|\.)localhost\.?$/i.test(host) ? LOOPBACK : await this.#resolve(host);
  }

  async #resolve(host: string): Promise<readonly string[]> {
    const resolve = this.#options.resolve ?? systemResolve;
    try {
      return await within(EGRESS_LIMITS.resolveMs, resolve(host), () => []);
    } catch {
      return [];
    }
  }
}

/**
 * The error of a page whose own connection failed. It names no address, because the response must not reveal a private
 * network.
 */
export function egressError(failure: EgressFailure): TurnpikeError {
  const { code, reason } = FAILURES[failure];
  if (failure === "too-much") return new PageExcess(`Cannot load the page: ${reason}`);
  return new TurnpikeError(code, `Cannot load the page: ${reason}`);
}

const FAILURES = {
  refused: {
    code: "address-refused",
    reason: "its address is not on the public Internet, or its port is neither 80 nor 443",
  },
  blocked: {
    code: "page-failed",
    reason: "stealth blocks its host, which tracks readers or serves advertisements",
  },
  unresolved: { code: "page-failed", reason: "its host name has no address" },
  unreachable: { code: "page-failed", reason: "its server does not accept connections" },
  proxy: { code: "page-failed", reason: "its proxy makes no connection to its server" },
  "proxy-login": { code: "page-failed", reason: "its proxy refuses the user name or the password" },
  "proxy-refused": {
    code: "address-refused",
    reason: "the address of its proxy is not on the public Internet, or its port is not one of a proxy",
  },
  "proxy-unresolved": { code: "page-failed", reason: "the host name of its proxy has no address" },
  "too-much": {
    code: "page-failed",
    reason: `it takes more than ${EGRESS_LIMITS.receivedBytes} bytes, ${EGRESS_LIMITS.requests} requests or ${EGRESS_LIMITS.hosts} hosts`,
  },
} as const satisfies Record<EgressFailure, { code: ErrorCode; reason: string }>;

/** Ports from 1024 on that browsers never connect to, because other protocols use them (Fetch standard §2.9). */
const BAD_PORTS: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

function isProxyPort(port: number): boolean {
  return port >= 1024 && !BAD_PORTS.has(port);
}

function authority(host: string, port: number): string {
  return `${bareHost(host).slice(0, MAX_HOST_LENGTH).toLowerCase()}|${port}`;
}
