import { isRpcError } from "./node/rpc.ts";
import { type PayerShare, type Sent } from "./node/scheme.ts";
import { NewestMap } from "../../lib/memory/newest-map.ts";

/** Payers whose transactions are remembered; beyond it the oldest one is forgotten. */
const MAX_PAYERS = 4096;
/**
 * Time for which no transaction is sent for a payer after one has failed, in milliseconds. Each further failure in a row
 * doubles it. @operator @bound
 */
const FIRST_BAR_MS = 60_000;
const LONGEST_BAR_MS = 86_400_000;
/**
 * Transactions in progress of a payer that is a contract; further ones wait. At first one is allowed, and each
 * success since the last failure allows one more.
 */
const MAX_CONTRACT_AT_ONCE = 64;
/** The number of times that a transaction waits for the other transactions of its payer. Beyond it nothing is sent. */
const MAX_ROUNDS = 4;

interface Standing {
  /** Successful transactions since the last failure. */
  good: number;
  /** Failed transactions in a row. */
  failures: number;
  /** In milliseconds. */
  barredUntil: number;
}

interface UnderWay {
  readonly share: PayerShare;
  readonly sent: Promise<Sent>;
}

function withheld(cause: string): Sent {
  return { kind: "withheld", cause: `${cause}: nothing was sent` };
}

/**
 * Keeps transactions that would fail for lack of the payer's funds from being sent, and so limits the gas that a payer
 * can cost us. Such a payer signs payments that the funds cover one by one but not together. Or the payer is a contract
 * that denies in a block what it signed in a simulation.
 */
export class PayerGuard {
  readonly #standings = new NewestMap<string, Standing>(MAX_PAYERS);
  readonly #underWay = new Map<string, Set<UnderWay>>();
  readonly #now: () => number;

  /** `now` returns monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** True if no transaction is sent for this payer at present. */
  bars(payer: string): boolean {
    return this.#now() < (this.#standings.get(payer.toLowerCase())?.barredUntil ?? 0);
  }

  /** Sends when the payer's funds suffice for this transaction and all others in progress. */
  async send(share: PayerShare, send: () => Promise<Sent>): Promise<Sent> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      if (this.bars(share.payer)) return withheld("a transaction of this payer has failed a short time ago");
      const others = this.#othersOf(share);
      if (!this.#isCrowded(share)) {
        const before = this.#sameAsset(share);
        // A single transaction needs only its own simulation. There is no `await` between the check and `run`, so that
        // concurrent calls see this one.
        if (before.length === 0) return await this.#run(share, send);
        const owned = await share.funds();
        if (isRpcError(owned)) return withheld(owned.cause);
        const fits = this.#isCovered(share, before, owned) && !this.#isCrowded(share) && !this.bars(share.payer);
        if (fits) return await this.#run(share, send);
      }
      const ended = await Promise.all([...others, ...this.#othersOf(share)].map(({ sent }) => sent));
      if (ended.some(({ kind }) => kind === "open")) break;
    }
    return withheld("too many transactions of this payer are under way");
  }

  #record(key: string, kind: Sent["kind"]): void {
    if (kind !== "mined" && kind !== "reverted") return;
    const { good, failures } = this.#standings.get(key) ?? { good: 0, failures: 0 };
    const barMs = Math.min(FIRST_BAR_MS * 2 ** Math.min(failures, 30), LONGEST_BAR_MS);
    const standing =
      kind === "mined"
        ? { good: good + 1, failures: 0, barredUntil: 0 }
        : { good: 0, failures: failures + 1, barredUntil: this.#now() + barMs };
    this.#standings.set(key, standing);
  }

  #othersOf({ payer }: PayerShare): readonly UnderWay[] {
    return [...(this.#underWay.get(payer.toLowerCase()) ?? [])];
  }

  /** True if the payer is a contract with the maximum of transactions in progress. */
  #isCrowded(share: PayerShare): boolean {
    const good = this.#standings.get(share.payer.toLowerCase())?.good ?? 0;
    return share.isContract && this.#othersOf(share).length >= Math.min(1 + good, MAX_CONTRACT_AT_ONCE);
  }

  #sameAsset(share: PayerShare): readonly UnderWay[] {
    const asset = share.asset.toLowerCase();
    return this.#othersOf(share).filter((other) => other.share.asset.toLowerCase() === asset);
  }

  /**
   * True if the funds cover this transaction and all that are in progress. Includes those of `before`, which were in
   * progress before the funds were read.
   */
  #isCovered(share: PayerShare, before: readonly UnderWay[], owned: bigint): boolean {
    // The funds may not show yet the transactions that have ended meanwhile.
    const counted = new Set([...before, ...this.#sameAsset(share)]);
    return [...counted].reduce((sum, other) => sum + other.share.value, share.value) <= owned;
  }

  async #run(share: PayerShare, send: () => Promise<Sent>): Promise<Sent> {
    const key = share.payer.toLowerCase();
    const mine = this.#underWay.getOrInsert(key, new Set());
    const own = { share, sent: send() };
    mine.add(own);
    try {
      const sent = await own.sent;
      this.#record(key, sent.kind);
      return sent;
    } finally {
      mine.delete(own);
      if (mine.size === 0) this.#underWay.delete(key);
    }
  }
}
