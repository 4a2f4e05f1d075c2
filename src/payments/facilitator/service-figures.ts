import { type Settlement, type Verification } from "../x402/facilitator.ts";
import { type PaymentRequirements } from "../x402/messages.ts";
import { networkTitle } from "../x402/networks.ts";
import { priceText } from "../x402/price-text.ts";

/** Settlements that the status page of a facilitator lists. Older ones are only counted. */
const MAX_LISTED = 50;

interface ListedSettlement {
  readonly at: string;
  readonly network: string;
  readonly amount: string;
  readonly result: string;
  readonly transaction: string;
}

/** The work of a facilitator service since its start, for its operator. */
export class ServiceFigures {
  readonly #clock: () => number;
  readonly #since: string;
  readonly #counts = new Map<string, number>();
  readonly #settlements: ListedSettlement[] = [];

  /** `clock` is in Unix milliseconds. */
  constructor(clock: () => number) {
    this.#clock = clock;
    this.#since = new Date(clock()).toISOString();
  }

  verified({ kind, ...rest }: Verification): void {
    this.#count(`verify: ${kind === "refused" && "reason" in rest ? rest.reason : kind}`);
  }

  settled(settlement: Settlement, requirements: PaymentRequirements): void {
    const result = settlement.kind === "refused" ? settlement.reason : settlement.kind;
    this.#count(`settle: ${result}`);
    this.#settlements.unshift({
      at: new Date(this.#clock()).toISOString(),
      network: networkTitle(requirements.network),
      amount: priceText([requirements]),
      result,
      transaction: "transaction" in settlement ? settlement.transaction : "",
    });
    this.#settlements.length = Math.min(this.#settlements.length, MAX_LISTED);
  }

  /** A call that ended in an error of the facilitator itself. */
  failed(path: string): void {
    this.#count(`${path.slice(1)}: failed`);
  }

  /** The kinds are few: each is a state or a listed reason. */
  #count(kind: string): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  toJSON(): object {
    const counts = Object.fromEntries([...this.#counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
    return { since: this.#since, counts, settlements: this.#settlements };
  }
}
