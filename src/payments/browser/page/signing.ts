import { type PaymentRequired, type PaymentRequirements } from "../../x402/messages.ts";
import { type PageData, type PageNetwork } from "../page-data.ts";

/** The payer cannot or does not want to sign. The text is for the person. Nothing was sent. */
export class NotSigned extends Error {}

/** Seconds that a signed payment is valid at most, even if the gateway asks for more. An `upto` payment can pay for a job. */
const MAX_VALID_S = 600;
const MAX_UPTO_VALID_S = 7_200;

export interface Signing {
  readonly required: PaymentRequired;
  readonly accepted: PaymentRequirements;
  /** The amount with its token, for people. */
  readonly price: string;
  readonly data: PageData;
  readonly network: PageNetwork;
  /** The gateway's clock, in Unix seconds. */
  readonly now: () => number;
  /** Tells the person what the wallet waits for. Throws NotSigned once the person has stopped. */
  readonly tell: (text: string) => void;
  /** Tells the person what comes next, and resolves when they press the button with the text `answer`. */
  readonly confirm: (text: string, answer: string) => Promise<void>;
  /** True once the person has stopped. */
  readonly isStopped: () => boolean;
}

/** The Unix time in seconds at which the payment ends. */
export function expiryOf({ accepted, now }: Signing): number {
  const most = accepted.scheme === "upto" ? MAX_UPTO_VALID_S : MAX_VALID_S;
  return now() + Math.min(accepted.maxTimeoutSeconds, most);
}
