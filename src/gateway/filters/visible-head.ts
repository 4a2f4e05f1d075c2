import { type Fields, withoutFields } from "../../lib/fields.ts";
import { type RequestHead } from "../exchange.ts";
import { type Auth, credentialNames, keyParameters } from "../policy/auth/create-method.ts";
import { QueryParameter } from "../policy/auth/query-parameter.ts";

/** Of the connection to a proxy, and so of the gateway, whatever the route asks for. */
const ALWAYS_HIDDEN = ["proxy-authorization"];

/** What a filter sees of the head of a request. */
export interface VisibleHead {
  readonly visibleFields: (head: RequestHead) => Fields;
  /** Empty, or with its `?`. */
  readonly visibleQuery: (head: RequestHead) => string;
}

/**
 * Hides from filters what the authentication of their route reads: in a chain it may still be there, when another method has let
 * the request in. On a route without authentication a filter sees Authorization, since it may be the authentication. Payments are
 * in no fields.
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
