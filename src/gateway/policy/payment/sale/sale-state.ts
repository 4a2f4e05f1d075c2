import { type Fields } from "../../../../lib/http/fields.ts";
import { type Payment } from "../../../../store/ledger.ts";
import { type FunnelLoss } from "../../../telemetry/metrics/funnel-steps.ts";
import { type BufferedResponse } from "../responses/buffered-response.ts";
import { type PaidResponse } from "../responses/response-store.ts";

/**
 * The state of a sale, with the data that exist in this state only. It begins at `reserved`, `unknown` or `owed`, by the
 * state of the leased payment. `owed`: the payment is settled, or charged later, and its response is not delivered.
 * docs/architecture.md shows the same states with their work and the responses.
 *
 *   reserved ── valid ──▶ verified ─┬─ settle: after ──▶ holding ── complete ─▶ complete ─┬─ paid ───▶ delivering
 *                                   │                                                    ├─ later ──▶ deferring
 *                                   │                                                    └─ unpaid ─▶ priced
 *                                   └─ settle: before ─▶ priced.
 *   deferring ─▶ delivering.
 *   priced ── recorded ─▶ settling ─┬─ settled, with a response ─▶ delivering
 *                                   └─ settled, without ─────────▶ owed.
 *   unknown ── found, or settled again ─▶ owed.
 *   owed ─┬─ a response is kept ─▶ delivering
 *         ├─ settle: before ─────▶ streaming ── taken, cut off ─▶ over
 *         └─ settle: after ──────▶ holding
 *   delivering ─▶ over
 *
 * A response that is paid for as it flows goes from `verified` or `owed` to `streaming`. Each other result of a step leads
 * to `over`: the client has a response, the ledger has the result, and the sale is counted once by its `end`. A delivery
 * is counted later: when the client has the response.
 */
export type SaleState =
  | { readonly at: "reserved" }
  | { readonly at: "verified" }
  /** The result of an earlier settlement is not known. */
  | { readonly at: "unknown" }
  | ({ readonly at: "priced" } & Charge)
  /** The facilitator transfers the money. */
  | ({ readonly at: "settling" } & Charge)
  | { readonly at: "owed" }
  /** The upstream works; its response waits until it is complete and paid for. */
  | { readonly at: "holding"; readonly held: BufferedResponse }
  | { readonly at: "complete"; readonly sold: SoldResponse; readonly claims: Claims }
  /** The upstream works on, and is to be asked at this path what is due. */
  | { readonly at: "deferring"; readonly sold: SoldResponse; readonly path: string }
  /** The upstream works for a settled payment; its response goes to the client as it arrives. */
  | { readonly at: "streaming"; readonly streamed: Streaming }
  | {
      readonly at: "delivering";
      readonly response: PaidResponse;
      readonly isNew: boolean;
      readonly kept: Promise<void>;
    }
  | SaleEnd;

/** A response that is passed on as it arrives. */
export interface Streaming {
  /** The client went away. */
  leave(): void;
}

/** `end`: what the sale counts as; undefined for a delivery. */
export interface SaleEnd {
  readonly at: "over";
  readonly end: FunnelLoss | "free" | undefined;
}

/** The states that the gateway leaves by itself. In the others it waits for the upstream or the client, or has ended. */
export type SaleStep = Exclude<SaleState, { readonly at: "holding" | "streaming" | "over" }>;

/** The amount that is charged, in atomic units, and the response that it pays for, if the upstream has worked already. */
export interface Charge {
  readonly amount: string;
  readonly sold: SoldResponse | undefined;
}

/** The fields of the upstream's response about its charge: the values of Settlement-Overrides and Settlement-Deferral. */
export interface Claims {
  readonly overrides: readonly string[];
  readonly deferral: readonly string[];
}

/** A complete response of the upstream that is sold. */
export interface SoldResponse {
  readonly response: PaidResponse;
  /** Fields that were added to the exchange on the way to this response. No refusal has them. */
  readonly addedFields: Fields;
}

/** The first state of a sale that has acquired a payment. */
export function beginOf({ state }: Pick<Payment, "state">): SaleState {
  if (state === "unknown") return { at: "unknown" };
  return state === "settled" || state === "deferred" ? { at: "owed" } : { at: "reserved" };
}

/** True if the payment may be settled although the ledger does not say so yet. */
export function mayBeSettled({ at }: SaleState): boolean {
  return at === "settling" || at === "unknown";
}

/** The last state of a sale. */
export function over(end?: FunnelLoss | "free"): SaleEnd {
  return { at: "over", end };
}
