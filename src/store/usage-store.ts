import { fittedName } from "../lib/shared-names.ts";

/** What was used. */
export interface UseCounts {
  readonly requests: number;
  /** Body bytes, before framing. */
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** Answers of 4xx, and of 5xx. */
  readonly clientErrors: number;
  readonly serverErrors: number;
  /** Unix milliseconds. */
  readonly lastSeen: number;
}

/** What one consumer has used of one route. An empty consumer is requests without a name; an empty route is all others together. */
export interface RouteUse extends UseCounts {
  readonly consumer: string;
  readonly route: string;
}

/** What was asked of one upstream; of all others together, where the name is empty. */
export interface UpstreamUse extends UseCounts {
  readonly upstream: string;
}

/** Settled payments of one consumer for one route, in one token. Names as in `RouteUse`. */
export interface PaidUse {
  readonly consumer: string;
  readonly route: string;
  readonly network: string;
  readonly asset: string;
  readonly payments: number;
  /** Atomic units, decimal. */
  readonly amount: string;
}

/** What a gateway has counted since its last batch. */
export interface UsageBatch {
  /** The process that counts; no other one ever has the same name. */
  readonly gateway: string;
  /** From 1 on, one by one. */
  readonly sequence: number;
  readonly routes: readonly RouteUse[];
  readonly upstreams: readonly UpstreamUse[];
}

/** What was kept until a moment. */
export interface UsageTotals {
  /** When the counting began, in Unix milliseconds. */
  readonly since: number;
  /** The last batch of the gateway that is in it; 0: none. */
  readonly sequence: number;
  readonly routes: readonly RouteUse[];
  readonly upstreams: readonly UpstreamUse[];
  readonly paid: readonly PaidUse[];
}

/**
 * Where usage is kept, added up over all gateways that share the database. Payments are counted from the ledger in the same
 * database, each exactly once: its row says that it was.
 *
 *   batches ──add──▶ the open epoch ──reset──▶ a closed one, which is read, and forgotten some resets later
 */
export interface UsageStore {
  /** Adds a batch. The same one again, after an answer that was lost, changes nothing. */
  add(batch: UsageBatch): Promise<void>;
  /** The open epoch. `sequence` is that of `gateway`. */
  read(gateway: string): Promise<UsageTotals>;
  /** Closes the open epoch, and begins the next one. With the same `id` again it gives what that one closed, and closes nothing. */
  reset(id: string, gateway: string): Promise<UsageTotals>;
}

/** One that nothing else shares its connection with. */
export interface OpenUsageStore extends UsageStore {
  close(): Promise<void>;
}

/** Pairs of consumer and route, upstreams, and payments by token of such a pair that have rows of their own in one epoch. */
export const MAX_ROUTE_USES = 10_000;
export const MAX_UPSTREAM_USES = 1000;
export const MAX_PAID_USES = 20_000;
/** Processes whose last batch is remembered; the oldest go first. */
export const MAX_GATEWAYS = 1000;
/** Closed epochs that are kept for those whose answer to a reset was lost. @bound */
export const KEPT_EPOCHS = 4;
/** Payments that are counted by one statement, so that it never blocks for long. */
export const COUNT_ROWS = 1000;

/** The names of a use, by which it has a row. */
export function useKey(
  use: { readonly [name in "consumer" | "route" | "upstream" | "network" | "asset"]?: string },
): string {
  return JSON.stringify([use.consumer, use.route, use.upstream, use.network, use.asset]);
}

/** Those that are not known yet are counted under no name once there is no room for more rows. */
export function withinRoom<
  T extends { readonly consumer?: string; readonly route?: string; readonly upstream?: string },
>(uses: readonly T[], known: ReadonlySet<string>, room: number): T[] {
  let left = room;
  return uses.map((use) => {
    const { consumer, route, upstream } = use;
    if (known.has(useKey(use)) || left-- > 0) return use;
    return {
      ...use,
      ...(consumer === undefined ? {} : { consumer: "" }),
      ...(route === undefined ? {} : { route: "" }),
      ...(upstream === undefined ? {} : { upstream: "" }),
    };
  });
}

/** Adds up payments of the same names and token. Amounts have more digits than databases and numbers hold. */
export function addPaid(parts: Iterable<PaidUse>): PaidUse[] {
  const sums = new Map<string, { use: PaidUse; payments: number; amount: bigint }>();
  for (const part of parts) {
    const use = { ...part, consumer: fittedName(part.consumer), route: fittedName(part.route) };
    const key = useKey(use);
    const sum = sums.get(key) ?? { use, payments: 0, amount: 0n };
    sum.payments += part.payments;
    sum.amount += BigInt(part.amount);
    sums.set(key, sum);
  }
  return [...sums.values()].map(({ use, payments, amount }) => ({ ...use, payments, amount: amount.toString() }));
}
