import { eachField, type Fields, fieldValues, withoutFields } from "../../../lib/fields.ts";
import { parseHttpDate } from "../../../lib/http-date.ts";
import { type CacheControl, NO_CACHE_CONTROL } from "./cache-control.ts";
import { type CachePolicy, initialAge, lifetimeOf } from "./freshness.ts";
import { directivesOf } from "./targeted-field.ts";

/** Bytes that an entry takes beside its texts and its body. */
const OVERHEAD_BYTES = 512;

/** A response's head as it came, and when. */
export interface ReceivedHead {
  readonly status: number;
  readonly reason: string;
  readonly fields: Fields;
  /** Unix milliseconds. */
  readonly askedAt: number;
  readonly receivedAt: number;
}

/** Which bytes of a response a part is: it begins at `first` of `size`. */
export interface PartPlace {
  readonly first: number;
  readonly size: number;
}

/** Fields that tell of the very bytes that are stored, which a 304 does not change (RFC 9111 §3.2). */
const NOT_UPDATED: readonly string[] = ["content-encoding", "content-length", "content-md5", "content-range", "etag"];

/** A whole response, or one part of it, kept for others; its body never changes, its head does when it is validated. */
export class StoredResponse {
  readonly uri: string;
  /** What tells it from other responses of the same URI. */
  readonly variant: string;
  readonly status: number;
  readonly reason: string;
  readonly body: Uint8Array;
  /** Where its body lies; undefined: it is whole. */
  readonly place: PartPlace | undefined;
  /** Without Age. */
  fields: Fields = "";
  control: CacheControl = NO_CACHE_CONTROL;
  etag: string | undefined;
  lastModified: string | undefined;
  /** Unix milliseconds of Last-Modified; of Date where there is none (RFC 9111 §4.3.2). */
  modifiedAt: number | undefined;
  /** Neighbours in the order of use. */
  newer: StoredResponse | undefined;
  older: StoredResponse | undefined;
  #receivedAt = 0;
  #initialAge = 0;
  #lifetime = 0;
  /** The age that `#agedFields` tells. */
  #agedAt = -1;
  #agedFields: Fields = "";

  constructor(
    key: { readonly uri: string; readonly variant: string; readonly part?: PartPlace },
    head: ReceivedHead,
    body: Uint8Array,
    policy: CachePolicy,
  ) {
    this.uri = key.uri;
    this.variant = key.variant;
    this.place = key.part;
    this.status = head.status;
    this.reason = head.reason;
    this.body = body;
    this.#take(head, policy);
  }

  /** Memory that it takes, in bytes. */
  get bytes(): number {
    return OVERHEAD_BYTES + 2 * (this.uri.length + this.variant.length) + this.fields.length + this.body.length;
  }

  /** Seconds. */
  age(now: number): number {
    return this.#initialAge + Math.max(now - this.#receivedAt, 0) / 1000;
  }

  /** Seconds that it is still fresh; negative once it is stale. */
  freshFor(now: number): number {
    return this.#lifetime - this.age(now);
  }

  /** The fields with Age and Cache-Status, as they are for this second. */
  agedFields(now: number): Fields {
    const age = Math.floor(this.age(now));
    if (age !== this.#agedAt) {
      this.#agedAt = age;
      this.#agedFields = `${this.fields}Age: ${age}\r\nCache-Status: Turnpike; hit; ttl=${Math.floor(this.#lifetime - age)}\r\n`;
    }
    return this.#agedFields;
  }

  /** The server has said that it holds: its head is brought up to date (RFC 9111 §4.3.4). */
  freshen(head: ReceivedHead, policy: CachePolicy): void {
    const update = withoutFields(head.fields, NOT_UPDATED);
    const names = new Set(Array.from(eachField(update), ([name]) => name.toLowerCase()));
    const kept = withoutFields(this.fields, [...names]);
    this.#take({ ...head, status: this.status, fields: kept + update }, policy);
  }

  #take(head: ReceivedHead, policy: CachePolicy): void {
    const { fields, askedAt, receivedAt } = head;
    this.control = directivesOf(fields, policy.targets);
    this.#initialAge = initialAge(fields, askedAt, receivedAt);
    this.#receivedAt = receivedAt;
    this.#lifetime = lifetimeOf({ status: this.status, fields, control: this.control, receivedAt }, policy.ttl);
    this.fields = withoutFields(fields, ["age"]);
    [this.etag] = fieldValues(fields, "etag");
    [this.lastModified] = fieldValues(fields, "last-modified");
    const date = this.lastModified ?? fieldValues(fields, "date")[0];
    this.modifiedAt = date === undefined ? undefined : parseHttpDate(date);
    this.#agedAt = -1;
  }
}
