import { type Address } from "../signatures/address.ts";
import { isFault } from "./rpc.ts";
import { type PayerShare, type Sent } from "./scheme.ts";

/** Payers whose transactions are remembered; the one longest ago is forgotten first. */
const MAX_PAYERS = 4096;
/** Milliseconds for which nothing is sent for a payer after a transaction of his that failed; each further one in a row doubles it. @bound */
const FIRST_BAR_MS = 60_000;
const LONGEST_BAR_MS = 86_400_000;
/** Transactions at a time of a payer that is a contract: one, and one more for each that has gone well since one failed. */
const MAX_CONTRACT_AT_ONCE = 64;
/** How often a transaction waits for those of its payer that are under way. */
const MAX_ROUNDS = 4;

interface Standing {
  /** Transactions that went well since the last one that failed. */
  good: number;
  /** Those that failed in a row. */
  failures: number;
  /** In milliseconds. */
  barredUntil: number;
}

interface UnderWay {
  readonly share: PayerShare;
  readonly sent: Promise<Sent>;
}

export interface PayerGuard {
  /** True where nothing is sent for him for now. */
  bars(payer: Address): boolean;
  /** Sends once what is under way leaves him funds for it. */
  send(share: PayerShare, send: () => Promise<Sent>): Promise<Sent>;
}

function withheld(cause: string): Sent {
  return { kind: "withheld", cause: `${cause}: nothing was sent` };
}

/**
 * Bounds the gas that a payer can make us pay for transactions that fail: with payments that his funds cover one by one and not
 * together, or with a contract that denies in a block what it has signed in a simulation. `now` in milliseconds.
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

  /** True where he is a contract with as much under way as it may have. */
  function isCrowded(share: PayerShare): boolean {
    const good = standings.get(share.payer.toLowerCase())?.good ?? 0;
    return share.isContract && othersOf(share).length >= Math.min(1 + good, MAX_CONTRACT_AT_ONCE);
  }

  function sameAsset(share: PayerShare): readonly UnderWay[] {
    const asset = share.asset.toLowerCase();
    return othersOf(share).filter((other) => other.share.asset.toLowerCase() === asset);
  }

  /** True where what he owns covers it besides what is under way, and was before that was known. */
  function isCovered(share: PayerShare, before: readonly UnderWay[], owned: bigint): boolean {
    // What has ended meanwhile may not have shown in the funds as yet.
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
          // What a single one needs is told by its simulation. Nothing is awaited between a look and `run`: whatever comes at
          // the same time is to see it.
          if (before.length === 0) return await run(share, send);
          const owned = await share.funds();
          if (isFault(owned)) return withheld(owned.cause);
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
