import { fieldLine } from "../../../../lib/http/fields.ts";
import { credentialIn } from "../../../../payments/mpp/credential-in.ts";
import { type Config } from "../../../config/config.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { appendFields, headValues, removeFields } from "../../../exchange/head-fields.ts";
import { type PolicyFeature } from "../../policy.ts";

const FIELD = "authorization";

/**
 * Provides `x402.mpp`: takes the credential of the `Payment` scheme out of every request before other policies see it.
 * So authentication does not refuse it, and no log and no upstream gets it. Credentials of other schemes stay.
 */
export function provideCredentials({ config }: { readonly config: Config }): PolicyFeature {
  const policy = { name: "payment credential", guards: true, request: takeCredential };
  return { policy: () => (config.x402.mpp === undefined ? undefined : policy) };
}

/** Moves the credential of a request from its fields to the exchange. @internal */
export function takeCredential(exchange: Exchange): "continue" {
  const values = headValues(exchange.head, FIELD);
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
