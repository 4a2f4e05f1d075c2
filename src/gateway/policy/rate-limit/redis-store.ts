import { createHash } from "node:crypto";
import { RedisClient } from "bun";
import { type RateLimitMetrics } from "../../telemetry/rate-limit-metrics.ts";
import { type LimitStore, type StoredCharge, type StoredLimit } from "./limit-store.ts";

/**
 * The buckets' rule (`TokenBuckets`), by the clock of the store. A key is the microsecond at which its bucket is full, and goes
 * away by itself then. It answers whether a token was had, and the microseconds until the bucket is full.
 */
const SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local cost = tonumber(ARGV[1])
local most = cost * tonumber(ARGV[2])
local debt = math.min(math.max((tonumber(redis.call('GET', KEYS[1])) or 0) - now, 0), most)
if debt + cost > most then return {0, string.format('%.0f', debt)} end
debt = debt + cost
redis.call('SET', KEYS[1], string.format('%.0f', now + debt), 'PX', math.ceil(debt / 1000))
return {1, string.format('%.0f', debt)}
`;
const SCRIPT_SHA = createHash("sha1").update(SCRIPT).digest("hex");

/** Failures in a row after which it is away: one that is late is no outage. */
const MAX_FAILURES = 5;
/** Milliseconds between two tries to have it back, which double up to a bound. */
const RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;
/** Milliseconds that a new connection may take. @bound */
const CONNECT_MS = 2_000;
/** Questions that wait for a response at one time, a worker; beyond them it is late anyway. */
const MAX_WAITING = 4096;

export interface RedisStoreDeps {
  readonly metrics: RateLimitMetrics;
  readonly log: (message: string) => void;
}

interface Waiting {
  readonly deadline: number;
  readonly give: (charge: StoredCharge | undefined) => void;
}

/**
 * Buckets in Redis, for all servers that use the same one. Whatever it does not answer in time is undefined, and what cannot be
 * asked is not: after `MAX_FAILURES` it counts as away, until one that was asked apart from requests has answered.
 */
export class RedisStore implements LimitStore {
  readonly #url: string;
  readonly #timeoutMs: number;
  readonly #deps: RedisStoreDeps;
  #client: RedisClient | undefined;
  #ready = false;
  /** It was said that it is away. */
  #told = false;
  #failures = 0;
  #retryMs = RETRY_MS;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;
  /** Settles when it has answered for the first time, or was found to be away. */
  readonly #started: Promise<void>;
  /** In the order of their deadlines, since all wait equally long. */
  readonly #waiting = new Set<Waiting>();
  #deadline: NodeJS.Timeout | undefined;

  /** `url` may hold a password: it is never told. */
  constructor({ url, timeoutMs }: { readonly url: string; readonly timeoutMs: number }, deps: RedisStoreDeps) {
    this.#url = url;
    this.#timeoutMs = timeoutMs;
    this.#deps = deps;
    this.#started = this.#connect();
  }

  /** Waits for its first response, as long as a connection may take. */
  async ready(): Promise<void> {
    await this.#started;
  }

  get isReady(): boolean {
    return this.#ready && this.#waiting.size < MAX_WAITING;
  }

  charge({ space, costUs, burst }: StoredLimit, key: string): Promise<StoredCharge | undefined> {
    const client = this.#client;
    if (client === undefined) return Promise.resolve(undefined);
    // A hash, since names are of any length, and nobody who looks into the store is to read addresses.
    const name = `turnpike:rate:${createHash("sha256").update(`${space}\n${key}`).digest("base64url")}`;
    return new Promise((give) => {
      const waiting = { deadline: performance.now() + this.#timeoutMs, give };
      this.#waiting.add(waiting);
      this.#watch();
      const settle = (charge: StoredCharge | undefined): void => {
        if (!this.#waiting.delete(waiting)) return;
        if (charge === undefined) this.#failed(client);
        else this.#failures = 0;
        give(charge);
      };
      evaluate(client, [name, String(costUs), String(burst)]).then(
        (response) => settle(chargeOf(response)),
        () => settle(undefined),
      );
    });
  }

  /** Whoever waits is told that there is no response. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#deadline);
    this.#deadline = undefined;
    this.#drop();
    if (this.#told) this.#deps.metrics.storeIsAway(false);
  }

  /** One timer for all that wait. */
  #watch(): void {
    this.#deadline ??= setTimeout(() => {
      this.#deadline = undefined;
      const now = performance.now();
      const client = this.#client;
      for (const waiting of this.#waiting) {
        if (waiting.deadline > now) break;
        this.#waiting.delete(waiting);
        waiting.give(undefined);
        if (client !== undefined) this.#failed(client);
      }
      if (this.#waiting.size > 0) this.#watch();
    }, this.#timeoutMs);
  }

  #failed(client: RedisClient): void {
    if (client !== this.#client || ++this.#failures < MAX_FAILURES) return;
    this.#lost(client);
  }

  #lost(client: RedisClient): void {
    if (client !== this.#client || this.#closed) return;
    this.#drop();
    if (!this.#told) {
      this.#deps.log("rate_limit_store is away: every server limits by itself until it is back");
      this.#deps.metrics.storeIsAway(true);
      this.#told = true;
    }
    this.#retry = setTimeout(() => void this.#connect(), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS);
  }

  #drop(): void {
    const client = this.#client;
    this.#client = undefined;
    this.#ready = false;
    for (const { give } of this.#waiting) give(undefined);
    this.#waiting.clear();
    client?.close();
  }

  async #connect(): Promise<void> {
    // It does nothing by itself: what it would try again and keep for later is what requests cannot wait for.
    let client: RedisClient | undefined;
    try {
      client = new RedisClient(this.#url, {
        connectionTimeout: CONNECT_MS,
        autoReconnect: false,
        enableOfflineQueue: false,
      });
      this.#client = client;
      const own = client;
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no EventTarget
      client.onclose = () => this.#lost(own);
      await inTime(client.connect(), CONNECT_MS);
      await inTime(client.send("SCRIPT", ["LOAD", SCRIPT]), CONNECT_MS);
    } catch {
      if (client !== undefined) this.#lost(client);
      else this.#deps.log("Cannot use rate_limit_store: its URL is none of Redis");
      return;
    }
    if (client !== this.#client || this.#closed) return;
    this.#ready = true;
    this.#failures = 0;
    this.#retryMs = RETRY_MS;
    if (!this.#told) return;
    this.#told = false;
    this.#deps.log("rate_limit_store is back");
    this.#deps.metrics.storeIsAway(false);
  }
}

async function evaluate(client: RedisClient, [key, ...rest]: readonly string[]): Promise<unknown> {
  const args = ["1", key ?? "", ...rest];
  try {
    return await client.send("EVALSHA", [SCRIPT_SHA, ...args]);
  } catch (error) {
    // Its scripts were flushed, or it was started anew.
    if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
    return await client.send("EVAL", [SCRIPT, ...args]);
  }
}

/** What the script answers; undefined where it is anything else. */
function chargeOf(response: unknown): StoredCharge | undefined {
  if (!Array.isArray(response) || response.length !== 2) return undefined;
  const [allowed, debt]: unknown[] = response;
  if ((allowed !== 0 && allowed !== 1) || typeof debt !== "string" || !/^\d{1,15}$/.test(debt)) return undefined;
  return { allowed: allowed === 1, debtUs: Number(debt) };
}

/** Rejects where `work` takes longer than `ms`. */
async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("late")), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
