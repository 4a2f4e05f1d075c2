import { type TurnpikeError } from "../../../../lib/errors.ts";
import { readSecret } from "../../../../payments/facilitator/secrets.ts";
import { type Payment } from "../../../../store/ledger.ts";
import { type Config } from "../../../config/config.ts";
import { type FeatureParts } from "../../../features/feature-parts.ts";
import { paymentError } from "../protocol/respond.ts";
import { DeniedPayers } from "./denied-payers.ts";
import { ScreeningHook } from "./screening-hook.ts";

const DENIED = "Payments of this address are not accepted";
const UNSCREENED = paymentError(
  "overloaded",
  "The payer could not be screened; nothing was charged. Send the same payment again.",
);

interface ScreeningParts extends Pick<FeatureParts, "log"> {
  readonly telemetry: Pick<FeatureParts["telemetry"], "counts">;
}

/** Decides which payers may buy. */
export class Screening {
  readonly #denied: DeniedPayers;
  readonly #hook: ScreeningHook | undefined;
  readonly #parts: ScreeningParts;

  constructor(denied: DeniedPayers, hook: ScreeningHook | undefined, parts: ScreeningParts) {
    this.#denied = denied;
    this.#hook = hook;
    this.#parts = parts;
  }

  /** The response to a payment whose payer is on a list. */
  listed({ from }: Payment): TurnpikeError | undefined {
    if (!this.#denied.has(from)) return undefined;
    this.#parts.telemetry.counts.add("payersScreened", 1, "listed");
    return paymentError("forbidden", `${DENIED}: it is on a list of denied payers.`);
  }

  /** The response to a verified payment that the service does not allow. */
  async asked(payment: Payment): Promise<TurnpikeError | undefined> {
    if (payment.from === "") return paymentError("forbidden", `${DENIED}: the facilitator does not say who pays.`);
    const { telemetry, log } = this.#parts;
    const result = await this.#hook?.of(payment);
    if (result !== undefined) telemetry.counts.add("payersScreened", 1, result.kind);
    if (result?.kind === "denied") {
      return paymentError("forbidden", result.reason === "" ? `${DENIED}.` : `${DENIED}: ${result.reason}`);
    }
    if (result?.kind !== "unavailable") return undefined;
    log(`payment: x402.screening.service_url does not tell whether a payer may buy: ${result.cause}`);
    return UNSCREENED;
  }

  close(): void {
    this.#denied.close();
  }
}

/** Opens the screening of `x402.screening`. Undefined without one. Rejects if a list or the token cannot be read. */
export async function openScreening(
  {
    denied_payers: paths,
    service_url: url,
    token_env: variable,
    timeout_ms: timeoutMs,
    cache_s,
  }: Config["x402"]["screening"],
  parts: ScreeningParts & Pick<FeatureParts, "onEvent">,
): Promise<Screening | undefined> {
  if (paths.length === 0 && url === "") return undefined;
  const token = variable === "" ? undefined : readSecret(process.env, variable, "x402.screening.token_env");
  const { log, onEvent } = parts;
  const tell = (message: string): void => {
    log(`payment: ${message}`);
    onEvent({ kind: "payment", message });
  };
  const denied = await DeniedPayers.open(paths, tell);
  const options = { url, token, timeoutMs, keepMs: cache_s * 1000, clock: () => performance.now() };
  const hook = url === "" ? undefined : new ScreeningHook(options);
  return new Screening(denied, hook, parts);
}
