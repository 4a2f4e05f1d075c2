import { within } from "../../../lib/time/within.ts";
import { createHash } from "node:crypto";
import { RedisClient } from "bun";
import { type Counts } from "../../telemetry/metrics/counts.ts";
import { type LimitStore, type StoredCharge, type StoredLimit } from "./limit-store.ts";

/**
 * The algorithm of `TokenBuckets`, with the clock of the store. A key's value is the time at which its bucket is full,
 * in microseconds; the key expires then. The script takes a token, or puts one back if ARGV[3] is 1. It returns whether a
 * token was taken, and the microseconds until the bucket is full. A time later than that of an empty bucket is replaced, even
 * if no token is taken: the clock was set back, or the bucket was larger.
 */
const SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local cost = tonumber(ARGV[1])
local most = cost * tonumber(ARGV[2])
local left = (tonumber(redis.call('GET', KEYS[1])) or 0) - now
local until_full = math.min(math.max(left, 0), most)
if ARGV[3] == '1' then cost = -math.min(cost, until_full) end
local taken = until_full + cost <= most and 1 or 0
if taken == 1 then until_full = until_full + cost
elseif left <= most then return {0, string.format('%.0f', until_full)} end
if until_full == 0 then redis.call('DEL', KEYS[1])
else redis.call('SET', KEYS[1], string.format('%.0f', now + until_full), 'PX', math.ceil(until_full / 1000)) end
return {taken, string.format('%.0f', until_full)}
`;
const SCRIPT_SHA = createHash("sha1").update(SCRIPT).digest("hex");

/**
 * Failures of Redis in a row, after which `rate_limit_store` counts as unavailable. A single late response is
 * not an outage.
 */
const MAX_FAILURES = 5;
/** Milliseconds before the first try to reconnect. The time doubles with each try, up to `MAX_RETRY_MS`. */
const RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;
/** Milliseconds that a new connection may take. Then the try has failed. @bound */
const CONNECT_MS = 2_000;
/** Requests of one worker that wait for Redis. Beyond it the gateway limits by itself. @operator */
const MAX_WAITING = 4096;

export interface RedisStoreDeps {
  readonly counts: Counts;
  readonly log: (message: string) => void;
  /** Monotonic milliseconds. */
  readonly clock?: () => number;
}

interface Waiting {
  readonly client: RedisClient;
  readonly deadline: number;
  readonly give: (charge: StoredCharge | undefined) => void;
}

/**
 * Buckets in Redis, shared by all servers that use the same one. The result is undefined if Redis does not respond in
 * time. After `MAX_FAILURES` the store counts as unavailable and gets no requests, until a new connection to it works.
 */
export class RedisStore implements LimitStore {
  readonly #url: string;
  readonly #timeoutMs: number;
  readonly #deps: RedisStoreDeps;
  readonly #clock: () => number;
  #client: RedisClient | undefined;
  #ready = false;
  /** The log says that the store is unavailable. */
  #told = false;
  #failures = 0;
  #retryMs = RETRY_MS;
  #retry: NodeJS.Timeout | undefined;
  /** Settles when the store has responded for the first time, or the first connection has failed. */
  readonly #started: Promise<void>;
  /** In the order of their deadlines, because all have the same timeout. */
  readonly #waiting = new Set<Waiting>();
  #deadline: NodeJS.Timeout | undefined;

  /** `url` can hold a password, so it must not be in a log. */
  constructor({ url, timeoutMs }: { readonly url: string; readonly timeoutMs: number }, deps: RedisStoreDeps) {
    this.#url = url;
    this.#timeoutMs = timeoutMs;
    this.#deps = deps;
    this.#clock = deps.clock ?? (() => performance.now());
    this.#started = this.#connect();
  }

  /** Waits until the first connection works or has failed. */
  async ready(): Promise<void> {
    await this.#started;
  }

  get isReady(): boolean {
    return this.#ready && this.#waiting.size < MAX_WAITING;
  }

  charge(limit: StoredLimit, key: string): Promise<StoredCharge | undefined> {
    return this.#run(limit, key, "0");
  }

  giveBack(limit: StoredLimit, key: string): void {
    if (this.isReady) void this.#run(limit, key, "1");
  }

  #run({ space, costUs, burst }: StoredLimit, key: string, isBack: "0" | "1"): Promise<StoredCharge | undefined> {
    const client = this.#client;
    if (client === undefined) return Promise.resolve(undefined);
    // A hash, because keys can have any length, and the store must not reveal addresses to a person who reads it.
    const name = `turnpike:rate:${createHash("sha256").update(`${space}\n${key}`).digest("base64url")}`;
    return new Promise((give) => {
      const waiting = { client, deadline: this.#clock() + this.#timeoutMs, give };
      this.#waiting.add(waiting);
      this.#watch();
      const settle = (charge: StoredCharge | undefined): void => {
        if (!this.#waiting.delete(waiting)) return;
        if (charge === undefined) this.#failed(client);
        else this.#failures = 0;
        give(charge);
      };
      evaluate(client, [name, String(costUs), String(burst), isBack]).then(
        (response) => settle(chargeOf(response)),
        () => settle(undefined),
      );
    });
  }

  /** Closes the store. Pending requests get no result. */
  close(): void {
    clearTimeout(this.#retry);
    clearTimeout(this.#deadline);
    this.#drop();
    if (this.#told) this.#deps.counts.set("rateLimitStoresAway", 0);
  }

  /** One timer for all pending requests. */
  #watch(): void {
    this.#deadline ??= setTimeout(() => {
      this.#deadline = undefined;
      const now = this.#clock();
      for (const waiting of this.#waiting) {
        if (waiting.deadline > now) break;
        this.#waiting.delete(waiting);
        waiting.give(undefined);
        this.#failed(waiting.client);
      }
      if (this.#waiting.size > 0) this.#watch();
    }, this.#timeoutMs);
  }

  #failed(client: RedisClient): void {
    if (client !== this.#client || ++this.#failures < MAX_FAILURES) return;
    this.#lost(client);
  }

  #lost(client: RedisClient): void {
    if (client !== this.#client) return;
    this.#drop();
    if (!this.#told) {
      this.#deps.log("rate_limit_store is not reachable: each gateway limits by itself until it is back");
      this.#deps.counts.set("rateLimitStoresAway", 1);
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
    // Redis commands are neither repeated nor queued by the client: rate limited requests cannot wait for that.
    let client: RedisClient | undefined;
    try {
      client = new RedisClient(this.#url, {
        connectionTimeout: CONNECT_MS,
        autoReconnect: false,
        enableOfflineQueue: false,
      });
      this.#client = client;
      const own = client;
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is not an EventTarget
      client.onclose = () => this.#lost(own);
      await inTime(client.connect(), CONNECT_MS);
      await inTime(client.send("SCRIPT", ["LOAD", SCRIPT]), CONNECT_MS);
    } catch {
      if (client !== undefined) this.#lost(client);
      else this.#deps.log("Cannot use rate_limit_store: it is not a Redis URL");
      return;
    }
    if (client !== this.#client) return;
    this.#ready = true;
    this.#failures = 0;
    this.#retryMs = RETRY_MS;
    if (!this.#told) return;
    this.#told = false;
    this.#deps.log("rate_limit_store is back");
    this.#deps.counts.set("rateLimitStoresAway", 0);
  }
}

async function evaluate(client: RedisClient, [key, ...rest]: readonly string[]): Promise<unknown> {
  const args = ["1", key ?? "", ...rest];
  try {
    return await client.send("EVALSHA", [SCRIPT_SHA, ...args]);
  } catch (error) {
    // Redis was restarted, or its scripts were flushed.
    if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
    return await client.send("EVAL", [SCRIPT, ...args]);
  }
}

/** The script's result. Undefined if Redis returned anything else. */
function chargeOf(response: unknown): StoredCharge | undefined {
  if (!Array.isArray(response) || response.length !== 2) return undefined;
  const [allowed, untilFull]: unknown[] = response;
  if ((allowed !== 0 && allowed !== 1) || typeof untilFull !== "string" || !/^\d{1,15}$/.test(untilFull))
    return undefined;
  return { allowed: allowed === 1, untilFullUs: Number(untilFull) };
}

/** Rejects if `work` takes longer than `ms`. */
async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  return await within(ms, work, () => {
    throw new Error("late");
  });
}
