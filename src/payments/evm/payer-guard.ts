import { type Address } from "../x402/address.ts";
import { isRpcError } from "./rpc.ts";
import { type PayerShare, type Sent } from "./scheme.ts";

/** Payers whose transactions are remembered; beyond it the oldest one is forgotten. */
const MAX_PAYERS = 4096;
/**
 * Time for which no transaction is sent for a payer after one has failed, in milliseconds. Each further failure in a
 * row doubles it. @bound
 */
const FIRST_BAR_MS = 60_000;
const LONGEST_BAR_MS = 86_400_000;
/**
 * Transactions in progress of a payer that is a contract; further ones wait. At first one is allowed, and each success
 * since the last failure allows one more.
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

/** Keeps transactions that would fail for lack of the payer's funds from being sent, because each costs gas. */
export interface PayerGuard {
  /** True if no transaction is sent for this payer at present. */
  bars(payer: Address): boolean;
  /** Sends when the payer's funds suffice for this transaction and all others in progress. */
  send(share: PayerShare, send: () => Promise<Sent>): Promise<Sent>;
}

function withheld(cause: string): Sent {
  return { kind: "withheld", cause: `${cause}: nothing was sent` };
}

/**
 * Limits the gas that a payer can cost us with failing transactions. Such a payer signs payments that the funds cover
 * one by one but not together. Or the payer is a contract that denies in a block what it signed in a simulation. `now`
 * is in milliseconds.
 */
export function createPayerGuard(now: () => number): PayerGuard {
  const standings = new Map<string, Standing>();
  const underWay = new Map<string, Set<UnderWay>>();

  function bars(payer: Address): boolean {
    return now() < (standings.get(payer.toLowerCase())?.barredUntil ?? 0);
  }

  function record(key: string, kind: Sent["kind"]): void {
    if (kind !== "mined" && kind !== "reverted") return;
    const { good, failures } = standings.get(key) ?? { good: 0, failures: 0 };
    standings.delete(key);
    if (standings.size >= MAX_PAYERS) dropOldest();
    if (kind === "mined") {
      standings.set(key, { good: good + 1, failures: 0, barredUntil: 0 });
      return;
    }
    const barMs = Math.min(FIRST_BAR_MS * 2 ** Math.min(failures, 30), LONGEST_BAR_MS);
    standings.set(key, { good: 0, failures: failures + 1, barredUntil: now() + barMs });
  }

  function dropOldest(): void {
    for (const key of standings.keys()) {
      standings.delete(key);
      return;
    }
  }

  function othersOf({ payer }: PayerShare): readonly UnderWay[] {
    return [...(underWay.get(payer.toLowerCase()) ?? [])];
  }

  /** True if the payer is a contract with the maximum of transactions in progress. */
  function isCrowded(share: PayerShare): boolean {
    const good = standings.get(share.payer.toLowerCase())?.good ?? 0;
    return share.isContract && othersOf(share).length >= Math.min(1 + good, MAX_CONTRACT_AT_ONCE);
  }

  function sameAsset(share: PayerShare): readonly UnderWay[] {
    const asset = share.asset.toLowerCase();
    return othersOf(share).filter((other) => other.share.asset.toLowerCase() === asset);
  }

  /**
   * True if the funds cover this transaction and all that are in progress. Includes those of `before`, which were in
   * progress before the funds were read.
   */
  function isCovered(share: PayerShare, before: readonly UnderWay[], owned: bigint): boolean {
    // The funds may not show yet the transactions that have ended meanwhile.
    const counted = new Set([...before, ...sameAsset(share)]);
    return [...counted].reduce((sum, other) => sum + other.share.value, share.value) <= owned;
  }

  async function run(share: PayerShare, send: () => Promise<Sent>): Promise<Sent> {
    const key = share.payer.toLowerCase();
    const mine = underWay.get(key) ?? new Set();
    underWay.set(key, mine);
    const own = { share, sent: send() };
    mine.add(own);
    try {
      const sent = await own.sent;
      record(key, sent.kind);
      return sent;
    } finally {
      mine.delete(own);
      if (mine.size === 0) underWay.delete(key);
    }
  }

  return {
    bars,
    async send(share, send) {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        if (bars(share.payer)) return withheld("a transaction of this payer has failed a short time ago");
        const others = othersOf(share);
        if (!isCrowded(share)) {
          const before = sameAsset(share);
          // A single transaction needs only its own simulation. There is no `await` between the check and `run`, so
          // that concurrent calls see this one.
          if (before.length === 0) return await run(share, send);
          const owned = await share.funds();
          if (isRpcError(owned)) return withheld(owned.cause);
          const fits = isCovered(share, before, owned) && !isCrowded(share) && !bars(share.payer);
          if (fits) return await run(share, send);
        }
        const ended = await Promise.all([...others, ...othersOf(share)].map(({ sent }) => sent));
        if (ended.some(({ kind }) => kind === "open")) break;
      }
      return withheld("too many transactions of this payer are under way");
    },
  };
}
