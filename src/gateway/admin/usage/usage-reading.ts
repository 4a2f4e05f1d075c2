import {
  addPaid,
  OTHER_CONSUMERS,
  type PaidUse,
  type RouteUse,
  type UpstreamUse,
  type UseCounts,
  type UsageTotals,
} from "../../../store/usage-store.ts";
import { type SoldCounts, type UsageBody, type UsageCounts, type UsageReading } from "../shapes/usage.ts";
import { type PairUse, usageCsv } from "./usage-csv.ts";
import { type Uses } from "./usage-deltas.ts";

/** A sum of one name. `isOther`: the sum of all names without counters of their own. */
interface Sum {
  readonly name: string;
  readonly isOther: boolean;
  counts: UsageCounts;
  readonly paid: PaidUse[];
}

const USED = ["consumers", "routes", "upstreams"] as const;

const NOTHING: UsageCounts = {
  requests: 0,
  request_bytes: 0,
  response_bytes: 0,
  client_errors: 0,
  server_errors: 0,
  last_seen_ms: 0,
};

/** Adds the totals of the store and the usage that is not in the store yet. */
export function readingOf(totals: UsageTotals, ...others: readonly Uses[]): UsageReading {
  const routes = [...totals.routes, ...others.flatMap((uses) => uses.routes)];
  const upstreams = [...totals.upstreams, ...others.flatMap((uses) => uses.upstreams)];
  return {
    body: bodyOf({ since: totals.since, routes, upstreams, paid: totals.paid }),
    csv: () => usageCsv(pairsOf(routes, totals.paid)),
  };
}

type Counted = Pick<UsageTotals, "since" | "routes" | "upstreams" | "paid">;

function bodyOf({ since, routes, upstreams, paid }: Counted): UsageBody {
  const counted = {
    consumers: sums(routes, paid, (use) => (isOfOthers(use) ? undefined : use.consumer)).map((sum) => {
      const kind = sum.isOther ? { other: true as const } : sum.name === "" ? { anonymous: true as const } : {};
      return { name: sum.name, ...kind, ...soldOf(sum) };
    }),
    routes: sums(routes, paid, ({ route }) => (route === "" ? undefined : route)).map((sum) => {
      return { route: sum.name, ...(sum.isOther ? { other: true as const } : {}), ...soldOf(sum) };
    }),
    upstreams: upstreamSums(upstreams).map(({ name, isOther, counts }) => {
      return { upstream: name, ...(isOther ? { other: true as const } : {}), ...counts };
    }),
  };
  const full = USED.filter((key) => counted[key].some((entry) => entry.other === true));
  return { since_ms: since, full, ...counted };
}

/** By consumer and route, as rows of a table. */
function pairsOf(routes: readonly RouteUse[], paid: readonly PaidUse[]): PairUse[] {
  const names = new Map<string, Pick<RouteUse, "consumer" | "route">>();
  const key = (use: Pick<RouteUse, "consumer" | "route">): string => {
    const text = JSON.stringify([use.consumer, use.route]);
    names.set(text, use);
    return text;
  };
  const pairs = sums(routes, paid, key).map((sum) => {
    const { consumer = "", route = "" } = names.get(sum.name) ?? {};
    return { consumer, route, ...soldOf(sum) };
  });
  return pairs.toSorted((a, b) => Number(isOfOthers(a)) - Number(isOfOthers(b)));
}

/** True for the uses of consumers without a row of their own. */
function isOfOthers({ consumer, route }: Pick<RouteUse, "consumer" | "route">): boolean {
  return route === "" || consumer === OTHER_CONSUMERS;
}

/** Sorted by requests, most first. `nameOf` returns undefined for all other names. The sum of all other names is last. */
function sums(
  routes: readonly RouteUse[],
  paid: readonly PaidUse[],
  nameOf: (use: Pick<RouteUse, "consumer" | "route">) => string | undefined,
): Sum[] {
  const found = new Map<string, Sum>();
  const sumOf = (use: Pick<RouteUse, "consumer" | "route">): Sum => {
    const name = nameOf(use);
    return sumFor(found, name ?? "", name === undefined);
  };
  for (const use of routes) {
    const sum = sumOf(use);
    sum.counts = added(sum.counts, use);
  }
  for (const use of paid) sumOf(use).paid.push(use);
  return sorted(found);
}

function upstreamSums(upstreams: readonly UpstreamUse[]): Sum[] {
  const found = new Map<string, Sum>();
  for (const use of upstreams) {
    const sum = sumFor(found, use.upstream, use.upstream === "");
    sum.counts = added(sum.counts, use);
  }
  return sorted(found);
}

function sumFor(found: Map<string, Sum>, name: string, isOther: boolean): Sum {
  const key = `${isOther ? "other" : "name"} ${name}`;
  return found.getOrInsert(key, { name, isOther, counts: NOTHING, paid: [] });
}

function sorted(found: ReadonlyMap<string, Sum>): Sum[] {
  return [...found.values()].toSorted(
    (a, b) =>
      Number(a.isOther) - Number(b.isOther) ||
      b.counts.requests - a.counts.requests ||
      (a.name < b.name ? -1 : Number(a.name > b.name)),
  );
}

function added(sum: UsageCounts, use: UseCounts): UsageCounts {
  return {
    requests: sum.requests + use.requests,
    request_bytes: sum.request_bytes + use.requestBytes,
    response_bytes: sum.response_bytes + use.responseBytes,
    client_errors: sum.client_errors + use.clientErrors,
    server_errors: sum.server_errors + use.serverErrors,
    last_seen_ms: Math.max(sum.last_seen_ms, use.lastSeen),
  };
}

function soldOf({ counts, paid }: Sum): SoldCounts {
  // Only by token: a consumer can pay for several routes, and several consumers can pay for one route.
  const amounts = addPaid(paid.map((use) => ({ ...use, consumer: "", route: "" })));
  return {
    ...counts,
    payments: paid.reduce((sum, { payments }) => sum + payments, 0),
    amounts: amounts.map(({ network, asset, amount }) => ({ network, asset, amount })),
  };
}
