import { fieldValue, fieldValues } from "../../../lib/http/fields.ts";
import { normalisePath } from "../../../lib/http/url-path.ts";
import { type Exchange, type RequestHead, type ResponseHead, type ResponseSink } from "../../exchange/exchange.ts";
import { ResponseRelay } from "../../exchange/response-relay.ts";
import { uriOf } from "./cache-key.ts";
import { type CachePolicy } from "./freshness.ts";
import { type CacheStore } from "./store.ts";
import { type Stores } from "./stores.ts";
import { type CacheClocks, receivedHead, type StoredResponse } from "./stored-response.ts";

/** Relays a response and inspects its final head. */
class ObservingSink extends ResponseRelay {
  readonly #see: (head: ResponseHead) => void;

  constructor(sink: ResponseSink, see: (head: ResponseHead) => void) {
    super(sink);
    this.#see = see;
  }

  override start(head: ResponseHead): void {
    if (head.status >= 200) this.#see(head);
    this.sink.start(head);
  }
}

/** A successful response to an unsafe method invalidates the stored responses of its URIs on all routes (RFC 9111 §4.4). */
export function invalidateBy(exchange: Exchange, stores: Pick<Stores, "invalidate">): void {
  const { head, response, isUncopied } = exchange;
  // A check of an unpaid request's form changes nothing.
  if (isUncopied === true || head.method === "GET" || head.method === "HEAD" || head.method === "OPTIONS") return;
  const uri = uriOf(head);
  exchange.response = new ObservingSink(response, ({ status, fields }) => {
    if (status >= 400) return;
    stores.invalidate(uri, head.path);
    for (const name of ["location", "content-location"]) {
      for (const value of fieldValues(fields, name)) {
        const other = sameOrigin(value, uri, head);
        if (other !== undefined) stores.invalidate(uriOf(other), other.path);
      }
    }
  });
}

type Named = Pick<RequestHead, "scheme" | "authority" | "path" | "query">;

/** The target that `reference` names, relative to `base`, in the form of cache keys. Undefined if it has another origin. */
function sameOrigin(reference: string, base: string, { scheme, authority }: Named): Named | undefined {
  const url = URL.parse(reference, base);
  const own = URL.parse(base);
  if (url === null || own === null || url.origin !== own.origin) return undefined;
  return { scheme, authority, path: normalisePath(url.pathname) ?? url.pathname, query: url.search };
}

/** The response to a HEAD updates or invalidates the stored response for GET (RFC 9111 §4.3.5). */
export function freshenByHead(
  sink: ResponseSink,
  stored: StoredResponse,
  cache: CacheClocks & {
    readonly store: CacheStore;
    readonly policy: CachePolicy;
  },
): ResponseSink {
  const askedAt = cache.now();
  return new ObservingSink(sink, (head) => {
    if (head.status !== 200) return;
    const { store, policy } = cache;
    if (isOf(stored, head)) store.freshen(stored, receivedHead(head, askedAt, cache), policy);
    else store.remove(stored);
  });
}

function isOf(stored: StoredResponse, { fields, bodyLength }: ResponseHead): boolean {
  const etag = fieldValue(fields, "etag");
  const lastModified = fieldValue(fields, "last-modified");
  return (
    (etag === undefined || etag === stored.etag) &&
    (lastModified === undefined || lastModified === stored.lastModified) &&
    (bodyLength === -1 || bodyLength === stored.body.length)
  );
}
