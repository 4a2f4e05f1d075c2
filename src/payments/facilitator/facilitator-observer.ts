import { type Facilitator } from "./facilitator.ts";

/** What is asked of a facilitator. */
export const OPERATIONS = ["verify", "settle", "find", "supported"] as const;
/** How that ends. `ok`: valid, settled, or known. */
export const OUTCOMES = ["ok", "refused", "unavailable", "failed", "unknown"] as const;

export type Operation = (typeof OPERATIONS)[number];
export type OperationOutcome = (typeof OUTCOMES)[number];

/** Counts what facilitators are asked, and what comes of it. */
export interface FacilitatorObserver {
  asked(operation: Operation, outcome: OperationOutcome): void;
  /** One facilitator's breaker has opened, or closed again. */
  breakerChanged(isOpen: boolean): void;
}

/** The same facilitator, whose calls are counted. */
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
    close: () => facilitator.close(),
  };
}
