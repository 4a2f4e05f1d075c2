import { hexToBytes } from "@noble/hashes/utils.js";
import { readSecret, type Environment } from "../../../../payments/facilitator/secrets.ts";
import {
  OFFER_RECEIPT,
  type Signed,
  signStatement,
  type StatementKey,
} from "../../../../payments/signatures/offer-receipt.ts";
import { type PaymentRequired, type PaymentRequirements, type Receipt } from "../../../../payments/x402/messages.ts";
import { NewestMap } from "../../../../lib/memory/newest-map.ts";
import { isWithin } from "../../../../lib/time/is-within.ts";
import { type Config } from "../../../config/config.ts";

/** Signed offers that are kept. @bound */
const MAX_KEPT = 1000;
/** Offers that a worker signs in a second: clients choose the URLs. Beyond it challenges have no offers. */
const MAX_PER_SECOND = 100;
const SECOND_MS = 1000;

interface KeptSignature {
  readonly item: Signed;
  /** Unix milliseconds. */
  readonly signedAt: number;
}

/** Signs what challenges offer and what was paid, by x402's extension `offer-receipt`. */
export class TermsSigner {
  readonly #key: StatementKey;
  readonly #settings: Config["x402"]["signed_receipts"];
  readonly #clock: () => number;
  readonly #kept = new NewestMap<string, KeptSignature>(MAX_KEPT);
  #budget: { readonly second: number; left: number } | undefined;

  /** `clock` gives Unix milliseconds. */
  constructor(key: StatementKey, settings: Config["x402"]["signed_receipts"], clock: () => number) {
    this.#key = key;
    this.#settings = settings;
    this.#clock = clock;
  }

  /** The challenge with its offers; undefined if too many were signed in this second. */
  offering(required: PaymentRequired): PaymentRequired | undefined {
    const offers = required.accepts.map((requirements, i) => this.#offer(required.resource.url, requirements, i));
    if (offers.includes(undefined)) return undefined;
    return { ...required, extensions: { ...required.extensions, [OFFER_RECEIPT]: { info: { offers } } } };
  }

  /** The receipt with its signature, for the resource at `url`. */
  receipt(receipt: Receipt, url: string): Receipt {
    const item = signStatement(
      {
        version: 1,
        network: receipt.network,
        resourceUrl: url,
        payer: receipt.payer ?? "",
        issuedAt: Math.floor(this.#clock() / SECOND_MS),
        transaction: this.#settings.transaction ? receipt.transaction : "",
      },
      this.#key,
    );
    return { ...receipt, extensions: { [OFFER_RECEIPT]: { info: { receipt: item } } } };
  }

  #offer(url: string, requirements: PaymentRequirements, acceptIndex: number): object | undefined {
    const { scheme, network, asset, payTo, amount, maxTimeoutSeconds } = requirements;
    const name = JSON.stringify([url, scheme, network, asset, payTo, amount, maxTimeoutSeconds]);
    const now = this.#clock();
    let kept = this.#kept.get(name);
    // A client has at least half of the time.
    if (kept === undefined || !isWithin(kept.signedAt, (maxTimeoutSeconds * SECOND_MS) / 2, now)) {
      const second = Math.floor(now / SECOND_MS);
      if (!this.#mayWork(second)) return undefined;
      const validUntil = second + maxTimeoutSeconds;
      const offer = { version: 1, resourceUrl: url, scheme, network, asset, payTo, amount, validUntil } as const;
      kept = { item: signStatement(offer, this.#key), signedAt: second * SECOND_MS };
      this.#kept.set(name, kept);
    }
    return { ...kept.item, acceptIndex };
  }

  #mayWork(second: number): boolean {
    if (this.#budget?.second !== second) this.#budget = { second, left: MAX_PER_SECOND };
    return this.#budget.left-- > 0;
  }
}

/** The key of `x402.signed_receipts`. Throws if the key is missing or invalid. */
export function readStatementKey(
  { key_env: name, format, algorithm, kid }: Config["x402"]["signed_receipts"],
  environment: Environment,
): StatementKey {
  const digits = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(readSecret(environment, name, "x402.signed_receipts.key_env"))?.[1];
  if (digits === undefined) throw new Error("Cannot use x402.signed_receipts.key_env: the key is not 32 bytes of hex");
  return { format, algorithm, kid, privateKey: hexToBytes(digits) };
}
