import { provideFilterPolicies } from "../../filters/filter-policy.ts";
import { provideAuth } from "../../policy/auth/provide-auth.ts";
import { provideBodySchemas } from "../../policy/body-schema/provide-body-schemas.ts";
import { provideCompression } from "../../policy/compression/provide-compression.ts";
import { provideCors } from "../../policy/cors/cors.ts";
import { provideDecidingFields } from "../../policy/deciding-fields/deciding-fields.ts";
import { provideRequestHeaders, provideResponseHeaders } from "../../policy/headers/headers.ts";
import { provideMethodOverride } from "../../policy/method-override/method-override.ts";
import { provideCreditTokens } from "../../policy/payment/credit/provide-credit-token.ts";
import { provideCredentials } from "../../policy/payment/mpp/provide-credential.ts";
import { providePayments } from "../../policy/payment/provide-payments.ts";
import { type PolicyFeature } from "../../policy/policy.ts";
import { provideRateLimits } from "../../policy/rate-limit/provide-rate-limits.ts";
import { provideSecurityHeaders } from "../../policy/security-headers/security-headers.ts";
import { type Provide } from "./holdings.ts";

/**
 * All policies, in the order in which they run; docs/policies.md and docs/architecture.md show it.
 * Response sinks of policies run in the reverse order. A policy that edits every response comes before a policy that
 * responds itself.
 */
export const POLICIES = {
  /** Edits the fields of every response last, whatever made the response. */
  responseHeaders: provideResponseHeaders,
  securityHeaders: provideSecurityHeaders,
  /** Responds to preflights, which carry neither credentials nor payment. */
  cors: provideCors,
  compression: provideCompression,
  /** Refuses fields that would give a request another method than the one that the policies see. */
  methodOverride: provideMethodOverride,
  /** Refuses fields that the upstream could read in another way than the policies. */
  decidingFields: provideDecidingFields,
  /** Takes tokens of prepaid credit, which authentication would refuse. */
  creditToken: provideCreditTokens,
  /** Takes credentials of the `Payment` scheme, as it does with tokens. */
  paymentCredential: provideCredentials,
  /** Identifies the consumer, by which later policies count and charge. */
  auth: provideAuth,
  rateLimit: provideRateLimits,
  /** Before payment: a refused request costs nothing. */
  bodySchema: provideBodySchemas,
  /** Before all work: without payment, no upstream request is made and no response is sent. */
  payment: providePayments,
  /** WebAssembly filters. They may decide which requests pass. They run only for requests that are let in and paid for. */
  filter: provideFilterPolicies,
  /** Sees the request in the form in which it goes to the upstream. */
  requestHeaders: provideRequestHeaders,
} satisfies Readonly<Record<string, Provide<never, PolicyFeature>>>;
