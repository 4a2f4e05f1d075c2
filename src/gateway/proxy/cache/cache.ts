import { type TurnpikeError } from "../../../lib/errors.ts";
import { type Fields, fieldValue, fieldValues, withoutFields } from "../../../lib/http/fields.ts";
import { parseHttpDate } from "../../../lib/http/http-date.ts";
import { CannedError } from "../../exchange/local-response.ts";
import { type Exchange, type ResponseHead } from "../../exchange/exchange.ts";
import { plainHead } from "../../exchange/exchange-state.ts";
import { type CACHE_RESULTS } from "../../telemetry/metrics/metrics.ts";
import { forward } from "../forward.ts";
import { Subrequest, tellOwnSink } from "../subrequest.ts";
import { type ForwardTarget } from "../target.ts";
import { respondPart, respondWhole, isUnchanged, rangeOfPart, unchanged } from "./respond.ts";
import { type CacheControl } from "./cache-control.ts";
import { CacheRequest } from "./cache-request.ts";
import { Fetch, type FetchHost, type FetchPlan } from "./fetch.ts";
import { type CachePolicy } from "./freshness.ts";
import { freshenByHead, invalidateBy } from "./observing-sinks.ts";
import { partVariant, recordPart } from "./partial-content.ts";
import { type Reader } from "./reader.ts";
import { type CacheStore } from "./store.ts";
import { type Stores } from "./stores.ts";
import { type CacheClocks, type StoredResponse } from "./stored-response.ts";
import { uriOf, variantOf } from "./cache-key.ts";
import { joined } from "../../../lib/memory/flat-text.ts";
import { NewestMap } from "../../../lib/memory/newest-map.ts";

/**
 * Keys whose last response was not stored: requests for them do not wait for each other. Beyond them the oldest key is
 * dropped.
 */
const MAX_UNSHARED = 1024;

const NOT_CACHED = new CannedError(
  "not-cached",
  "no stored response matches this request, which accepts only stored ones",
);

/** Conditional fields of the client, which the cache replaces by its own in upstream requests. */
const ASKED_BY_CACHE: readonly string[] = ["if-none-match", "if-modified-since", "if-range", "range"];
export interface CacheSettings extends CachePolicy {
  /** Lower-case names of fields that are part of the key, in addition to Accept-Encoding. */
  readonly vary: readonly string[];
  readonly maxEntryBytes: number;
}

/** Counts the requests that reached a cache. For `miss` and `revalidated` the upstream responds, and its response is stored. */
export interface CacheWatcher {
  responded(how: (typeof CACHE_RESULTS)[number]): void;
}

export interface CacheDeps extends CacheClocks {
  readonly store: CacheStore;
  readonly stores: Pick<Stores, "invalidate">;
  readonly watcher: CacheWatcher;
}

/** The cache of a route (RFC 9111), in front of its upstream. */
export class ResponseCache implements FetchHost {
  readonly store: CacheStore;
  readonly policy: CachePolicy;
  readonly keyNames: readonly string[];
  readonly maxEntryBytes: number;
  readonly now: () => number;
  readonly date: () => number;
  readonly #stores: CacheDeps["stores"];
  readonly #vary: readonly string[];
  readonly #watcher: CacheDeps["watcher"];
  readonly #target: ForwardTarget;
  readonly #ownTarget: ForwardTarget;
  readonly #fetches = new Map<string, Fetch>();
  readonly #unshared = new NewestMap<string, true>(MAX_UNSHARED);

  constructor(settings: CacheSettings, target: ForwardTarget, deps: CacheDeps) {
    this.store = deps.store;
    this.#stores = deps.stores;
    this.now = deps.now;
    this.date = deps.date;
    this.#watcher = deps.watcher;
    this.policy = { ttl: settings.ttl, targets: settings.targets };
    this.#vary = settings.vary;
    this.keyNames = ["accept-encoding", ...settings.vary];
    this.maxEntryBytes = settings.maxEntryBytes;
    this.#target = target;
    this.#ownTarget = { ...target, respondWithError: tellOwnSink };
  }

  /** Responds from the cache, or forwards the exchange. */
  serve(exchange: Exchange): void {
    const { head } = exchange;
    const { method } = head;
    if ((method !== "GET" && method !== "HEAD") || head.bodyLength !== 0 || head.upgrade !== "") {
      this.#passBy(exchange, method === "GET" || method === "HEAD" ? "bypass" : "method");
      return;
    }
    const uri = uriOf(head);
    // A free response can be for the holder of a token, which the upstream knows by another field.
    const request = new CacheRequest(head.fields, exchange.creditToken !== undefined && exchange.isPaid !== true);
    const variant = variantOf(head.fields, request.acceptEncoding, this.#vary);
    const stored = this.store.find(uri, variant);
    if (stored !== undefined && this.#serveStored(exchange, stored, request)) return;
    const { conditions, control } = request;
    const isOfPart = conditions.range !== undefined && stored === undefined && method === "GET";
    if (isOfPart && this.#servePart(exchange, { uri, variant, request })) return;
    if (control.onlyIfCached) {
      this.#target.respondWithError(exchange, NOT_CACHED);
      return;
    }
    const isOwn = control.noStore || conditions.ifMatch !== undefined || conditions.ifUnmodifiedSince !== undefined;
    if (method === "HEAD" || isOwn || isOfPart) {
      if (!isOwn && isOfPart)
        recordPart(exchange, this, { uri, variant, request, askedAt: this.now(), version: this.store.version });
      this.#pass(exchange, stored, isOwn ? "bypass" : reasonFor(stored, this.store.has(uri)));
      return;
    }
    this.#watcher.responded(stored === undefined ? "miss" : "revalidated");
    const isAsked = stored === undefined ? control.noCache : stored.freshFor(this.now()) > 0;
    const reason = isAsked ? "request" : reasonFor(stored, this.store.has(uri));
    this.#fetchFor(exchange, { uri, variant, request, stale: stored, reason });
  }

  /** Serves the stored response if it is fresh, or if it may be served stale. True: it was served. */
  #serveStored(exchange: Exchange, stored: StoredResponse, request: CacheRequest): boolean {
    const { control } = request;
    const now = this.now();
    if (!takesStored(control, stored, now)) return false;
    const freshFor = stored.freshFor(now);
    if (freshFor > 0) {
      this.#watcher.responded("hit");
      this.#response(exchange, stored, request, stored.agedFields(now));
      return true;
    }
    if (!mayBeStale(stored)) return false;
    const whileRevalidating = stored.control.staleWhileRevalidate;
    const isAllowed = control.maxStale !== undefined && -freshFor <= control.maxStale;
    if (whileRevalidating !== undefined && -freshFor <= whileRevalidating && control.maxAge === undefined) {
      this.#revalidate(exchange, stored, request);
    } else if (!isAllowed) return false;
    this.#watcher.responded("stale");
    this.#response(exchange, stored, request, stored.agedFields(now));
    return true;
  }

  /** Serves the requested range from a fresh stored part. True: it was served. */
  #servePart(exchange: Exchange, { uri, variant, request }: Pick<FetchPlan, "uri" | "variant" | "request">): boolean {
    const part = this.store.find(uri, partVariant(variant));
    const range = part === undefined ? undefined : rangeOfPart(part, request.conditions);
    const now = this.now();
    if (part === undefined || range === undefined) return false;
    if (part.freshFor(now) <= 0 || !takesStored(request.control, part, now)) return false;
    this.#watcher.responded("hit");
    respondPart(exchange, part, range, { conditions: request.conditions, fields: part.agedFields(now) });
    return true;
  }

  mayServeOnError(stored: StoredResponse): boolean {
    const { staleIfError } = stored.control;
    return staleIfError !== undefined && mayBeStale(stored) && -stored.freshFor(this.now()) <= staleIfError;
  }

  #fetchFor(exchange: Exchange, plan: FetchPlan): void {
    const key = keyOf(plan);
    const running = this.#fetches.get(key);
    const isJoinable = running !== undefined && !running.isOutdated;
    // A request with no-cache must not get the response of an earlier request.
    if (isJoinable && !this.#unshared.has(key) && !plan.request.control.noCache) {
      running.join(exchange, plan.request);
      return;
    }
    const fetch = new Fetch(this, plan);
    if (!isJoinable) this.#fetches.set(key, fetch);
    fetch.join(exchange, plan.request);
    this.#ask(exchange, fetch);
  }

  /** Revalidates a stored response in the background while it is served. */
  #revalidate(exchange: Exchange, stored: StoredResponse, request: CacheRequest): void {
    const plan = { uri: stored.uri, variant: stored.variant, request, stale: stored, reason: "stale" } as const;
    if (this.#fetches.has(keyOf(plan))) return;
    const fetch = new Fetch(this, plan);
    this.#fetches.set(keyOf(plan), fetch);
    this.#ask(exchange, fetch);
  }

  #ask(client: Exchange, fetch: Fetch): void {
    const { stale } = fetch.plan;
    const fields = withoutFields(client.head.fields, ASKED_BY_CACHE) + (stale === undefined ? "" : validatorsOf(stale));
    const own = new Subrequest(client, { ...plainHead(client.head), method: "GET", fields }, fetch);
    own.trace = client.trace;
    fetch.asks(own);
    forward(own, this.#ownTarget);
  }

  over(fetch: Fetch, kept: boolean): void {
    const key = keyOf(fetch.plan);
    if (this.#fetches.get(key) === fetch) this.#fetches.delete(key);
    if (kept) this.#unshared.delete(key);
    else this.#unshared.set(key, true);
  }

  respondFrom({ exchange, request }: Reader, stored: StoredResponse, status: string): void {
    const age = Math.max(Math.floor(stored.age(this.now())), 0);
    const fields = `${stored.fields}Age: ${age}\r\nCache-Status: Turnpike; ${status}\r\n`;
    this.#response(exchange, stored, request, fields);
  }

  #response(exchange: Exchange, stored: StoredResponse, { conditions }: CacheRequest, fields: Fields): void {
    respondWhole(exchange, stored, { conditions, fields }, this.#target.respondWithError);
  }

  respondUnchanged({ exchange, request: { conditions } }: Reader, head: ResponseHead): boolean {
    const [etag] = fieldValues(head.fields, "etag");
    const modified = fieldValue(head.fields, "last-modified");
    if (
      head.status !== 200 ||
      !isUnchanged(conditions, etag, modified === undefined ? undefined : parseHttpDate(modified))
    ) {
      return false;
    }
    exchange.response.start(unchanged(head.fields));
    exchange.response.end("");
    return true;
  }

  respondWithError(exchange: Exchange, error: TurnpikeError): void {
    this.#target.respondWithError(exchange, error);
  }

  goAlone(exchange: Exchange): void {
    exchange.addedFields = joined(exchange.addedFields, "Cache-Status: Turnpike; fwd=miss\r\n");
    forward(exchange, this.#target);
  }

  /** Forwards a request that the cache does not handle. Its response may still invalidate or update stored ones. */
  #passBy(exchange: Exchange, reason: "method" | "bypass"): void {
    this.#watcher.responded("bypass");
    exchange.addedFields = joined(exchange.addedFields, `Cache-Status: Turnpike; fwd=${reason}\r\n`);
    invalidateBy(exchange, this.#stores);
    forward(exchange, this.#target);
  }

  #pass(exchange: Exchange, stored: StoredResponse | undefined, reason: string): void {
    this.#watcher.responded("bypass");
    exchange.addedFields = joined(exchange.addedFields, `Cache-Status: Turnpike; fwd=${reason}\r\n`);
    if (exchange.head.method === "HEAD" && stored !== undefined) {
      exchange.response = freshenByHead(exchange.response, stored, this);
    }
    forward(exchange, this.#target);
  }
}

/** True if the request's directives allow a stored response, fresh or stale (RFC 9111 §5.2.1). */
function takesStored(control: CacheControl, stored: StoredResponse, now: number): boolean {
  if (control.noCache || control.noStore) return false;
  // A client that reloads a page sends max-age=0. Even a response of age 0 is then not used.
  if (control.maxAge !== undefined && (control.maxAge === 0 || stored.age(now) > control.maxAge)) return false;
  return control.minFresh === undefined || stored.freshFor(now) >= control.minFresh;
}

function keyOf({ uri, variant }: Pick<FetchPlan, "uri" | "variant">): string {
  return `${uri}\n${variant}`;
}

function reasonFor(stored: StoredResponse | undefined, hasOthers: boolean): FetchPlan["reason"] {
  if (stored !== undefined) return "stale";
  return hasOthers ? "vary-miss" : "uri-miss";
}

/** RFC 9111 §4.2.4, §5.2.2: false for a response that a shared cache must not serve stale, whatever the request allows. */
function mayBeStale({ control }: StoredResponse): boolean {
  return !control.mustRevalidate && !control.proxyRevalidate && control.sMaxage === undefined;
}

function validatorsOf({ etag, lastModified }: StoredResponse): Fields {
  const tag = etag === undefined ? "" : `If-None-Match: ${etag}\r\n`;
  return lastModified === undefined ? tag : `${tag}If-Modified-Since: ${lastModified}\r\n`;
}
