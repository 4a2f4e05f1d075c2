import { createHmac } from "node:crypto";
import { type Fields, fieldLine } from "../../../../lib/http/fields.ts";
import { parseSecrets } from "../../../../payments/settlement/webhooks/webhook-secret.ts";
import { type PaymentKey } from "../../../../store/ledger.ts";
import { type Config } from "../../../config/config.ts";

type Settings = Config["x402"]["payment_fields"];

/** The parts of a verified payment that its upstream receives. */
export interface ToldPayment extends Pick<PaymentKey, "from" | "network" | "nonce"> {
  /** Address of the token. */
  readonly token: string;
  /** Atomic units. Under `upto` it is the maximum until the payment is settled. */
  readonly amount: string;
  /** Empty before the settlement. */
  readonly transaction: string;
}

/** The request fields that tell an upstream who pays, and how much. */
export class PaymentFields {
  readonly #names: Settings;
  readonly #secrets: readonly Uint8Array[];

  /** Throws if the variable of the secret is not set, or has a secret that is too short. */
  constructor(names: Settings, environment: Readonly<Record<string, string | undefined>>) {
    const { secret_env: variable } = names;
    this.#names = names;
    this.#secrets = variable === "" ? [] : parseSecrets(variable, environment[variable]);
    if (variable !== "" && this.#secrets.length === 0) {
      throw new Error(`Cannot sign x402.payment_fields: the environment variable ${variable} is not set`);
    }
  }

  /** `at`: Unix milliseconds, for the signature. */
  linesOf({ from, amount, token, network, nonce, transaction }: ToldPayment, at: number): Fields {
    const { payer, amount: amountName, asset, network: networkName, payment_id: id, transaction: hash } = this.#names;
    const values = [from, amount, token, network, nonce, transaction];
    const names = [payer, amountName, asset, networkName, id, hash];
    const lines = names.map((name, i) => (name === "" || values[i] === "" ? "" : fieldLine(name, values[i] ?? "")));
    return lines.join("") + this.#signature(values, Math.floor(at / 1000));
  }

  #signature(values: readonly string[], timestamp: number): Fields {
    const signatures = this.#secrets.map(
      (secret) =>
        `v1,${createHmac("sha256", secret)
          .update([timestamp, ...values].join("."))
          .digest("base64")}`,
    );
    if (signatures.length === 0) return "";
    return fieldLine(this.#names.signature, `t=${timestamp} ${signatures.join(" ")}`);
  }
}
