import { parseRange } from "../../../lib/byte-ranges.ts";
import { type TurnpikeError } from "../../../lib/errors.ts";
import { type Fields, fieldValue, fieldValues, withoutFields } from "../../../lib/fields.ts";
import { parseHttpDate } from "../../../lib/http-date.ts";
import { namesTag } from "../../../lib/request-conditions.ts";
import { CannedError } from "../../answer.ts";
import { type Exchange, type ResponseHead } from "../../exchange.ts";
import { type CacheMetrics } from "../../telemetry/cache-metrics.ts";
import { forward } from "../forward.ts";
import { OwnExchange, tellOwnSink } from "../own-exchange.ts";
import { type ForwardTarget } from "../target.ts";
import { sendBody } from "./body-reader.ts";
import { CacheRequest, normalised } from "./cache-request.ts";
import { uriOf } from "./cache-uri.ts";
import { Fetch, type FetchHost, type FetchPlan } from "./fetch.ts";
import { freshenByHead, invalidateBy } from "./observing-sinks.ts";
import { type Reader } from "./reader.ts";
import { type CacheStore } from "./store.ts";
import { type StoredResponse } from "./stored-response.ts";

/** Keys whose responses were not stored when they were asked for last: nobody waits for another's answer there. */
const MAX_UNSHARED = 1024;

const NOT_CACHED = new CannedError(
  "not-cached",
  "nothing that is stored answers this request, and it asks for nothing else",
);
const UNSATISFIABLE = new CannedError(
  "range-not-satisfiable",
  "the response does not reach as far as any of the ranges",
);

/** What is asked of the upstream alone, in the place of what the client asks. */
const ASKED_BY_CACHE: readonly string[] = ["if-none-match", "if-modified-since", "if-range", "range"];
/** What a 304 leaves out, since it tells of a body that does not follow (RFC 9110 §15.4.5). */
const ABOUT_BODY: readonly string[] = ["content-type", "content-encoding", "content-language", "content-range"];

export interface CacheSettings {
  /** Seconds. */
  readonly ttl: number;
  /** Names that are part of the key beside Accept-Encoding, in small letters. */
  readonly vary: readonly string[];
  readonly maxEntryBytes: number;
}

export interface CacheDeps {
  readonly store: CacheStore;
  readonly watcher: Pick<CacheMetrics, "answered">;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** A route's cache (RFC 9111), in front of its upstream. */
export class ResponseCache implements FetchHost {
  readonly store: CacheStore;
  readonly ttl: number;
  readonly keyNames: readonly string[];
  readonly maxEntryBytes: number;
  readonly now: () => number;
  readonly #vary: readonly string[];
  readonly #watcher: CacheDeps["watcher"];
  readonly #target: ForwardTarget;
  readonly #ownTarget: ForwardTarget;
  readonly #fetches = new Map<string, Fetch>();
  readonly #unshared = new Set<string>();

  constructor(settings: CacheSettings, target: ForwardTarget, deps: CacheDeps) {
    this.store = deps.store;
    this.now = deps.now;
    this.#watcher = deps.watcher;
    this.ttl = settings.ttl;
    this.#vary = settings.vary;
    this.keyNames = ["accept-encoding", ...settings.vary];
    this.maxEntryBytes = settings.maxEntryBytes;
    this.#target = target;
    this.#ownTarget = { ...target, answerError: tellOwnSink };
  }

  /** Answers from what is stored, or sends the exchange on. */
  serve(exchange: Exchange): void {
    const { head } = exchange;
    const { method } = head;
    if ((method !== "GET" && method !== "HEAD") || head.bodyLength !== 0 || head.upgrade !== "") {
      this.#passBy(exchange, method === "GET" || method === "HEAD" ? "bypass" : "method");
      return;
    }
    const uri = uriOf(head);
    const request = new CacheRequest(head.fields);
    const variant = this.#variantOf(head.fields, request);
    const stored = this.store.find(uri, variant);
    if (stored !== undefined && this.#serveStored(exchange, stored, request)) return;
    const { conditions, control } = request;
    if (control.onlyIfCached) {
      this.#target.answerError(exchange, NOT_CACHED);
      return;
    }
    const isOwn = control.noStore || conditions.ifMatch !== undefined || conditions.ifUnmodifiedSince !== undefined;
    if (method === "HEAD" || isOwn || (conditions.range !== undefined && stored === undefined)) {
      this.#pass(exchange, stored, isOwn ? "bypass" : reasonFor(stored, this.store.has(uri)));
      return;
    }
    this.#watcher.answered(stored === undefined ? "miss" : "revalidated");
    const isAsked = stored === undefined ? control.noCache : stored.freshFor(this.now()) > 0;
    const reason = isAsked ? "request" : reasonFor(stored, this.store.has(uri));
    this.#fetchFor(exchange, { uri, variant, request, stale: stored, reason });
  }

  /** True where the stored response does, fresh or as stale as may be. */
  #serveStored(exchange: Exchange, stored: StoredResponse, request: CacheRequest): boolean {
    const { control } = request;
    if (control.noCache || control.noStore) return false;
    const now = this.now();
    const freshFor = stored.freshFor(now);
    // A client that reloads says 0, and means it.
    if (control.maxAge !== undefined && (control.maxAge === 0 || stored.age(now) > control.maxAge)) return false;
    if (control.minFresh !== undefined && freshFor < control.minFresh) return false;
    if (freshFor > 0) {
      this.#watcher.answered("hit");
      this.#answer(exchange, stored, request, stored.agedFields(now));
      return true;
    }
    if (!mayBeStale(stored)) return false;
    const whileRevalidating = stored.control.staleWhileRevalidate;
    const isAllowed = control.maxStale !== undefined && -freshFor <= control.maxStale;
    if (whileRevalidating !== undefined && -freshFor <= whileRevalidating && control.maxAge === undefined) {
      this.#revalidate(exchange, stored, request);
    } else if (!isAllowed) return false;
    this.#watcher.answered("stale");
    this.#answer(exchange, stored, request, stored.agedFields(now));
    return true;
  }

  mayServeOnError(stored: StoredResponse): boolean {
    const { staleIfError } = stored.control;
    return staleIfError !== undefined && mayBeStale(stored) && -stored.freshFor(this.now()) <= staleIfError;
  }

  #fetchFor(exchange: Exchange, plan: FetchPlan): void {
    const key = keyOf(plan);
    const running = this.#fetches.get(key);
    // Who wants it anew must not get what was asked for before.
    if (running !== undefined && !this.#unshared.has(key) && !plan.request.control.noCache) {
      running.join(exchange, plan.request);
      return;
    }
    const fetch = new Fetch(this, plan, false);
    if (running === undefined) this.#fetches.set(key, fetch);
    fetch.join(exchange, plan.request);
    this.#ask(exchange, fetch);
  }

  /** Asks the server about a response that is served meanwhile. */
  #revalidate(exchange: Exchange, stored: StoredResponse, request: CacheRequest): void {
    const plan = { uri: stored.uri, variant: stored.variant, request, stale: stored, reason: "stale" } as const;
    if (this.#fetches.has(keyOf(plan))) return;
    const fetch = new Fetch(this, plan, true);
    this.#fetches.set(keyOf(plan), fetch);
    this.#ask(exchange, fetch);
  }

  #ask(client: Exchange, fetch: Fetch): void {
    const { stale } = fetch.plan;
    const fields = withoutFields(client.head.fields, ASKED_BY_CACHE) + (stale === undefined ? "" : validatorsOf(stale));
    const own = new OwnExchange(client, { ...client.head, method: "GET", fields }, fetch);
    own.trace = client.trace;
    fetch.asks(own);
    forward(own, this.#ownTarget);
  }

  over(fetch: Fetch, kept: boolean): void {
    const key = keyOf(fetch.plan);
    if (this.#fetches.get(key) === fetch) this.#fetches.delete(key);
    this.#unshared.delete(key);
    if (kept) return;
    this.#unshared.add(key);
    const [oldest] = this.#unshared;
    if (this.#unshared.size > MAX_UNSHARED && oldest !== undefined) this.#unshared.delete(oldest);
  }

  answerFrom({ exchange, request }: Reader, stored: StoredResponse, status: string): void {
    const age = Math.max(Math.floor(stored.age(this.now())), 0);
    const fields = `${stored.fields}Age: ${age}\r\nCache-Status: Turnpike; ${status}\r\n`;
    this.#answer(exchange, stored, request, fields);
  }

  answerUnchanged({ exchange, request: { conditions } }: Reader, head: ResponseHead): boolean {
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

  answerError(exchange: Exchange, error: TurnpikeError): void {
    this.#target.answerError(exchange, error);
  }

  goAlone(exchange: Exchange): void {
    exchange.addedFields += "Cache-Status: Turnpike; fwd=miss\r\n";
    forward(exchange, this.#target);
  }

  /** Sends on what this cache has no part in, but for what it says of what is stored. */
  #passBy(exchange: Exchange, reason: "method" | "bypass"): void {
    this.#watcher.answered("bypass");
    exchange.addedFields += `Cache-Status: Turnpike; fwd=${reason}\r\n`;
    const { head } = exchange;
    if (reason === "method" && head.method !== "OPTIONS") {
      exchange.response = invalidateBy(exchange.response, this.store, { uri: uriOf(head), head });
    }
    forward(exchange, this.#target);
  }

  #pass(exchange: Exchange, stored: StoredResponse | undefined, reason: string): void {
    this.#watcher.answered("bypass");
    exchange.addedFields += `Cache-Status: Turnpike; fwd=${reason}\r\n`;
    if (exchange.head.method === "HEAD" && stored !== undefined) {
      const askedAt = this.now();
      exchange.response = freshenByHead(exchange.response, stored, {
        store: this.store,
        ttl: this.ttl,
        askedAt,
        now: this.now,
      });
    }
    forward(exchange, this.#target);
  }

  #answer(exchange: Exchange, stored: StoredResponse, { conditions }: CacheRequest, fields: Fields): void {
    const { response, head } = exchange;
    const { status, reason, body } = stored;
    if (status === 200 && isUnchanged(conditions, stored.etag, stored.modifiedAt)) {
      response.start(unchanged(fields));
      response.end("");
      return;
    }
    const isHead = head.method === "HEAD";
    if (conditions.range !== undefined && status === 200 && !isHead && rangeApplies(conditions.ifRange, stored)) {
      if (this.#answerRange(exchange, stored, { range: conditions.range, fields })) return;
    }
    response.start({ status, reason, fields, bodyLength: body.length });
    if (isHead || status === 204) response.end("");
    else sendBody(exchange, body, 0, body.length);
  }

  /** False: all of it is to be sent. */
  #answerRange(
    exchange: Exchange,
    { body }: StoredResponse,
    { range, fields }: { range: string; fields: Fields },
  ): boolean {
    const ranges = parseRange(range, body.length);
    if (ranges === "unsatisfiable") {
      this.#target.answerError(exchange, UNSATISFIABLE, `Content-Range: bytes */${body.length}\r\n`);
      return true;
    }
    const [one, ...more] = ranges === "whole" ? [] : ranges;
    if (one === undefined || more.length > 0) return false;
    const { from, to } = one;
    const contentRange = `Content-Range: bytes ${from}-${to - 1}/${body.length}\r\n`;
    exchange.response.start({ status: 206, reason: "", fields: fields + contentRange, bodyLength: to - from });
    sendBody(exchange, body, from, to);
    return true;
  }

  #variantOf(fields: Fields, { acceptEncoding }: CacheRequest): string {
    let variant = acceptEncoding;
    for (const name of this.#vary) variant += `\n${variantValue(name, fieldValue(fields, name))}`;
    return variant;
  }
}

/** The value as it is part of the key: of what is negotiated, capitals and white space mean nothing (RFC 9111 §4.1). */
function variantValue(name: string, value: string | undefined): string {
  if (value === undefined) return "\0";
  return name.startsWith("accept") ? normalised(value) : value;
}

function keyOf({ uri, variant }: Pick<FetchPlan, "uri" | "variant">): string {
  return `${uri}\n${variant}`;
}

function reasonFor(stored: StoredResponse | undefined, hasOthers: boolean): FetchPlan["reason"] {
  if (stored !== undefined) return "stale";
  return hasOthers ? "vary-miss" : "uri-miss";
}

/** RFC 9111 §4.2.4, §5.2.2: what a shared cache must not serve stale, whatever the request says. */
function mayBeStale({ control }: StoredResponse): boolean {
  return !control.mustRevalidate && !control.proxyRevalidate && control.sMaxage === undefined;
}

function validatorsOf({ etag, lastModified }: StoredResponse): Fields {
  const tag = etag === undefined ? "" : `If-None-Match: ${etag}\r\n`;
  return lastModified === undefined ? tag : `${tag}If-Modified-Since: ${lastModified}\r\n`;
}

/** Whether a client that asks by these conditions has the response already (RFC 9110 §13.2.2). */
function isUnchanged(
  { ifNoneMatch, ifModifiedSince }: CacheRequest["conditions"],
  etag: string | undefined,
  modifiedAt: number | undefined,
): boolean {
  if (ifNoneMatch !== undefined) {
    if (ifNoneMatch === "*") return true;
    return etag !== undefined && namesTag(ifNoneMatch, etag.replace(/^W\//, ""), "weak");
  }
  if (ifModifiedSince === undefined || modifiedAt === undefined) return false;
  const since = parseHttpDate(ifModifiedSince);
  return since !== undefined && modifiedAt <= since;
}

function unchanged(fields: Fields): ResponseHead {
  return { status: 304, reason: "", fields: withoutFields(fields, ABOUT_BODY), bodyLength: -1 };
}

/** RFC 9110 §13.1.5: a strong entity tag, or the very date. */
function rangeApplies(ifRange: string | undefined, { etag, lastModified }: StoredResponse): boolean {
  return ifRange === undefined || (ifRange === etag && !etag.startsWith("W/")) || ifRange === lastModified;
}
