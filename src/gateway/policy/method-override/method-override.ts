import { TurnpikeError } from "../../../lib/errors.ts";
import { hasAnyField } from "../../exchange/head-fields.ts";
import { respondWithError } from "../../exchange/local-response.ts";
import { FIELD_ROLES } from "../../../lib/http/field-roles.ts";
import { type Policy } from "../policy.ts";

const REFUSED = new TurnpikeError(
  "bad-request",
  `this route does not accept ${FIELD_ROLES.methodOverride.join(", ")}: send the request with the method itself`,
);

/**
 * Refuses header fields that make an upstream use another method than the request's. Payment, authentication, retries
 * and caching depend on the request's own method.
 */
export function createMethodOverridePolicy(): Policy {
  return {
    name: "method_override",
    guards: true,
    request(exchange) {
      if (!hasAnyField(exchange.head, FIELD_ROLES.methodOverride)) return "continue";
      respondWithError(exchange, REFUSED);
      return "responded";
    },
  };
}
