import { type FunnelStage } from "../../../gateway/telemetry/metrics/funnel-steps.ts";
import { type OverviewSnapshot } from "../../../gateway/admin/shapes/overview.ts";
import { type Latency } from "../../../gateway/admin/figures/latency.ts";
import { visibleText } from "../../../lib/text/visible-text.ts";
import { type AdminEvent } from "../../../gateway/admin/shapes/events.ts";
import { bytesText, countText, durationText, timeText } from "../../common/units.ts";
import { type NarrowColumn } from "./narrow-table.ts";
import { type RouteRates } from "../../../gateway/admin/figures/rates.ts";
import { type Style } from "./spans.ts";
import { type Sort, type TopState } from "./top-state.ts";

type RouteRow = RouteRates & { readonly route: string };

const VALUES: Readonly<Record<Exclude<Sort, "name">, (route: RouteRow) => number>> = {
  requests: ({ perSecond: rate }) => rate,
  errors: ({ clientErrors, serverErrors }) => serverErrors * 1e6 + clientErrors,
  p95: ({ p95 }) => p95?.ms ?? -1,
  bytes: ({ bytesOut }) => bytesOut,
};

function byName(a: RouteRow, b: RouteRow): number {
  return a.route < b.route ? -1 : a.route > b.route ? 1 : 0;
}

/** Routes in the chosen order. */
export function sortedRoutes({ rates, sort, isReversed }: TopState): RouteRow[] {
  const compare =
    sort === "name" ? byName : (a: RouteRow, b: RouteRow) => VALUES[sort](b) - VALUES[sort](a) || byName(a, b);
  const sorted = Array.from(rates?.routes ?? [], ([route, own]) => ({ route, ...own })).toSorted(compare);
  return isReversed ? sorted.toReversed() : sorted;
}

/** The columns of routes. The sort column has a mark. */
export function routeColumns({ sort, isReversed, rates }: TopState): readonly NarrowColumn<RouteRow>[] {
  const { seconds = 1 } = rates ?? {};
  const mark = (title: string, key: Sort): string => (sort === key ? `${title}${isReversed ? "↑" : "↓"}` : title);
  return [
    {
      title: mark("ROUTE", "name"),
      cell: ({ route }) => (route === "" ? "(others)" : visibleText(route)),
      cut: 12,
      grows: true,
    },
    { title: mark("REQ/S", "requests"), cell: (row) => perSecond(row.perSecond), right: true, min: 6 },
    {
      title: "4XX/S",
      cell: ({ clientErrors }) => perSecond(clientErrors / seconds),
      style: ({ clientErrors }) => (clientErrors > 0 ? "warn" : "dim"),
      right: true,
      min: 6,
      drop: 3,
    },
    {
      title: mark("5XX/S", "errors"),
      cell: ({ serverErrors }) => perSecond(serverErrors / seconds),
      style: ({ serverErrors }) => (serverErrors > 0 ? "bad" : "dim"),
      right: true,
      min: 6,
    },
    { title: "P50", cell: ({ p50 }) => milliseconds(p50), right: true, min: 6, drop: 4 },
    { title: mark("P95", "p95"), cell: ({ p95 }) => milliseconds(p95), right: true, min: 6, drop: 1 },
    { title: "P99", cell: ({ p99 }) => milliseconds(p99), right: true, min: 6, drop: 5 },
    { title: mark("OUT/S", "bytes"), cell: ({ bytesOut }) => bytesText(bytesOut), right: true, min: 8, drop: 2 },
  ];
}

type BuyerRow = OverviewSnapshot["funnel"][number];

/** The requests on priced routes since the start, the most first. */
export function buyerRows({ snapshot }: TopState): BuyerRow[] {
  const all = ({ stages }: BuyerRow): number => (stages.unpaid ?? 0) + (stages.signed ?? 0);
  return (snapshot?.funnel ?? []).toSorted((a, b) => all(b) - all(a));
}

function stageColumn(stage: FunnelStage, drop?: number): NarrowColumn<BuyerRow> {
  const cell = ({ stages }: BuyerRow): string => countText(stages[stage] ?? 0);
  return { title: stage.toUpperCase(), cell, right: true, min: 6, ...(drop === undefined ? {} : { drop }) };
}

export const BUYER_COLUMNS: readonly NarrowColumn<BuyerRow>[] = [
  { title: "BUYERS", cell: ({ route }) => (route === "" ? "(others)" : visibleText(route)), cut: 12 },
  { title: "CLIENT", cell: ({ client }) => visibleText(client) },
  stageColumn("free", 7),
  stageColumn("unpaid"),
  stageColumn("signed", 2),
  stageColumn("verified", 4),
  stageColumn("settled", 5),
  stageColumn("delivered"),
  stageColumn("again", 6),
  {
    title: "LOST",
    cell: ({ losses }) =>
      Object.entries(losses)
        .toSorted(([, a], [, b]) => b - a)
        .map(([reason, count]) => `${visibleText(reason)} ${countText(count)}`)
        .join(", "),
    style: () => "warn",
    cut: 10,
    drop: 3,
  },
];

type ServerRow = OverviewSnapshot["upstreams"][number]["servers"][number] & { readonly upstream: string };

/** All servers; those with problems come first. */
export function serverRows({ snapshot }: TopState): ServerRow[] {
  const rows = (snapshot?.upstreams ?? []).flatMap(({ name, servers }) =>
    servers.map((server) => ({ ...server, upstream: name })),
  );
  return rows.toSorted((a, b) => Number(a.in_rotation) - Number(b.in_rotation));
}

export const SERVER_COLUMNS: readonly NarrowColumn<ServerRow>[] = [
  { title: "SERVER", cell: ({ upstream, server }) => visibleText(`${upstream} ${server}`), cut: 20 },
  { title: "HEALTH", cell: ({ health }) => visibleText(health), style: serverStyle },
  { title: "ROTATION", cell: rotationText, style: serverStyle, drop: 1 },
  { title: "IN FLIGHT", cell: ({ requests_in_flight: count }) => countText(count), right: true, min: 6, drop: 2 },
  { title: "CONNS", cell: ({ connections }) => countText(connections), right: true, min: 6, drop: 3 },
  { title: "REASON", cell: ({ reason }) => visibleText(reason), cut: 12, drop: 4 },
];

function rotationText({ drained, in_rotation: isIn }: ServerRow): string {
  return drained ? "drained" : isIn ? "in" : "out";
}

function serverStyle({ health, in_rotation: isIn, drained }: ServerRow): Style {
  if (drained) return "warn";
  if (health === "unhealthy" || !isIn) return "bad";
  return health === "healthy" ? "good" : "plain";
}

export const EVENT_COLUMNS: readonly NarrowColumn<AdminEvent>[] = [
  { title: "EVENT", cell: ({ time_ms: time }) => timeText(time).slice(11) },
  { title: "KIND", cell: ({ kind }) => visibleText(kind), drop: 1 },
  {
    title: "MESSAGE",
    cell: ({ message, outcome }) =>
      visibleText(outcome === undefined || outcome === "done" ? message : `${outcome}: ${message}`),
    style: ({ outcome }) => (outcome === "failed" || outcome === "refused" ? "bad" : "plain"),
    cut: 10,
  },
];

/** A rate per second in a few characters. */
export function perSecond(value: number): string {
  return value < 10 ? String(Number(value.toFixed(1))) : countText(Math.round(value));
}

/** A latency in a few characters; a dash if there is no measurement. */
export function milliseconds(latency: Latency | undefined): string {
  return latency === undefined ? "-" : durationText(latency.ms).replace(" ", "");
}
