import { type Kind } from "../../../../payments/x402/facilitator.ts";
import { type PaymentRequirements } from "../../../../payments/x402/messages.ts";
import { completeTerms, findKind, isComplete } from "../../../../payments/x402/terms.ts";
import { type Challenge } from "./challenge.ts";

/** The payment kinds that the route's facilitator supports, as last heard; undefined before its first response. */
export interface Kinds {
  readonly current: readonly Kind[] | undefined;
}

/** A route's payment requirements now. Some are complete only with the facilitator's reported address. */
export class RouteRequirements {
  readonly #accepts: readonly PaymentRequirements[];
  readonly #kinds: Kinds;
  readonly #write: (accepts: PaymentRequirements[]) => Challenge;
  #seen: readonly Kind[] | undefined;
  #challenge: Challenge | undefined;

  constructor(
    accepts: readonly PaymentRequirements[],
    kinds: Kinds,
    write: (accepts: PaymentRequirements[]) => Challenge,
  ) {
    this.#accepts = accepts;
    this.#kinds = kinds;
    this.#write = write;
    this.#seen = kinds.current;
    this.#challenge = this.#make();
  }

  /** Throws if the challenge cannot be sent. The facilitator's address has at most this length. */
  check(): void {
    const accepts = this.#accepts.map(
      (requirements) => completed(requirements, [{ ...requirements, extra: ANY_FACILITATOR }]) ?? requirements,
    );
    this.#write(accepts).check();
  }

  /** The challenge, which is replaced when the facilitator's kinds change; undefined while no payment is possible. */
  current(): Challenge | undefined {
    const { current } = this.#kinds;
    if (current !== this.#seen) {
      this.#seen = current;
      this.#challenge = this.#make();
    }
    return this.#challenge;
  }

  #make(): Challenge | undefined {
    const accepts = this.#accepts.flatMap((requirements) => completed(requirements, this.#seen ?? []) ?? []);
    return accepts.length === 0 ? undefined : this.#write(accepts);
  }
}

const ANY_FACILITATOR = {
  facilitatorAddress: `0x${"1".repeat(40)}`,
  feePayer: "SysvarS1otHashes111111111111111111111111111",
};

/** The complete payment requirements; undefined if they need data that only the facilitator has. */
function completed(requirements: PaymentRequirements, kinds: readonly Kind[]): PaymentRequirements | undefined {
  if (isComplete(requirements)) return requirements;
  const kind = findKind(kinds, requirements);
  if (kind === undefined) return undefined;
  try {
    return completeTerms(requirements, kind);
  } catch {
    // The facilitator supports the scheme but does not report its address: treated as not supported.
    return undefined;
  }
}
