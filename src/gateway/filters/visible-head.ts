import { type Fields, withoutFields } from "../../lib/http/fields.ts";
import { type RequestHead } from "../exchange/exchange.ts";
import { type Auth, credentialNames, keyParameters } from "../policy/auth/create-method.ts";
import { QueryParameter } from "../policy/auth/query-parameter.ts";

/** This field is for the connection to a proxy, so for the gateway itself, whatever the route's authentication. */
const ALWAYS_HIDDEN = ["proxy-authorization"];

/** The parts of a request's head that a filter sees. */
export interface VisibleHead {
  readonly visibleFields: (head: RequestHead) => Fields;
  /** Empty, or with its `?`. */
  readonly visibleQuery: (head: RequestHead) => string;
}

/**
 * Hides from filters the credentials that their route's authentication reads. In a chain they can still be present when
 * another method has accepted the request. On a route without authentication a filter sees Authorization, because the
 * filter can be the authentication. Payments are never in the fields.
 */
export function visibleHead(auth: Auth): VisibleHead {
  const hidden = [...new Set([...ALWAYS_HIDDEN, ...credentialNames(auth)])];
  const parameters = keyParameters(auth)
    .filter((name) => name !== "")
    .map((name) => new QueryParameter(name));
  return {
    visibleFields: ({ fields }) => withoutFields(fields, hidden),
    visibleQuery: ({ query }) => parameters.reduce((rest, parameter) => parameter.without(rest), query),
  };
}
