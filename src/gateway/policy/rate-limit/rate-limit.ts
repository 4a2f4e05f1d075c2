import { createHash } from "node:crypto";
import { eventTime } from "../../../lib/time/event-clock.ts";
import { machineTimeOffset } from "../../../lib/time/machine-time.ts";
import { joined } from "../../../lib/memory/flat-text.ts";
import { latin1Text, writeLatin1 } from "../../../lib/memory/latin1.ts";
import { type BucketSize, TICKS_PER_MS, TokenBuckets } from "../../../lib/memory/token-buckets.ts";
import { type RespondWithError, CannedError } from "../../exchange/local-response.ts";
import { type RouteConfig } from "../../config/config.ts";
import { type Exchange } from "../../exchange/exchange.ts";
import { headValue } from "../../exchange/head-fields.ts";
import { MAX_DIGITS, writeDecimal } from "../../../lib/text/decimal.ts";
import { type Counts } from "../../telemetry/metrics/counts.ts";
import { type Decision, type Policy } from "../policy.ts";
import { addressKey } from "../../../lib/net/address-key.ts";
import { type LimitStore, type StoredLimit } from "./limit-store.ts";

export type RateLimitConfig = NonNullable<RouteConfig["rate_limit"]>;

/** Maximum characters of a header's value that is a bucket's key as it is. A longer value is hashed. */
const MAX_NAME = 128;
/** Milliseconds between two sweeps. 64 sweeps cover all buckets. */
const SWEEP_MS = 60_000;

const LIMITED = new CannedError("rate-limited", "too many requests: wait as long as Retry-After says");

/** The buckets of this server, as one worker sees them. */
export class RateLimits {
  readonly buckets: TokenBuckets;
  readonly counts: Counts;
  readonly #sweeps: NodeJS.Timeout;
  readonly #forFree: () => RateLimits;
  #free: RateLimits | undefined;

  /**
   * `memory` has `BUCKET_BYTES`, and so has `freeMemory`, which is for free requests: their buckets are used for a day, and
   * must not fill the memory of the others. `isShared`: several workers use it.
   */
  constructor(memory: Uint8Array, counts: Counts, isShared: boolean, freeMemory = memory) {
    this.#forFree = () => new RateLimits(freeMemory, counts, isShared);
    const offset = machineTimeOffset();
    this.buckets = new TokenBuckets(memory, () => eventTime() + offset, isShared);
    this.counts = counts;
    this.#sweeps = setInterval(() => this.buckets.sweep(), SWEEP_MS);
  }

  get free(): RateLimits {
    return (this.#free ??= this.#forFree());
  }

  close(): void {
    this.#free?.close();
    clearInterval(this.#sweeps);
  }
}

export interface RateLimitDeps {
  readonly limits: RateLimits;
  /** The store of buckets that several servers share. Undefined: the server uses only its own buckets. */
  readonly store: LimitStore | undefined;
  readonly respondWithError: RespondWithError;
}

/**
 * Limits the requests per second for each key of a route, and responds with 429 beyond the limit. `route` identifies
 * the route. After a reload in which route and limit are unchanged, the same buckets are used.
 */
export function createRateLimitPolicy(
  config: RateLimitConfig & { readonly route: string },
  deps: RateLimitDeps,
): Policy {
  const limit = new RateLimit(config, deps);
  return { name: "rate_limit", request: (exchange) => limit.request(exchange) };
}

/** `untilFull` is the time until the bucket is full, in ticks. */
interface Charged {
  readonly allowed: boolean;
  readonly untilFull: number;
  readonly isStored: boolean;
}

/** Puts a token back, once. */
export type GiveBack = () => void;

/** The buckets of one limit. */
export class RateLimit {
  readonly #deps: RateLimitDeps;
  readonly #named: "consumer" | "payer" | undefined;
  /** The request header that has the key, in lower case. Empty: the key is not in a header. */
  readonly #header: string;
  readonly #ipv6Prefix: number;
  readonly #size: BucketSize;
  readonly #stored: StoredLimit;
  /** Separate spaces for addresses and consumers, so that a consumer's name cannot be mistaken for an address. */
  readonly #spaces: { readonly ip: readonly [number, number]; readonly consumer: readonly [number, number] };
  /** The lines that describe the limit, and the length of their part before the number of tokens that remain. */
  readonly #lines: Buffer;
  readonly #startLength: number;

  constructor(config: RateLimitConfig & { readonly route: string }, deps: RateLimitDeps) {
    const { requests_per_second: rate, burst_size: burst, key, ipv6_prefix: ipv6Prefix } = config;
    this.#deps = deps;
    this.#named = key === "consumer" || key === "payer" ? key : undefined;
    this.#header = key.startsWith("header:") ? key.slice("header:".length).toLowerCase() : "";
    this.#ipv6Prefix = ipv6Prefix;
    // Rounded up, so that no key gets more than the rate.
    this.#size = { cost: Math.ceil((1000 * TICKS_PER_MS) / rate), burst };
    const space = JSON.stringify([config.route, rate, burst, key, ipv6Prefix]);
    this.#stored = { space, costUs: Math.ceil(1e6 / rate), burst };
    const { buckets } = deps.limits;
    this.#spaces = { ip: buckets.space(`ip ${space}`), consumer: buckets.space(`consumer ${space}`) };
    const policy = `RateLimit-Policy: "${key}";q=${burst};w=${Math.ceil(burst / rate)}\r\n`;
    const start = `${policy}RateLimit: "${key}";r=`;
    this.#startLength = start.length;
    this.#lines = Buffer.from(start + " ".repeat(2 * MAX_DIGITS + ";t=\r\n".length), "latin1");
  }

  request(exchange: Exchange): Decision | Promise<Decision> {
    const name = this.#nameOf(exchange);
    const charged = this.#charge(name !== "", this.#keyOf(exchange, name));
    return charged instanceof Promise
      ? charged.then((late) => this.#decide(exchange, late))
      : this.#decide(exchange, charged);
  }

  /** Takes a token of the client's bucket. Undefined if the bucket is empty. */
  take(exchange: Exchange): GiveBack | undefined | Promise<GiveBack | undefined> {
    const name = this.#nameOf(exchange);
    const byName = name !== "";
    const key = this.#keyOf(exchange, name);
    const backOf = ({ allowed, isStored }: Charged): GiveBack | undefined => {
      if (!allowed) return undefined;
      return isStored
        ? () => this.#deps.store?.giveBack(this.#stored, storedKey(byName, key))
        : () => this.#deps.limits.buckets.giveBack(this.#spaceOf(byName), key, this.#size);
    };
    const charged = this.#charge(byName, key);
    return charged instanceof Promise ? charged.then(backOf) : backOf(charged);
  }

  #keyOf(exchange: Exchange, name: string): string {
    return name === "" ? addressKey(exchange.clientAddress, this.#ipv6Prefix) : name;
  }

  #spaceOf(byName: boolean): readonly [number, number] {
    return byName ? this.#spaces.consumer : this.#spaces.ip;
  }

  #charge(byName: boolean, key: string): Charged | Promise<Charged> {
    const { store } = this.#deps;
    if (store === undefined) return this.#chargeHere(byName, key);
    if (!store.isReady) {
      this.#deps.limits.counts.add("rateLimitStore", 1, "skipped");
      return this.#chargeHere(byName, key);
    }
    return this.#ask(store, byName, key);
  }

  /** The key that replaces the client's address. Empty: the address is the key. */
  #nameOf(exchange: Exchange): string {
    if (this.#header === "") return this.#named === undefined ? "" : exchange[this.#named];
    const value = headValue(exchange.head, this.#header) ?? "";
    // A long value is hashed, so that the client's text takes no more space in the store.
    return value.length <= MAX_NAME ? value : createHash("sha256").update(value, "latin1").digest("base64");
  }

  #chargeHere(byName: boolean, key: string): Charged {
    const { buckets, counts } = this.#deps.limits;
    const { allowed, untilFull } = buckets.charge(this.#spaceOf(byName), key, this.#size);
    if (buckets.charged.spare) counts.add("rateLimitsShared", 1);
    return { allowed, untilFull, isStored: false };
  }

  async #ask(store: LimitStore, byName: boolean, key: string): Promise<Charged> {
    const response = await store.charge(this.#stored, storedKey(byName, key));
    this.#deps.limits.counts.add("rateLimitStore", 1, response === undefined ? "failed" : "answered");
    if (response === undefined) return this.#chargeHere(byName, key);
    // The store counts in microseconds.
    const ticksPerUs = TICKS_PER_MS / 1000;
    const costRatio = this.#size.cost / (this.#stored.costUs * ticksPerUs);
    return { allowed: response.allowed, untilFull: response.untilFullUs * ticksPerUs * costRatio, isStored: true };
  }

  #decide(exchange: Exchange, { allowed, untilFull }: Charged): Decision {
    // The client's connection is closed, and an exchange that has ended must not get a response.
    if (exchange.gone) return "responded";
    this.#deps.limits.counts.add("rateLimits", 1, allowed ? "allowed" : "limited");
    const { cost, burst } = this.#size;
    const used = Math.ceil(untilFull / cost);
    const remaining = Math.max(burst - used, 0);
    const ticks = allowed ? untilFull - (used - 1) * cost : untilFull + cost - burst * cost;
    const seconds = Math.max(Math.ceil(ticks / (1000 * TICKS_PER_MS)), 1);
    // Bytes, because joining texts and numbers costs 2 % of a request with all policies (bench http1).
    const lines = this.#lines;
    let at = writeDecimal(lines, this.#startLength, remaining);
    at += writeLatin1(lines, ";t=", at);
    at = writeDecimal(lines, at, seconds);
    at += writeLatin1(lines, "\r\n", at);
    exchange.addedFields = joined(exchange.addedFields, latin1Text(lines, 0, at));
    if (allowed) return "continue";
    this.#deps.respondWithError(exchange, LIMITED, `Retry-After: ${seconds}\r\n`);
    return "responded";
  }
}

function storedKey(byName: boolean, key: string): string {
  return `${byName ? "consumer" : "ip"} ${key}`;
}
