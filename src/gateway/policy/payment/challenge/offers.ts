import { type Kind } from "../../../../payments/x402/kind.ts";
import { type PaymentRequirements } from "../../../../payments/x402/messages.ts";
import { completeTerms, findKind, isComplete } from "../../../../payments/x402/terms.ts";
import { type Challenge } from "./challenge.ts";

/** What the route's facilitator was last heard to take; undefined before it said anything. */
export interface Kinds {
  readonly current: readonly Kind[] | undefined;
}

/** The ways in which a route can be paid for at the moment: some need to know first whose facilitator settles them. */
export class Offers {
  readonly #ways: readonly PaymentRequirements[];
  readonly #kinds: Kinds;
  readonly #write: (accepts: PaymentRequirements[]) => Challenge;
  #seen: readonly Kind[] | undefined;
  #challenge: Challenge | undefined;

  /** Throws where `write` does: a challenge that cannot be made now will not be later. */
  constructor(
    ways: readonly PaymentRequirements[],
    kinds: Kinds,
    write: (accepts: PaymentRequirements[]) => Challenge,
  ) {
    this.#ways = ways;
    this.#kinds = kinds;
    this.#write = write;
    this.#seen = kinds.current;
    // Its address does not make a challenge longer than any other does.
    write(ways.map((way) => completed(way, [{ ...way, extra: { facilitatorAddress: ANY_ADDRESS } }]) ?? way));
    this.#challenge = this.#make();
  }

  /** The challenge, made anew when the facilitator takes something else; undefined while there is no way to pay. */
  current(): Challenge | undefined {
    const { current } = this.#kinds;
    if (current !== this.#seen) {
      this.#seen = current;
      this.#challenge = this.#make();
    }
    return this.#challenge;
  }

  #make(): Challenge | undefined {
    const accepts = this.#ways.flatMap((way) => completed(way, this.#seen ?? []) ?? []);
    return accepts.length === 0 ? undefined : this.#write(accepts);
  }
}

const ANY_ADDRESS = `0x${"1".repeat(40)}`;

/** What can be advertised of `way`; undefined where it lacks what only the facilitator knows. */
function completed(way: PaymentRequirements, kinds: readonly Kind[]): PaymentRequirements | undefined {
  if (isComplete(way)) return way;
  const kind = findKind(kinds, way);
  if (kind === undefined) return undefined;
  try {
    return completeTerms(way, kind);
  } catch {
    // A facilitator that takes the scheme and does not say who it is: as if it did not.
    return undefined;
  }
}
