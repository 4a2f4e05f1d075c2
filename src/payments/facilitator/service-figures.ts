import { type ChannelSettlement, type ChannelVerification } from "../x402/channel-facilitator.ts";
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

/** The calls of one caller. The service knows all callers, so they are few. */
interface CallerCounts {
  verifications: number;
  settlements: number;
  /** Calls beyond its rate. */
  limited: number;
}

/** The work of a facilitator service since its start, for its operator. */
export class ServiceFigures {
  readonly #clock: () => number;
  readonly #since: string;
  readonly #counts = new Map<string, number>();
  readonly #callers = new Map<string, CallerCounts>();
  readonly #settlements: ListedSettlement[] = [];

  /** `clock` is in Unix milliseconds. */
  constructor(clock: () => number) {
    this.#clock = clock;
    this.#since = new Date(clock()).toISOString();
  }

  verified(caller: string, { kind, ...rest }: Verification | ChannelVerification): void {
    this.#count(`verify: ${kind === "refused" && "reason" in rest ? rest.reason : kind}`);
    this.#countsOf(caller).verifications += 1;
  }

  /** `what`: the kind of an order for a channel. */
  settled(
    caller: string,
    settlement: Settlement | ChannelSettlement,
    { requirements, what }: { readonly requirements: PaymentRequirements; readonly what?: string },
  ): void {
    const result = settlement.kind === "refused" ? settlement.reason : settlement.kind;
    this.#count(`${what ?? "settle"}: ${result}`);
    this.#countsOf(caller).settlements += 1;
    const moved = "amount" in settlement ? { amount: settlement.amount } : {};
    this.#settlements.unshift({
      at: new Date(this.#clock()).toISOString(),
      network: networkTitle(requirements.network),
      amount: priceText([{ ...requirements, ...moved }]),
      result: what === undefined ? result : `${what}: ${result}`,
      transaction: "transaction" in settlement ? settlement.transaction : "",
    });
    this.#settlements.length = Math.min(this.#settlements.length, MAX_LISTED);
  }

  /** A call that was refused, because its caller has made too many. */
  limited(caller: string): void {
    this.#countsOf(caller).limited += 1;
  }

  /** A call that ended in an error of the facilitator itself. */
  failed(path: string): void {
    this.#count(`${path.slice(1)}: failed`);
  }

  /** The kinds are few: each is a state or a listed reason. */
  #count(kind: string): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  #countsOf(caller: string): CallerCounts {
    return this.#callers.getOrInsert(caller, { verifications: 0, settlements: 0, limited: 0 });
  }

  toJSON(): object {
    const counts = Object.fromEntries([...this.#counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const callers = [...this.#callers]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, calls]) => ({ name, ...calls }));
    return { since: this.#since, counts, callers, settlements: this.#settlements };
  }
}
