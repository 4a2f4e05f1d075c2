import { type ChannelVerification } from "../x402/channel-facilitator.ts";
import { type Facilitator, type Outcome, type Settlement, type Verification } from "../x402/facilitator.ts";

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
  const verified = (kind: (Verification | ChannelVerification)["kind"]): void =>
    observer.asked("verify", kind === "valid" ? "ok" : kind === "early" ? "refused" : kind);
  const settled = (kind: Settlement["kind"]): void => observer.asked("settle", kind === "settled" ? "ok" : kind);
  const found = (kind: Outcome["kind"]): void => observer.asked("find", kind === "unknown" ? "unknown" : "ok");
  const { channels } = facilitator;
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
    verify: counted(facilitator.verify.bind(facilitator), verified),
    settle: counted(facilitator.settle.bind(facilitator), settled),
    find: counted(facilitator.find.bind(facilitator), found),
    channels: channels && {
      verify: counted(channels.verify.bind(channels), verified),
      settle: counted(channels.settle.bind(channels), settled),
    },
    close: () => facilitator.close(),
  };
}

function counted<Given extends readonly unknown[], R extends { readonly kind: string }>(
  call: (...given: Given) => Promise<R>,
  count: (kind: R["kind"]) => void,
) {
  return async (...given: Given): Promise<R> => {
    const result = await call(...given);
    count(result.kind);
    return result;
  };
}
