import { strictObject } from "./recorded-schema.ts";
import { optionalEnvironmentName, ours } from "./kinds.ts";

/** `x402.mpp`: the Machine Payments Protocol. */
export const mpp = strictObject({
  secret_env: optionalEnvironmentName
    .default("")
    .describe(
      "Environment variable with the secret of challenges, or several with spaces: the first one signs. Empty: a secret in the ledger.",
    ),
}).meta(ours("Accept the Machine Payments Protocol on priced routes, beside x402."));
