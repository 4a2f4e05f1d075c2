import { type Config } from "../../../config/config.ts";
import { type Actor } from "../../../telemetry/event.ts";
import type * as Desks from "./refund-desk.ts";

/** Loaded when refunds can be sent, or are asked for (bench start). */
const desks = (): typeof Desks => require("./refund-desk.ts");

/** The refunds of a gateway. Most gateways need no module for them. */
export class OptionalRefunds {
  readonly #deps: Desks.RefundDeskDeps;
  #config: Config;
  #desk: Desks.RefundDesk | undefined;

  constructor(config: Config, deps: Desks.RefundDeskDeps) {
    this.#deps = deps;
    this.#config = config;
    this.use(config);
  }

  use(config: Config): void {
    this.#config = config;
    const { x402, routes } = config;
    const hasKey = x402.refunds.key_envs.length > 0 || x402.embedded.enabled;
    const isPaid = x402.credit !== undefined || routes.some((route) => route.x402 !== undefined);
    const sends = x402.enabled && hasKey && isPaid;
    if (this.#desk === undefined && !sends) return;
    this.#desk ??= new (desks().RefundDesk)(config, this.#deps);
    this.#desk.use(config, sends);
  }

  refund(request: Desks.RefundRequest, by: Actor): Promise<Desks.TokenRefund> {
    return this.#opened().refund(request, by);
  }

  refundCredit(request: Desks.CreditRefundRequest, by: Actor): Promise<readonly Desks.TokenRefund[]> {
    return this.#opened().refundCredit(request, by);
  }

  #opened(): Desks.RefundDesk {
    return (this.#desk ??= new (desks().RefundDesk)(this.#config, this.#deps));
  }

  /** Sends nothing more. Resolves when the store may be closed. */
  async close(): Promise<void> {
    await this.#desk?.close();
  }
}
