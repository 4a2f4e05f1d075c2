import { Outage } from "../../../lib/time/outage.ts";
import { createPublicKey, type KeyObject } from "node:crypto";
import { type JwtAlgorithm, misfitOf } from "../../../lib/http/jwt-key.ts";
import { VERSION } from "../../../lib/process/version.ts";
import { isObject } from "../../../lib/is-object.ts";
import { parsedJson } from "../../../lib/parsed-json.ts";
import { Ask, type AskDeps, type Question, type Reply } from "../../upstream/directory/ask.ts";
import { member } from "./jwt-token.ts";
import { serviceAddress } from "./service-address.ts";

/** Bytes of a key set; those of large issuers have about 10 keys. A longer response is a failed load. @operator */
const MAX_KEY_SET_BYTES = 131_072;
/** Keys of a key set (JWKS). Later keys are ignored. @operator */
const MAX_KEYS = 64;
/** Milliseconds that the issuer has for one response. After them the load has failed. @bound */
const KEY_SET_TIMEOUT_MS = 5000;
/**
 * Milliseconds after which the set is loaded again; and milliseconds after which a set that could not be loaded again
 * is no longer trusted. @bound
 */
const FRESH_MS = 600_000;
const USABLE_MS = 3_600_000;
/** Milliseconds between two requests for a key set. Tokens with invented key ids cannot cause more requests. @bound */
const MIN_REFETCH_MS = 10_000;
/** Requests that wait for one key set at a time. Beyond it, a request is refused with 503. @operator */
const MAX_WAITING_FOR_KEYS = 1024;

export interface KeySetDeps extends AskDeps {
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly log: (message: string) => void;
  /** The part of the configuration that uses the keys, for the log: `route "/a"`. */
  readonly where: string;
}

/** The URL of a `KeySet`, and the algorithm that its keys must fit. */
export interface KeySetSettings {
  readonly url: string;
  readonly algorithm: JwtAlgorithm;
  readonly onChange: () => void;
}

/** A key, or the reason why there is no key: the set has no such key, or no usable set could be loaded. */
export type FoundKey = KeyObject | "unknown" | "unavailable";

/** The public keys that an issuer publishes (RFC 7517), loaded on first use. */
export class KeySet {
  readonly #settings: KeySetSettings;
  readonly #deps: KeySetDeps;
  readonly #question: Question;
  /** The keys by key id; a key without an id has the empty one. Undefined until the first successful load. */
  #keys: ReadonlyMap<string, KeyObject> | undefined;
  #text = "";
  /** When the keys were loaded, and when they were last requested, in the time of the wheel. */
  #cameAt = Number.NEGATIVE_INFINITY;
  #askedAt = Number.NEGATIVE_INFINITY;
  #loading: Promise<void> | undefined;
  #waiting = 0;
  #closed = false;
  readonly #outage = new Outage();

  constructor(settings: KeySetSettings, deps: KeySetDeps) {
    this.#settings = settings;
    this.#deps = deps;
    this.#question = {
      ...serviceAddress(settings.url),
      protocol: "http1",
      fields: `User-Agent: turnpike/${VERSION}\r\nAccept: application/jwk-set+json, application/json\r\n`,
      timeoutMs: KEY_SET_TIMEOUT_MS,
      maxBodyBytes: MAX_KEY_SET_BYTES,
    };
  }

  /** The key of that id. For a token without a key id it is the set's only key. */
  find(kid: string | undefined): FoundKey | Promise<FoundKey> {
    const found = this.#held(kid);
    if (typeof found === "object") {
      if (this.#since(this.#cameAt) >= FRESH_MS) void this.#load();
      return found;
    }
    const loading = this.#load();
    if (loading === undefined) return found;
    if (this.#waiting >= MAX_WAITING_FOR_KEYS) return "unavailable";
    return this.#findAfter(loading, kid);
  }

  /** Stops further loads. Requests that wait get the result of the load under way. */
  close(): void {
    this.#closed = true;
  }

  #since(time: number): number {
    return this.#deps.wheel.now() - time;
  }

  async #findAfter(loading: Promise<void>, kid: string | undefined): Promise<FoundKey> {
    this.#waiting++;
    try {
      await loading;
    } finally {
      this.#waiting--;
    }
    return this.#held(kid);
  }

  #held(kid: string | undefined): FoundKey {
    const keys = this.#keys;
    if (keys === undefined || this.#since(this.#cameAt) >= USABLE_MS) return "unavailable";
    if (kid !== undefined) return keys.get(kid) ?? "unknown";
    const [only, other] = keys.values();
    return only !== undefined && other === undefined ? only : "unknown";
  }

  /** Loads the set: one load at a time, and after `MIN_REFETCH_MS`. Undefined if no load can start now. */
  #load(): Promise<void> | undefined {
    if (this.#loading !== undefined) return this.#loading;
    if (this.#closed || this.#since(this.#askedAt) < MIN_REFETCH_MS) return undefined;
    this.#askedAt = this.#deps.wheel.now();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#loading = promise;
    const loaded = (reply: Reply): void => {
      this.#loading = undefined;
      this.#take(reply);
      resolve();
    };
    void new Ask(this.#question, this.#deps, loaded);
    return promise;
  }

  #take(reply: Reply): void {
    const error = this.#errorOf(reply);
    const { log, where } = this.#deps;
    if (error !== "") {
      if (this.#outage.failed()) log(`Cannot get the keys of ${where}: ${error}`);
      return;
    }
    const ended = this.#outage.ended();
    if (ended !== undefined) log(`The keys of ${where} are loaded again, ${ended}`);
  }

  /** Stores the keys of the reply. Returns what is wrong with the reply, or an empty text. */
  #errorOf(reply: Reply): string {
    if (reply.kind === "failure") return `the connection to jwks_url failed (${reply.reason})`;
    if (reply.status !== 200) return `jwks_url responded with ${reply.status}`;
    if (reply.cut) return `jwks_url returned more than ${MAX_KEY_SET_BYTES} bytes`;
    const text = reply.body.toString("utf8");
    const keys = parseKeySet(text, this.#settings.algorithm);
    if (keys === undefined) return "jwks_url returned no key set";
    if (keys.size === 0) return `jwks_url has no key for ${this.#settings.algorithm}`;
    this.#keys = keys;
    this.#cameAt = this.#deps.wheel.now();
    if (text !== this.#text) this.#settings.onChange();
    this.#text = text;
    return "";
  }
}

/** A set's keys for the algorithm, by id; undefined if it is not a key set (RFC 7517 §5). @internal */
export function parseKeySet(text: string, algorithm: JwtAlgorithm): ReadonlyMap<string, KeyObject> | undefined {
  const set = parsedJson(text);
  const list = isObject(set) ? member(set, "keys") : undefined;
  if (!Array.isArray(list)) return undefined;
  const items: readonly unknown[] = list;
  const keys = new Map<string, KeyObject>();
  for (const item of items.slice(0, MAX_KEYS)) {
    const key = isObject(item) ? publicKey(item, algorithm) : undefined;
    if (key === undefined || !isObject(item)) continue;
    const kid = member(item, "kid");
    const id = typeof kid === "string" ? kid : "";
    // The first of two keys with the same id is used, because nothing shows which of them is meant.
    if (!keys.has(id)) keys.set(id, key);
  }
  return keys;
}

function publicKey(jwk: Readonly<Record<string, unknown>>, algorithm: JwtAlgorithm): KeyObject | undefined {
  const { kty, use, alg, key_ops: ops } = jwk;
  const isMeant =
    (use === undefined || use === "sig") &&
    (alg === undefined || alg === algorithm) &&
    (ops === undefined || (Array.isArray(ops) && ops.includes("verify")));
  // A shared secret in a published set is known to everyone.
  if (!isMeant || (kty !== "RSA" && kty !== "EC" && kty !== "OKP")) return undefined;
  try {
    const { n, e, crv, x, y } = jwk;
    const parts = Object.entries({ kty, n, e, crv, x, y }).filter(([, value]) => typeof value === "string");
    const key = createPublicKey({ key: Object.fromEntries(parts), format: "jwk" });
    return misfitOf(algorithm, key) === "" ? key : undefined;
  } catch {
    return undefined;
  }
}
