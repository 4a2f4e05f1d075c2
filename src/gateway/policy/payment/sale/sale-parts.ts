import { type HeldPayment } from "./held-payment.ts";
import { type LostSale } from "./lost-sale.ts";
import { type SaleDelivery } from "./sale-delivery.ts";
import { type SaleFacilitator } from "./sale-facilitator.ts";
import { type SaleEnd, type SaleState } from "./sale-state.ts";

/** The parts of a sale, for its steps in other files. */
export interface SaleParts {
  readonly held: HeldPayment;
  readonly delivery: SaleDelivery;
  readonly facilitator: SaleFacilitator;
  readonly lost: LostSale;
  isFree(status: number, overrides: readonly string[]): boolean;
  /** The client has gone away: releases the payment. */
  leave(): SaleEnd;
  /** The sale has ended, after `streaming`. */
  end(end: SaleEnd): void;
}

/** Continues a sale whose response is paid for as it flows. It ends the lease itself. */
export type MeteredSale = (parts: SaleParts) => Promise<SaleState>;
