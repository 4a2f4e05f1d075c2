/** Stored parts of responses (206, RFC 9111 §3.3), and the combination of two parts (§3.4). */
import { type TurnpikeError } from "../../../lib/errors.ts";
import { type Fields, fieldValues, withoutFields } from "../../../lib/http/fields.ts";
import { atFinish } from "../../exchange/endings.ts";
import { type Exchange, type ResponseHead } from "../../exchange/exchange.ts";
import { ResponseRelay } from "../../exchange/response-relay.ts";
import { type CacheRequest } from "./cache-request.ts";
import { type CachePolicy, isOfUse, isStorable } from "./freshness.ts";
import { type CacheStore } from "./store.ts";
import {
  type CacheClocks,
  type PartExtent,
  type ReceivedHead,
  receivedHead,
  StoredResponse,
} from "./stored-response.ts";
import { directivesOf } from "./targeted-field.ts";

/** The variant under which a part is stored. No variant of a whole response contains such a line. */
export function partVariant(variant: string): string {
  return `${variant}\n\0part`;
}

/** The request for a part (RFC 9110 §14), and the key of its whole response. `askedAt` is a time of `CacheClocks.now`. */
export interface PartPlan {
  readonly uri: string;
  /** The variant of the whole response. */
  readonly variant: string;
  readonly request: CacheRequest;
  readonly askedAt: number;
  /** The version of the store when the request was sent. */
  readonly version: number;
}

export interface PartHost extends CacheClocks {
  readonly store: CacheStore;
  readonly policy: CachePolicy;
  readonly keyNames: readonly string[];
  readonly maxEntryBytes: number;
}

/** Stores the response of `exchange` if it is one part of a response and may be stored. */
export function recordPart(exchange: Exchange, host: PartHost, plan: PartPlan): void {
  const recorder = new PartRecorder(exchange, host, plan);
  exchange.response = recorder;
  atFinish(exchange, () => recorder.stop());
}

class PartRecorder extends ResponseRelay {
  readonly #host: PartHost;
  readonly #plan: PartPlan;
  #head: ReceivedHead | undefined;
  #extent: PartExtent = { first: 0, size: 0 };
  /** The part, with its announced length. Undefined: it is not stored. */
  #body: Uint8Array | undefined;
  #length = 0;

  constructor(exchange: Exchange, host: PartHost, plan: PartPlan) {
    super(exchange.response);
    this.#host = host;
    this.#plan = plan;
  }

  override start(head: ResponseHead): void {
    if (head.status === 206) this.#begin(head);
    this.sink.start(head);
  }

  #begin(head: ResponseHead): void {
    const { policy, keyNames, maxEntryBytes, store } = this.#host;
    const range = contentRange(head.fields);
    // If the length contradicts the range, the positions of the bytes are unknown.
    if (range === undefined || (head.bodyLength !== -1 && head.bodyLength !== range.length)) return;
    const control = directivesOf(head.fields, policy.targets);
    const received = receivedHead(head, this.#plan.askedAt, this.#host);
    // RFC 9111 §3.3: a part is stored if the whole response could be stored.
    const facts = { ...received, status: 200, control };
    if (!isStorable(facts, this.#plan.request, keyNames) || !isOfUse(facts, policy.ttl)) return;
    if (range.length > maxEntryBytes || !store.reserve(range.length)) return;
    this.#head = received;
    this.#extent = range;
    this.#body = new Uint8Array(range.length);
  }

  override data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    const body = this.#body;
    if (body !== undefined) {
      if (this.#length + end - start > body.length) this.stop();
      else body.set(chunk.subarray(start, end), this.#length);
      this.#length += end - start;
    }
    return this.sink.data(chunk, start, end);
  }

  override end(trailers: Fields): void {
    const body = this.#body;
    const head = this.#head;
    this.stop();
    if (body !== undefined && head !== undefined && this.#length === body.length && trailers === "") {
      keepPart(this.#host, this.#plan, { head, body, extent: this.#extent });
    }
    this.sink.end(trailers);
  }

  override abort(error: TurnpikeError): void {
    this.stop();
    this.sink.abort(error);
  }

  stop(): void {
    if (this.#body === undefined) return;
    this.#host.store.release(this.#body.length);
    this.#body = undefined;
  }
}

interface ReceivedPart {
  readonly head: ReceivedHead;
  readonly body: Uint8Array;
  readonly extent: PartExtent;
}

function keepPart(
  { store, policy, maxEntryBytes }: PartHost,
  { uri, variant, version }: PartPlan,
  received: ReceivedPart,
): void {
  if (store.isOutdated(uri, version)) return;
  const before = store.find(uri, partVariant(variant));
  const { body, extent } = before === undefined ? received : joined(before, received, maxEntryBytes);
  const head = { ...received.head, fields: withoutFields(received.head.fields, ["content-range"]) };
  if (body.length === extent.size) {
    if (before !== undefined) store.remove(before);
    store.put(new StoredResponse({ uri, variant }, { ...head, status: 200, reason: "OK" }, body, policy));
  } else {
    store.put(new StoredResponse({ uri, variant: partVariant(variant), part: extent }, head, body, policy));
  }
}

/** Combines two parts of the same response, by its strong entity tag, if there is no gap between them (RFC 9111 §3.4). */
function joined(
  before: StoredResponse,
  received: ReceivedPart,
  maxBytes: number,
): Pick<ReceivedPart, "body" | "extent"> {
  const { extent, body, head } = received;
  const old = before.extent;
  const [etag] = fieldValues(head.fields, "etag");
  if (old === undefined || etag === undefined || etag.startsWith("W/") || etag !== before.etag) return received;
  const end = extent.first + body.length;
  const oldEnd = old.first + before.body.length;
  if (old.size !== extent.size || extent.first > oldEnd || old.first > end) return received;
  const first = Math.min(old.first, extent.first);
  const length = Math.max(end, oldEnd) - first;
  if (length > maxBytes) return received;
  const both = new Uint8Array(length);
  both.set(before.body, old.first - first);
  both.set(body, extent.first - first);
  return { body: both, extent: { first, size: extent.size } };
}

/** The range of a 206 (RFC 9110 §14.4). Undefined if it is missing, or if the length of the whole is unknown. */
function contentRange(fields: Fields): (PartExtent & { readonly length: number }) | undefined {
  const [value = "", ...more] = fieldValues(fields, "content-range");
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/i.exec(value);
  if (match === null || more.length > 0) return undefined;
  const [first = 0, last = 0, size = 0] = match.slice(1).map(Number);
  return first <= last && last < size ? { first, size, length: last + 1 - first } : undefined;
}
