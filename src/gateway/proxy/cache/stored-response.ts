import { eachField, type Fields, fieldValues, withoutFields } from "../../../lib/http/fields.ts";
import { parseHttpDate } from "../../../lib/http/http-date.ts";
import { type ResponseHead } from "../../exchange/exchange.ts";
import { changedHead } from "../../exchange/exchange-state.ts";
import { type CacheControl, NO_CACHE_CONTROL } from "./cache-control.ts";
import { type CachePolicy, initialAge, lifetimeOf } from "./freshness.ts";
import { directivesOf } from "./targeted-field.ts";

/** Bytes of memory that an entry takes in addition to its texts and its body. */
const OVERHEAD_BYTES = 512;

export interface CacheClocks {
  /** Monotonic milliseconds. Ages count by it. */
  readonly now: () => number;
  /** Unix milliseconds, to compare with the dates in responses. */
  readonly date: () => number;
}

/** The head of a response, with the times of request and response. */
export interface ReceivedHead {
  readonly status: number;
  readonly reason: string;
  readonly fields: Fields;
  /** Monotonic milliseconds. */
  readonly askedAt: number;
  readonly receivedAt: number;
  /** Unix milliseconds of the receipt. */
  readonly date: number;
}

/** The head of a response that arrives now. `askedAt` is a time of `now`. */
export function receivedHead(head: ResponseHead, askedAt: number, { now, date }: CacheClocks): ReceivedHead {
  return { ...changedHead(head, {}), askedAt, receivedAt: now(), date: date() };
}

/** The position of a part: it begins at byte `first` of `size` bytes. */
export interface PartExtent {
  readonly first: number;
  readonly size: number;
}

/** Fields that describe the stored bytes and that a 304 does not change (RFC 9111 §3.2). */
const NOT_UPDATED: readonly string[] = ["content-encoding", "content-length", "content-md5", "content-range", "etag"];

/** A stored response, or one part of it. Its body never changes; validation updates its head. */
export class StoredResponse {
  readonly uri: string;
  /** Distinguishes the response from others of the same URI. */
  readonly variant: string;
  readonly status: number;
  readonly reason: string;
  readonly body: Uint8Array;
  /** The position of the part. Undefined: the body is whole. */
  readonly extent: PartExtent | undefined;
  /** Without Age. */
  fields: Fields = "";
  control: CacheControl = NO_CACHE_CONTROL;
  etag: string | undefined;
  lastModified: string | undefined;
  /** Unix milliseconds of Last-Modified, else of Date (RFC 9111 §4.3.2). */
  modifiedAt: number | undefined;
  /** Neighbours in the order of use. */
  newer: StoredResponse | undefined;
  older: StoredResponse | undefined;
  #receivedAt = 0;
  #initialAge = 0;
  #lifetime = 0;
  /** The age in `#agedFields`; not a number before the first. */
  #agedAt = Number.NaN;
  #agedFields: Fields = "";

  constructor(
    key: { readonly uri: string; readonly variant: string; readonly part?: PartExtent },
    head: ReceivedHead,
    body: Uint8Array,
    policy: CachePolicy,
  ) {
    this.uri = key.uri;
    this.variant = key.variant;
    this.extent = key.part;
    this.status = head.status;
    this.reason = head.reason;
    this.body = body;
    this.#take(head, policy);
  }

  /** Bytes of memory that the response takes. */
  get bytes(): number {
    return OVERHEAD_BYTES + 2 * (this.uri.length + this.variant.length) + this.fields.length + this.body.length;
  }

  /** Age in seconds. */
  age(now: number): number {
    return this.#initialAge + (now - this.#receivedAt) / 1000;
  }

  /** Seconds of remaining freshness; negative if the response is stale. */
  freshFor(now: number): number {
    return this.#lifetime - this.age(now);
  }

  /** The fields with Age and Cache-Status for the current second. */
  agedFields(now: number): Fields {
    const age = Math.floor(this.age(now));
    if (age !== this.#agedAt) {
      this.#agedAt = age;
      this.#agedFields = `${this.fields}Age: ${age}\r\nCache-Status: Turnpike; hit; ttl=${Math.floor(this.#lifetime - age)}\r\n`;
    }
    return this.#agedFields;
  }

  /** Updates the head after the server has validated the response (RFC 9111 §4.3.4). */
  freshen(head: ReceivedHead, policy: CachePolicy): void {
    const update = withoutFields(head.fields, NOT_UPDATED);
    const names = new Set(Array.from(eachField(update), ([name]) => name.toLowerCase()));
    const kept = withoutFields(this.fields, [...names]);
    this.#take({ ...head, status: this.status, fields: kept + update }, policy);
  }

  #take(head: ReceivedHead, policy: CachePolicy): void {
    const { fields, askedAt, receivedAt, date: arrived } = head;
    this.control = directivesOf(fields, policy.targets);
    this.#initialAge = initialAge(fields, receivedAt - askedAt, arrived);
    this.#receivedAt = receivedAt;
    this.#lifetime = lifetimeOf({ status: this.status, fields, control: this.control, date: arrived }, policy.ttl);
    this.fields = withoutFields(fields, ["age"]);
    [this.etag] = fieldValues(fields, "etag");
    [this.lastModified] = fieldValues(fields, "last-modified");
    const date = this.lastModified ?? fieldValues(fields, "date")[0];
    this.modifiedAt = date === undefined ? undefined : parseHttpDate(date);
    this.#agedAt = Number.NaN;
  }
}
