import { TurnpikeError } from "../../../../lib/errors.ts";
import { fieldLine } from "../../../../lib/http/fields.ts";
import { credentialIn, hasJoinedCredential } from "../../../../payments/mpp/credential-in.ts";
import { type Config } from "../../../config/config.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { appendFields, headValues, removeFields } from "../../../exchange/head-fields.ts";
import { respondWithError } from "../../../exchange/local-response.ts";
import { type Decision, type PolicyFeature } from "../../policy.ts";

const FIELD = "authorization";
const JOINED = new TurnpikeError(
  "invalid-payment",
  "Cannot read Authorization: one field line has several credentials, and RFC 9110 allows one. Send an API key in X-API-Key, beside Authorization with the payment.",
);

/**
 * Provides `x402.mpp`: takes the credential of the `Payment` scheme out of every request before other policies see it.
 * So authentication does not refuse it, and no log and no upstream gets it. Credentials of other schemes stay. A request with a
 * credential that stands behind another one in the same line is refused.
 */
export function provideCredentials({ config }: { readonly config: Config }): PolicyFeature {
  const policy = { name: "payment credential", guards: true, request: takeCredential };
  return { policy: () => (config.x402.mpp === undefined ? undefined : policy) };
}

/** Moves the credential of a request from its fields to the exchange. @internal */
export function takeCredential(exchange: Exchange): Decision {
  const values = headValues(exchange.head, FIELD);
  if (values.some(hasJoinedCredential)) {
    respondWithError(exchange, JOINED);
    return "responded";
  }
  const credentials = values.map(credentialIn);
  if (credentials.every((credential) => credential === undefined)) return "continue";
  const others = values.filter((_value, i) => credentials[i] === undefined);
  const [credential = "", second] = credentials.filter((one) => one !== undefined);
  removeFields(exchange.head, [FIELD]);
  for (const other of others) appendFields(exchange.head, fieldLine(FIELD, other));
  // Two credentials are not valid.
  exchange.paymentCredential = second === undefined ? credential : "";
  return "continue";
}
