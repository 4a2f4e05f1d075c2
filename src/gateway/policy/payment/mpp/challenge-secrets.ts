import { randomBytes } from "node:crypto";
import { faultOf } from "../../../../lib/caught.ts";
import { isWithin } from "../../../../lib/time/is-within.ts";
import { parseSecrets } from "../../../../payments/settlement/webhooks/webhook-secret.ts";
import { type PaymentIds } from "../../../../store/payment-ids.ts";

/** Milliseconds for which a secret of the store signs. Challenges of the secret before it are still accepted. @bound */
const PERIOD_MS = 86_400_000;
/** Milliseconds after which the store is asked again if it failed. */
const RETRY_MS = 1000;

/** The secrets that bind challenges. All workers and gateways with one configuration and one store have the same. */
export interface ChallengeSecrets {
  /** The first one signs. Empty while the store fails: then no challenge is issued or recognised. */
  readonly all: readonly Uint8Array[];
  /** Undefined if the secrets are at hand. */
  load(): Promise<void> | undefined;
}

/** The secrets of `variable`, or else those of the store. Throws if the variable is not set or a secret is too short. */
export function openSecrets(
  variable: string,
  environment: Readonly<Record<string, string | undefined>>,
  store: StoredSecretsDeps,
): ChallengeSecrets {
  if (variable === "") return new StoredSecrets(store);
  const all = parseSecrets(variable, environment[variable]);
  if (all.length === 0) {
    throw new Error(`Cannot sign challenges of x402.mpp: the environment variable ${variable} is not set`);
  }
  return { all, load: () => undefined };
}

interface StoredSecretsDeps {
  readonly paymentIds: () => PaymentIds;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly log: (message: string) => void;
}

/** A random secret for each day: the first gateway that needs it puts it into the store, and the others find it there. */
class StoredSecrets implements ChallengeSecrets {
  readonly #deps: StoredSecretsDeps;
  #all: readonly Uint8Array[] = [];
  #period = -1;
  #loading: Promise<void> | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: StoredSecretsDeps) {
    this.#deps = deps;
  }

  get all(): readonly Uint8Array[] {
    return this.#all;
  }

  load(): Promise<void> | undefined {
    const now = this.#deps.clock();
    if (Math.floor(now / PERIOD_MS) === this.#period || isWithin(this.#failedAt, RETRY_MS, now)) return undefined;
    return (this.#loading ??= this.#load(now).finally(() => (this.#loading = undefined)));
  }

  async #load(now: number): Promise<void> {
    const period = Math.floor(now / PERIOD_MS);
    try {
      this.#all = await Promise.all([this.#secretOf(period), this.#secretOf(period - 1)]);
      this.#period = period;
    } catch (error) {
      this.#failedAt = now;
      this.#deps.log(`payment: cannot get the secret of challenges from the ledger: ${faultOf(error)}`);
    }
  }

  /** Ids of payments have no colon, and payers are addresses. */
  async #secretOf(period: number): Promise<Uint8Array> {
    const id = { payer: "challenges", id: `secret:${period}` };
    const secret = await this.#deps.paymentIds().tie(id, newSecret(), (period + 2) * PERIOD_MS);
    return Buffer.from(secret, "base64url");
  }
}

function newSecret(random: (bytes: number) => Buffer = randomBytes): string {
  return random(32).toString("base64url");
}
