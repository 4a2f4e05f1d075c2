/** Why a token does not pay for a request. */
export type CreditError =
  | "credit_token_unknown"
  | "credit_revoked"
  | "credit_expired"
  | "credit_insufficient"
  | "credit_other_currency"
  | "credit_other_route";
