import { fittedName } from "../lib/memory/shared-names.ts";

export interface UseCounts {
  readonly requests: number;
  /** Bytes of bodies, without framing. */
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** Responses with status 4xx; `serverErrors`: with status 5xx. */
  readonly clientErrors: number;
  readonly serverErrors: number;
  /** Unix milliseconds. */
  readonly lastSeen: number;
}

/**
 * Usage of one route by one consumer. An empty consumer stands for requests without a name, and `OTHER_CONSUMERS` for all
 * other consumers together; an empty route stands for all other routes together.
 */
export interface RouteUse extends UseCounts {
  readonly consumer: string;
  readonly route: string;
}

/** The consumer of a row that counts all other consumers of a route together. No consumer has this name. */
export const OTHER_CONSUMERS = "\u0001";

/** Requests to one upstream. An empty name stands for all other upstreams together. */
export interface UpstreamUse extends UseCounts {
  readonly upstream: string;
}

/** Settled payments of one consumer for one route, in one token. Empty names mean the same as in `RouteUse`. */
export interface PaidUse {
  readonly consumer: string;
  readonly route: string;
  readonly network: string;
  readonly asset: string;
  readonly payments: number;
  /** Atomic units, decimal. */
  readonly amount: string;
}

/** Requests of one class of clients on one priced route that reached one step on one day. Empty names: all others. */
export interface FunnelUse {
  /** Days since 1970 (UTC). */
  readonly day: number;
  readonly route: string;
  readonly client: string;
  readonly step: string;
  readonly count: number;
}

/** The usage that a gateway has counted since its last batch. */
export interface UsageBatch {
  /** Id of the process that counts. No other process ever has the same id. */
  readonly gateway: string;
  /** Starts at 1 and increases by 1 with each batch. */
  readonly sequence: number;
  readonly routes: readonly RouteUse[];
  readonly upstreams: readonly UpstreamUse[];
  readonly funnel: readonly FunnelUse[];
}

/** The requests of one hour to all routes, by all gateways that share the database. */
export interface HourUse extends Pick<UseCounts, "requests" | "clientErrors" | "serverErrors"> {
  /** The start of the hour, in Unix milliseconds. */
  readonly hour: number;
}

/** All usage that was stored until the time of reading. */
export interface UsageTotals {
  /** When the counting began, in Unix milliseconds. */
  readonly since: number;
  /** Number of the gateway's last batch that is included; 0: no batch. */
  readonly sequence: number;
  readonly routes: readonly RouteUse[];
  readonly upstreams: readonly UpstreamUse[];
  readonly paid: readonly PaidUse[];
}

/**
 * Stores usage, added up over all gateways that share the database. Payments are counted from the ledger in the same
 * database. Each payment is counted exactly once: its row has a mark for this.
 *
 *   batches ──add──▶ the open epoch ──reset──▶ a closed epoch, which is read, and deleted some resets later
 */
export interface UsageStore {
  /** Adds a batch. The same batch again changes nothing, so a gateway may repeat it after a lost response. */
  add(batch: UsageBatch): Promise<void>;
  /** The usage of the open epoch. `sequence` in the result belongs to `gateway`. */
  read(gateway: string): Promise<UsageTotals>;
  /** Closes the open epoch and starts the next. Returns the closed one's usage, also when repeated with its `id`. */
  reset(id: string, gateway: string): Promise<UsageTotals>;
  /** The funnel of each stored day from `since` on. A reset does not change it. */
  funnel(since: number): Promise<FunnelUse[]>;
  /** The hours with requests of the last `KEPT_HOURS`, oldest first. A reset does not change them. */
  hours(): Promise<readonly HourUse[]>;
}

/** A usage store with a connection of its own. */
export interface OpenUsageStore extends UsageStore {
  close(): Promise<void>;
}

/**
 * Rows of one epoch: pairs of consumer and route, upstreams, and sums of payments by consumer, route and token. The
 * consumers of further ones are counted together.
 */
const MAX_ROUTE_USES = 10_000;
const MAX_UPSTREAM_USES = 1000;
const MAX_PAID_USES = 20_000;
/** Rows of one epoch for the routes of further consumers, beyond the limits above. The routes beyond it are counted together. */
const MAX_OTHER_USES = 1024;
/** Rows of the funnel of one day. Further routes are counted together. */
const MAX_FUNNEL_USES = 2000;
/** Days for which the funnel is kept. @bound */
export const FUNNEL_DAYS = 30;
/** Maximum number of processes whose last batch is remembered. The oldest are removed first. */
export const MAX_GATEWAYS = 1000;
/** Closed epochs that are kept, for clients that repeat a reset after a lost response. @bound */
export const KEPT_EPOCHS = 4;
/** Hours whose requests are kept: 30 days. @bound */
export const KEPT_HOURS = 720;
export const HOUR_MS = 3_600_000;
/** Payments that one statement counts, so that it never blocks for long. */
export const COUNT_ROWS = 1000;

/** The tables of uses: the maximum of rows in an epoch, or in a day of the funnel, and the columns that name a row. */
export const USE_TABLES = {
  routes: { most: MAX_ROUTE_USES, names: ["consumer", "route"] },
  upstreams: { most: MAX_UPSTREAM_USES, names: ["upstream"] },
  payments: { most: MAX_PAID_USES, names: ["consumer", "route", "network", "asset"] },
  funnel: { most: MAX_FUNNEL_USES, names: ["route", "client", "step"] },
} as const;

export type UseTable = keyof typeof USE_TABLES;

/** The key of the row that a use is counted in. */
export function useKey(
  use: { readonly [name in "consumer" | "route" | "upstream" | "network" | "asset" | "client" | "step"]?: string },
): string {
  return JSON.stringify([use.consumer, use.route, use.upstream, use.network, use.asset, use.client, use.step]);
}

/** Limits the rows of a table to `most`, and some for the routes of consumers without a row. `known`: keys of its rows. */
export function withinRoom<
  T extends { readonly consumer?: string; readonly route?: string; readonly upstream?: string },
>(uses: readonly T[], known: ReadonlySet<string>, most: number): T[] {
  const rows = new Set(known);
  const hasRow = (use: T, limit: number): boolean => {
    const key = useKey(use);
    if (!rows.has(key) && rows.size >= limit) return false;
    rows.add(key);
    return true;
  };
  return uses.map((use) => {
    const { consumer, route, upstream } = use;
    if (hasRow(use, most)) return use;
    const ofRoute = consumer === undefined ? use : { ...use, consumer: OTHER_CONSUMERS };
    if (route !== undefined && route !== "" && hasRow(ofRoute, most + MAX_OTHER_USES)) return ofRoute;
    return {
      ...use,
      ...(consumer === undefined ? {} : { consumer: "" }),
      ...(route === undefined ? {} : { route: "" }),
      ...(upstream === undefined ? {} : { upstream: "" }),
    };
  });
}

/** Adds up payments with equal names and token, which may exceed number types of databases and JavaScript. */
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

/** The sums of uses, for the hour in which they are stored. */
export function sumOfUses(uses: readonly UseCounts[]): Omit<HourUse, "hour"> {
  const sum = { requests: 0, clientErrors: 0, serverErrors: 0 };
  for (const { requests, clientErrors, serverErrors } of uses) {
    sum.requests += requests;
    sum.clientErrors += clientErrors;
    sum.serverErrors += serverErrors;
  }
  return sum;
}
