import { type ChannelFacilitator } from "../x402/channel-facilitator.ts";
import { type Facilitator } from "../x402/facilitator.ts";

export const OPERATIONS = ["verify", "settle", "find", "supported"] as const;
/** The outcomes of a call. `ok`: valid, settled, or known. */
export const OUTCOMES = ["ok", "refused", "unavailable", "failed", "unknown"] as const;

export type Operation = (typeof OPERATIONS)[number];
/** The name of an outcome, as in metrics. */
export type OperationOutcome = (typeof OUTCOMES)[number];

/** The index of a facilitator in `x402.facilitators`, or `other`: the values of a label. */
export const FACILITATOR_PLACES = [0, 1, 2, 3, 4, 5, 6, 7, "other"] as const;

export type FacilitatorPlace = (typeof FACILITATOR_PLACES)[number];

export interface FacilitatorObserver {
  asked(operation: Operation, outcome: OperationOutcome): void;
  /** The circuit breaker of the facilitator of this name has opened or closed. */
  breakerChanged(isOpen: boolean, facilitator: { readonly name: string; readonly place: FacilitatorPlace }): void;
}

/** Wraps a facilitator so that its calls are counted. */
export function observe(facilitator: Facilitator, observer: FacilitatorObserver): Facilitator {
  return {
    async supported() {
      try {
        const kinds = await facilitator.supported();
        observer.asked("supported", "ok");
        return kinds;
      } catch (error) {
        observer.asked("supported", "failed");
        throw error;
      }
    },
    async verify(payment, requirements) {
      const verification = await facilitator.verify(payment, requirements);
      observer.asked("verify", verification.kind === "valid" ? "ok" : verification.kind);
      return verification;
    },
    async settle(payment, requirements) {
      const settlement = await facilitator.settle(payment, requirements);
      observer.asked("settle", settlement.kind === "settled" ? "ok" : settlement.kind);
      return settlement;
    },
    async find(payment, requirements) {
      const outcome = await facilitator.find(payment, requirements);
      observer.asked("find", outcome.kind === "unknown" ? "unknown" : "ok");
      return outcome;
    },
    channels: facilitator.channels && observeChannels(facilitator.channels, observer),
    close: () => facilitator.close(),
  };
}

function observeChannels(channels: ChannelFacilitator, observer: FacilitatorObserver): ChannelFacilitator {
  return {
    async verify(payment, requirements) {
      const verification = await channels.verify(payment, requirements);
      observer.asked("verify", verification.kind === "valid" ? "ok" : verification.kind);
      return verification;
    },
    async settle(order, requirements) {
      const settlement = await channels.settle(order, requirements);
      observer.asked("settle", settlement.kind === "settled" ? "ok" : settlement.kind);
      return settlement;
    },
  };
}
