import { type TurnpikeError } from "../../../lib/errors.ts";
import { type Fields, fieldLine } from "../../../lib/fields.ts";
import { type Exchange, type RequestHead } from "../../exchange.ts";

/** The header by which upstreams learn who was let in. The codecs drop it from all requests: nobody can forge it. */
export const CONSUMER_HEADER = "X-Consumer-Name";
/** Bytes of a consumer's name: it is a key of limits, counters and logs. @internal */
export const MAX_CONSUMER_BYTES = 256;
/** Bytes of a token or key that is looked at; common servers allow whole heads of that size. */
export const MAX_CREDENTIAL_BYTES = 8192;

/** Who was let in, and what the upstream is told of it. */
export interface Admitted {
  readonly kind: "admitted";
  readonly by: Method;
  /** Empty: let in without a name. */
  readonly consumer: string;
  /** Lines that the upstream gets beside the client's own. */
  readonly fields: Fields;
}

/** The response of a service that decides, passed on to the client. */
export interface PassedResponse {
  readonly status: number;
  readonly fields: Fields;
  readonly body: Uint8Array;
}

export interface Refused {
  readonly kind: "refused";
  readonly error: TurnpikeError;
  /** Values of WWW-Authenticate: how this method would be satisfied. */
  readonly challenges: readonly string[];
  readonly response?: PassedResponse;
}

export type Outcome = Admitted | Refused;

/** One way to be let in: it looks at a request and changes nothing of it, so that a chain has nothing to undo. */
export interface Method {
  readonly type: string;
  /** Who is let in depends on the fields and the query alone, and stays the same as long as the method is used. */
  readonly isLasting?: boolean;
  check(exchange: Exchange): Outcome | Promise<Outcome>;
  /** Takes out of the head what was meant for this method alone, once it has let the request in or nobody has. */
  take(head: RequestHead): void;
  close(): void;
}

/** A value as it may stand in a field line: UTF-8 as bytes. Undefined where it cannot: control characters, spaces at its ends, nothing at all. */
export function fieldText(value: string): string | undefined {
  if (/[\u0000-\u001f\u007f]|^ | $|^$/.test(value)) return undefined;
  return /^[\u0020-\u007e]*$/.test(value) ? value : Buffer.from(value.toWellFormed()).toString("latin1");
}

/** The line that tells upstreams the name; empty for no name, undefined for one that cannot be told. */
export function consumerLine(name: string): Fields | undefined {
  if (name === "") return "";
  const text = fieldText(name);
  return text === undefined || text.length > MAX_CONSUMER_BYTES ? undefined : fieldLine(CONSUMER_HEADER, text);
}
