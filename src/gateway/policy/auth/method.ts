import { isPlainName } from "../../../lib/text/visible-text.ts";
import { type TurnpikeError } from "../../../lib/errors.ts";
import { type Fields, fieldLine } from "../../../lib/http/fields.ts";
import { type RouteConfig } from "../../config/config.ts";
import { type Exchange, type RequestHead } from "../../exchange/exchange.ts";
import { type ServiceResponse } from "./question.ts";

/** The header with the consumer's name for upstreams. Codecs remove it from requests: no client can forge it. */
export const CONSUMER_HEADER = "X-Consumer-Name";
/** Maximum bytes of a consumer's name, a key of limits, counters and logs. Longer ones are refused. @internal */
export const MAX_CONSUMER_BYTES = 256;
/** Maximum bytes of a token or key. A longer one is refused unread. Common servers allow whole heads of this size. */
export const MAX_CREDENTIAL_BYTES = 8192;

/** An admitted client, and the fields that describe it to the upstream. */
export interface Admitted {
  readonly kind: "admitted";
  readonly by: Method;
  /** Empty: admitted without a name. */
  readonly consumer: string;
  /** Lines that are added to the client's own in the upstream request. */
  readonly fields: Fields;
}

/** A client that a method does not admit, with the error that it receives. */
export interface Refused {
  readonly kind: "refused";
  readonly error: TurnpikeError;
  /** Values of WWW-Authenticate: the credentials that this method accepts. */
  readonly challenges: readonly string[];
  readonly response?: ServiceResponse;
}

export type Outcome = Admitted | Refused;

/** The keys of a method in `routes[].auth`. */
export type MethodConfig<T extends RouteConfig["auth"]["type"]> = Omit<
  Extract<RouteConfig["auth"], { type: T }>,
  "type"
>;

/** One way to authenticate a request. It changes nothing of it, so that a chain has nothing to undo. */
export interface Method {
  readonly type: string;
  check(exchange: Exchange): Outcome | Promise<Outcome>;
  /**
   * Removes from the head the credentials that are only for this method. Called after the method has admitted the
   * request, or after all methods have refused it.
   */
  take(head: RequestHead): void;
  close(): void;
}

/** The value as in a field line, a UTF-8 byte a character. Undefined if empty, or with controls or outer spaces. */
export function fieldText(value: string): string | undefined {
  if (/[\u0000-\u001f\u007f]|^ | $|^$/.test(value)) return undefined;
  return /^[\u0020-\u007e]*$/.test(value) ? value : Buffer.from(value.toWellFormed()).toString("latin1");
}

/**
 * The line that has the consumer's name for upstreams. Empty if there is no name, undefined if the name cannot be a
 * field value, or could look like another name.
 */
export function consumerLine(name: string): Fields | undefined {
  if (name === "") return "";
  const text = isPlainName(name) ? fieldText(name) : undefined;
  return text === undefined || text.length > MAX_CONSUMER_BYTES ? undefined : fieldLine(CONSUMER_HEADER, text);
}
