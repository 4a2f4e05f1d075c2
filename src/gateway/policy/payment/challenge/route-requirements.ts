import { GAS_APPROVAL } from "../../../../payments/signatures/gas-approval.ts";
import { GAS_PERMIT } from "../../../../payments/signatures/gas-permit.ts";
import { findAsset } from "../../../../payments/x402/assets.ts";
import { type Kind } from "../../../../payments/x402/facilitator.ts";
import { type PaymentRequirements } from "../../../../payments/x402/messages.ts";
import { completeTerms, findKind, isComplete, methodOf } from "../../../../payments/x402/terms.ts";
import { type Challenge } from "./challenge.ts";

/** The payment kinds that the route's facilitator supports, as last heard; undefined before its first response. */
export interface Kinds {
  readonly current: readonly Kind[] | undefined;
}

/** A route's payment requirements now. Some are complete only with the facilitator's reported address. */
export class RouteRequirements {
  readonly #accepts: readonly PaymentRequirements[];
  readonly #kinds: Kinds;
  readonly #write: (accepts: PaymentRequirements[], sponsoring?: readonly string[]) => Challenge;
  #seen: readonly Kind[] | undefined;
  #challenge: Challenge | undefined;

  constructor(
    accepts: readonly PaymentRequirements[],
    kinds: Kinds,
    write: (accepts: PaymentRequirements[], sponsoring?: readonly string[]) => Challenge,
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
    this.#write(accepts, this.#accepts.some(isByPermit2) ? [GAS_PERMIT, GAS_APPROVAL] : []).check();
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
    const kinds = this.#seen ?? [];
    const byPermit2 = accepts.filter(isByPermit2);
    const sponsoring = [
      ...(byPermit2.some((one) => mayPermit(one) && isSponsoredBy(kinds, one, GAS_PERMIT)) ? [GAS_PERMIT] : []),
      ...(byPermit2.some((one) => isSponsoredBy(kinds, one, GAS_APPROVAL)) ? [GAS_APPROVAL] : []),
    ];
    return accepts.length === 0 ? undefined : this.#write(accepts, sponsoring);
  }
}

function isByPermit2(requirements: PaymentRequirements): boolean {
  const { scheme } = requirements;
  return (scheme === "exact" || scheme === "upto") && methodOf(requirements) === "permit2";
}

/** True if the token may be approved by a signature. A client needs its domain for that. */
function mayPermit({ network, asset, extra }: PaymentRequirements): boolean {
  return extra["name"] !== undefined && findAsset(network, asset)?.lacksPermit !== true;
}

/** True if each facilitator that may settle the payment supports the extension. */
function isSponsoredBy(kinds: readonly Kind[], { scheme, network }: PaymentRequirements, extension: string): boolean {
  const own = kinds.filter(
    (kind) => kind.scheme === scheme && (kind.network === network || kind.network === "eip155:*"),
  );
  return own.length > 0 && own.every(({ sponsoring = [] }) => sponsoring.includes(extension));
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
