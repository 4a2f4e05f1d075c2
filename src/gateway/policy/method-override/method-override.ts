import { TurnpikeError } from "../../../lib/errors.ts";
import { LineSearch } from "../../../lib/fields.ts";
import { answerError } from "../../answer.ts";
import { METHOD_OVERRIDES } from "../../config/own-fields.ts";
import { type Policy } from "../policy.ts";

const REFUSED = new TurnpikeError(
  "bad-request",
  `this route takes no ${METHOD_OVERRIDES.join(", ")}: send the request with the method itself`,
);

const OVERRIDES = new LineSearch(METHOD_OVERRIDES);

/**
 * Refuses fields by which an upstream takes another method than the request's: what is sold, guarded, retried and stored
 * goes by the request's own.
 */
export function createMethodOverridePolicy(): Policy {
  return {
    name: "method_override",
    guards: true,
    request(exchange) {
      if (!OVERRIDES.finds(exchange.head.fields)) return "continue";
      answerError(exchange, REFUSED);
      return "answered";
    },
    close() {},
  };
}
