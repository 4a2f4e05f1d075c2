import { type Fields, fieldValue, withoutFields } from "../../../lib/http/fields.ts";
import { type Exchange, type ResponseHead } from "../../exchange/exchange.ts";
import { type Coding } from "./codings.ts";
import { hasWeakForm, weakened } from "./entity-tags.ts";
import { type Slots } from "./slots.ts";

const VARY = "Vary: Accept-Encoding\r\n";

/** The decision for a response. Without `coding` its body stays as it is. */
export interface Decided {
  readonly fields: Fields;
  readonly coding: Coding | undefined;
}

export interface RouteRules {
  readonly minBytes: number;
  readonly matches: (contentType: string) => boolean;
  readonly slots: Slots;
}

/** Decides how the response to one request is sent. */
export class Plan {
  readonly #rules: RouteRules;
  readonly #coding: Coding | undefined;
  readonly #requestFields: Fields;

  constructor(rules: RouteRules, coding: Coding | undefined, requestFields: Fields) {
    this.#rules = rules;
    this.#coding = coding;
    this.#requestFields = requestFields;
  }

  get slots(): Slots {
    return this.#rules.slots;
  }

  /** Takes a slot if it decides for a coding, except for HEAD. */
  decide(exchange: Exchange, head: ResponseHead): Decided {
    const { fields, status } = head;
    if (status === 304) return { fields: this.#notModified(fields), coding: undefined };
    if (!this.#isCompressible(head)) return { fields, coding: undefined };
    const varied = withVary(fields);
    // A range is one of the uncompressed bytes, with the fields of the whole response (RFC 9110 §15.3.7).
    const coding = exchange.gone || status === 206 ? undefined : this.#coding;
    if (coding === undefined || (exchange.head.method !== "HEAD" && !this.slots.take())) {
      return { fields: varied, coding: undefined };
    }
    const plain = withoutFields(varied, ["content-encoding"]);
    return { fields: `${weakened(plain)}Content-Encoding: ${coding}\r\n`, coding };
  }

  /** True for a response that is compressed if its client accepts a coding, and for a range of one. */
  #isCompressible({ status, fields, bodyLength }: ResponseHead): boolean {
    const isRange = status === 206;
    if (status < 200 || status === 204 || status === 205) return false;
    if (bodyLength !== -1 && bodyLength < this.#rules.minBytes && !isRange) return false;
    const type = fieldValue(fields, "content-type");
    if (type === undefined || !this.#rules.matches(type) || /^application\/grpc/i.test(type)) return false;
    const encoding = fieldValue(fields, "content-encoding");
    if (encoding !== undefined && encoding.toLowerCase() !== "identity") return false;
    return (isRange || fieldValue(fields, "content-range") === undefined) && !forbidsTransforms(fields);
  }

  /** A client that asks with the weak form has a response compressed by the gateway: the 304 has the weak tag. */
  #notModified(fields: Fields): Fields {
    const tag = fieldValue(fields, "etag");
    if (tag === undefined || !tag.startsWith('"') || !hasWeakForm(this.#requestFields, tag)) return fields;
    return withVary(weakened(fields));
  }
}

/** True for a request or a response with `no-transform` (RFC 9111 §5.2.1.6 and §5.2.2.6). */
export function forbidsTransforms(fields: Fields): boolean {
  const control = fieldValue(fields, "cache-control");
  return control !== undefined && /(?:^|,)[\t ]*no-transform[\t ]*(?:,|$)/i.test(control);
}

/** Adds Accept-Encoding to Vary, unless it is there. */
function withVary(fields: Fields): Fields {
  const vary = fieldValue(fields, "vary");
  if (vary !== undefined && /(?:^|,)[\t ]*(?:accept-encoding|\*)[\t ]*(?:,|$)/i.test(vary)) return fields;
  return fields + VARY;
}

/** True for a stream of events or lines: the client needs each piece at once. */
export function isLive({ fields, bodyLength }: ResponseHead): boolean {
  const type = fieldValue(fields, "content-type") ?? "";
  return bodyLength === -1 && /^(?:text\/event-stream|application\/(?:x-)?nd-?json|application\/jsonl)\b/i.test(type);
}
