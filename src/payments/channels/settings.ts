import { type Account } from "../signatures/signature.ts";
import { parseKey } from "../evm/signers/key.ts";
import { type Environment, readSecret } from "../facilitator/secrets.ts";
import { type PaymentRequirements } from "../x402/messages.ts";

/** The keys of `x402.channels`. Amounts are dollars, or atomic units. */
export interface ChannelKeys {
  readonly authorizer_key_env: string;
  readonly withdraw_delay_s: number;
  readonly deposit_requests: number;
  readonly fresh_s: number;
  readonly wait_ms: number;
  readonly max_risk: string;
  readonly max_total_risk: string;
  readonly claim: {
    readonly charges: number;
    readonly amount: string;
    readonly age_s: number;
    readonly batch: number;
    readonly on_stop: boolean;
  };
  /** The bounds for channels without an authorizer. */
  readonly contracts: { readonly max_risk: string; readonly max_total_risk: string };
  readonly settle_s: number;
}

/** The channels that a seller accepts, and the key that permits claims and refunds. */
export interface ChannelSettings {
  readonly keys: ChannelKeys;
  readonly authorizer: Account;
}

/** Throws if the key is missing or invalid, never with the key. */
export function readChannelSettings(keys: ChannelKeys, environment: Environment): ChannelSettings {
  const path = "x402.channels.authorizer_key_env";
  return { keys, authorizer: parseKey(readSecret(environment, keys.authorizer_key_env, path)) };
}

/** Adds to payment requirements the members that a client's channel has. */
export function withChannelTerms(
  requirements: PaymentRequirements,
  { keys, authorizer }: { readonly keys: ChannelKeys; readonly authorizer: Pick<Account, "address"> },
): PaymentRequirements {
  const extra = {
    ...requirements.extra,
    receiverAuthorizer: authorizer.address,
    withdrawDelay: keys.withdraw_delay_s,
    minDeposit: String(BigInt(requirements.amount) * BigInt(keys.deposit_requests)),
  };
  return { ...requirements, extra };
}
