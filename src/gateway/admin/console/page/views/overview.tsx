import { type Overview as Counters, type PaymentSummary, type UsageHours } from "../api/shapes.ts";
import { ageText } from "../../../../../lib/time/age-text.ts";
import { currencyOf } from "../format/money.ts";
import { bytes, count, counted, milliseconds, NONE, percent, short } from "../format/numbers.ts";
import { eventFeed } from "../live/event-feed.ts";
import { traffic, type Traffic } from "../live/overview-feed.ts";
import { linkTo } from "../live/view-location.ts";
import { type Resource, useResource } from "../live/resource.ts";
import { type RouteRates } from "../../../figures/rates.ts";
import { useStore } from "../api/store.ts";
import { Ago, Badge, errorCount, Head, latencyText, Panel, Tile, Tiles } from "../parts/bits.tsx";
import { Plot } from "../parts/plot.tsx";
import { Empty, Loaded, Loading, ProblemNotice } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { Token } from "../parts/token.tsx";
import { Alerts } from "./alerts.tsx";
import { EventList } from "./event-list.tsx";
import { entriesOf, funnelLink, Stages, useFunnel } from "./funnel.tsx";
import { currenciesOf, SoldToday } from "./payments.tsx";
import { SoldByDay, soldIn } from "./sold.tsx";

/** Milliseconds of the shortest range, and seconds that its plots have at least. */
const SHORT_MS = 300_000;
const PLOT_SPAN_S = 60;
const LEDGER_MS = 10_000;
const HOURS_MS = 60_000;
const SHOWN_ROUTES = 10;
const SHOWN_EVENTS = 6;
/** Tokens whose sales of today are shown. */
const MAX_SOLD = 2;

const RANGES = [
  ["", "5 min"],
  ["hour", "1 hour"],
  ["month", "30 days"],
] as const;
const linkOf = (range: string): string => linkTo("overview", { range: range || undefined });

/** The current traffic and state of the gateway. */
export function Overview({ range }: { readonly range: string }) {
  const state = useStore(traffic);
  const ledger = useResource<PaymentSummary>("/v1/payments", { everyMs: LEDGER_MS, on: ["payment"] });
  const { now, problem } = state;
  if (now === undefined) {
    return (
      <>
        <Head title="Overview" />
        {problem === undefined || problem.status === 0 || problem.status === 401 ? (
          <Loading />
        ) : (
          <ProblemNotice problem={problem} />
        )}
      </>
    );
  }
  return (
    <>
      <Head title="Overview" lead={<Uptime now={now} />}>
        <Tabs label="Range of the plots" isSmall tabs={RANGES} current={range} linkOf={linkOf} />
      </Head>
      <Alerts />
      <Figures state={state} now={now} ledger={ledger.data} />
      {range === "month" ? <Month /> : <Plots state={state} isHour={range === "hour"} />}
      <div class="columns">
        <Revenue ledger={ledger} />
        <FunnelNow range={range === "month" ? "days" : "hour"} />
      </div>
      <RoutesNow state={state} />
      <div class="columns">
        <UpstreamsNow upstreams={now.upstreams} />
        <Workers now={now} />
      </div>
      <Recent />
    </>
  );
}

function Uptime({ now }: { readonly now: Counters }) {
  return (
    <span class="num">
      Up for {ageText(now.time_ms - now.started_at_ms)}, {counted(now.requests, "request")} so far. Rates and
      percentiles are those of the last minute.
    </span>
  );
}

interface FiguresProps {
  readonly state: Traffic;
  readonly now: Counters;
  readonly ledger: PaymentSummary | undefined;
}

function Figures({ state: { window }, now, ledger }: FiguresProps) {
  const days = ledger?.available === true ? ledger.days : [];
  const currencies = currenciesOf(days);
  const errors = window === undefined || window.requests === 0 ? undefined : window.serverErrors / window.requests;
  const refused = window === undefined || window.requests === 0 ? undefined : window.clientErrors / window.requests;
  return (
    <Tiles>
      <Tile
        label="Requests"
        value={window === undefined ? NONE : short(window.perSecond)}
        unit="/s"
        detail={window === undefined ? "" : `${bytes(window.bytesIn)}/s in, ${bytes(window.bytesOut)}/s out`}
      />
      <Tile
        label="Server errors"
        value={percent(errors)}
        tone={errors !== undefined && errors >= 0.01 ? "bad" : undefined}
        detail={refused === undefined ? "of all requests" : `client errors ${percent(refused)}`}
      />
      <Tile
        label="Latency, p95"
        value={latencyText(window?.p95)}
        detail={`p50 ${latencyText(window?.p50)}, p99 ${latencyText(window?.p99)}`}
      />
      <Tile
        label="In flight"
        value={count(now.requests_in_flight)}
        detail={counted(now.connections_open, "connection")}
      />
      <Tile
        label="Cache hits"
        value={percent(window?.cacheHits)}
        detail={`${count(now.caches.entries)} entries, ${bytes(now.caches.bytes)}`}
      />
      {currencies.slice(0, MAX_SOLD).map((currency) => (
        <SoldToday key={currencyOf(currency)} currency={currency} days={days} open={now.payments.open} />
      ))}
      {currencies.length === 0 ? <Money payments={now.payments} /> : null}
    </Tiles>
  );
}

function Money({ payments: { open, settled, failed } }: { readonly payments: Counters["payments"] }) {
  return (
    <Tile label="Open payments" value={count(open)} detail={`${count(settled)} settled, ${count(failed)} failed`} />
  );
}

function Plots({ state, isHour }: { readonly state: Traffic; readonly isHour: boolean }) {
  const since = (state.now?.time_ms ?? 0) - SHORT_MS;
  const samples = isHour ? state.samples : state.samples.filter(({ timeMs }) => timeMs >= since);
  const range = isHour ? "hour" : "five minutes";
  const times = samples.map(({ timeMs }) => timeMs / 1000);
  const last = samples.at(-1);
  const rates = samples.flatMap(({ requests }) => (requests === null ? [] : [requests]));
  const highest = rates.length === 0 ? 0 : Math.max(...rates);
  return (
    <div class="columns">
      <Panel title="Requests a second">
        <Plot
          label={`Requests a second in the last ${range}: now ${short(last?.requests ?? 0)}, at most ${short(highest)}`}
          times={times}
          span={PLOT_SPAN_S}
          format={short}
          lines={[
            { name: "All", color: "--plot-1", isFilled: true, values: samples.map(({ requests }) => requests) },
            { name: "4xx", color: "--plot-2", dash: [4, 3], values: samples.map(({ clientErrors }) => clientErrors) },
            { name: "5xx", color: "--plot-3", values: samples.map(({ serverErrors }) => serverErrors) },
          ]}
        />
      </Panel>
      <Panel title="Latency">
        <Plot
          label={`Latency in the last ${range}: p50 ${milliseconds(last?.p50 ?? 0)}, p95 ${milliseconds(last?.p95 ?? 0)}, p99 ${milliseconds(last?.p99 ?? 0)}`}
          times={times}
          span={PLOT_SPAN_S}
          format={milliseconds}
          lines={[
            { name: "p50", color: "--plot-4", values: samples.map(({ p50 }) => p50) },
            { name: "p95", color: "--plot-1", values: samples.map(({ p95 }) => p95) },
            { name: "p99", color: "--plot-2", dash: [4, 3], values: samples.map(({ p99 }) => p99) },
          ]}
        />
      </Panel>
    </div>
  );
}

const HOUR_S = 3600;
const MONTH_HOURS = 720;

/** Requests of each hour of 30 days. */
function Month() {
  const read = useResource<UsageHours>("/v1/usage/hours", { everyMs: HOURS_MS });
  return (
    <Panel title="Requests an hour, to all routes">
      <Loaded resource={read}>{({ hours }) => <HourPlot hours={hours} />}</Loaded>
    </Panel>
  );
}

function HourPlot({ hours }: Pick<UsageHours, "hours">) {
  const byHour = new Map(hours.map((hour) => [hour.time_ms / 1000, hour]));
  const last = Math.floor(Date.now() / 1000 / HOUR_S) * HOUR_S;
  const times = Array.from({ length: MONTH_HOURS }, (_, at) => last - (MONTH_HOURS - 1 - at) * HOUR_S);
  const line = (key: "requests" | "client_errors" | "server_errors"): number[] =>
    times.map((time) => byHour.get(time)?.[key] ?? 0);
  const all = hours.reduce((sum, { requests }) => sum + requests, 0);
  return (
    <Plot
      label={`Requests an hour in the last 30 days, ${short(all)} in all`}
      times={times}
      format={short}
      isDays
      lines={[
        { name: "All", color: "--plot-1", isFilled: true, values: line("requests") },
        { name: "4xx", color: "--plot-2", dash: [4, 3], values: line("client_errors") },
        { name: "5xx", color: "--plot-3", values: line("server_errors") },
      ]}
    />
  );
}

function FunnelNow({ range }: { readonly range: "hour" | "days" }) {
  const funnel = useFunnel();
  const link = funnelLink(range);
  return (
    <Panel title={range === "hour" ? "Funnel, 1 hour" : "Funnel, 30 days"} aside={<a href={link}>Reasons of losses</a>}>
      <Loaded resource={funnel}>{(data) => <Stages entries={entriesOf(data, range)} />}</Loaded>
    </Panel>
  );
}

/** Sales of 30 days in each token. */
function Revenue({ ledger }: { readonly ledger: Resource<PaymentSummary> }) {
  return (
    <Panel title="Revenue, 30 days" aside={<a href={linkTo("payments")}>All sales</a>}>
      <Loaded resource={ledger}>
        {(data) => {
          const days = data.available ? data.days : [];
          if (days.length === 0) {
            return (
              <Empty title={data.available ? "Nothing was sold in 30 days" : "No sales to show"}>
                {data.available ? "A payment is counted when it is settled." : `${data.reason}.`}
              </Empty>
            );
          }
          return currenciesOf(days).map((currency) => {
            const own = days.filter((day) => currencyOf(day) === currencyOf(currency));
            return (
              <div key={currencyOf(currency)}>
                <p class="num">
                  <b>{soldIn(currency, own)}</b> <Token {...currency} /> <span class="soft">{currency.network}</span>
                </p>
                <SoldByDay currency={currency} days={own} />
              </div>
            );
          });
        }}
      </Loaded>
    </Panel>
  );
}

function RoutesNow({ state: { window } }: { readonly state: Traffic }) {
  const rows = [...(window?.routes ?? [])]
    .filter(([, { requests }]) => requests > 0)
    .toSorted(([, a], [, b]) => b.requests - a.requests)
    .slice(0, SHOWN_ROUTES);
  return (
    <Panel title="Busiest routes" aside={<a href={linkTo("routes")}>All routes</a>} isFlush>
      <Table<[string, RouteRates]>
        caption="The busiest routes of the last minute"
        rows={rows}
        keyOf={([route]) => route}
        empty={<Empty title="No requests in the last minute">Figures come with the next request to a route.</Empty>}
        columns={[
          { name: "Route", cell: ([route]) => <code class="route-name">{route === "" ? "no route" : route}</code> },
          { name: "Requests", isNumber: true, cell: ([, rates]) => `${short(rates.perSecond)} /s` },
          { name: "p50", isNumber: true, isMinor: true, cell: ([, { p50 }]) => latencyText(p50) },
          { name: "p95", isNumber: true, cell: ([, { p95 }]) => latencyText(p95) },
          { name: "p99", isNumber: true, isMinor: true, cell: ([, { p99 }]) => latencyText(p99) },
          { name: "4xx", isNumber: true, cell: ([, { clientErrors }]) => count(clientErrors) },
          { name: "5xx", isNumber: true, cell: ([, { serverErrors }]) => errorCount(serverErrors) },
        ]}
      />
    </Panel>
  );
}

function UpstreamsNow({ upstreams }: { readonly upstreams: Counters["upstreams"] }) {
  return (
    <Panel title="Upstreams" aside={<a href={linkTo("upstreams")}>All servers</a>}>
      {upstreams.length === 0 ? (
        <Empty title="No upstreams">
          <a href={linkTo("upstreams/new")}>Add the first one</a>
        </Empty>
      ) : (
        <ul class="lines">
          {upstreams.slice(0, SHOWN_ROUTES).map(({ name, servers }) => {
            const able = servers.filter(({ in_rotation: isIn }) => isIn).length;
            const reason = servers.find(({ in_rotation: isIn, reason: why }) => !isIn && why)?.reason;
            return (
              <li key={name}>
                <span class="lines-main">
                  <code>{name}</code>
                  {reason === undefined ? null : <span class="soft small clip">{reason}</span>}
                </span>
                <Badge tone={able === servers.length ? "good" : able === 0 ? "bad" : "warn"}>
                  <span class="num">
                    {able} of {servers.length}
                  </span>
                </Badge>
              </li>
            );
          })}
        </ul>
      )}
    </Panel>
  );
}

function Workers({ now }: { readonly now: Counters }) {
  return (
    <Panel title="Workers" aside={<span class="soft num">{counted(now.worker_restarts, "restart")}</span>}>
      <ul class="lines">
        {now.workers.map(({ row, pid, started_at_ms: startedAt, requests_in_flight: inFlight, connections }) => (
          <li key={row}>
            <span class="lines-main num">
              <span>
                Worker {row} <span class="soft">pid {pid}</span>
              </span>
              <span class="soft small">up for {ageText(now.time_ms - startedAt)}</span>
            </span>
            <span class="num">
              {count(inFlight)} <span class="soft">in flight,</span> {count(connections)}{" "}
              <span class="soft">connections</span>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Recent() {
  const { events } = useStore(eventFeed);
  const newest = events.slice(-SHOWN_EVENTS).toReversed();
  return (
    <Panel title="Latest events" aside={<a href={linkTo("activity")}>All activity</a>} isFlush>
      {newest.length === 0 ? (
        <Empty title="Nothing has happened yet">
          Changes, reloads, restarts and the health of servers are listed here as they come.
        </Empty>
      ) : (
        <EventList events={newest} when={(event) => <Ago ms={event.time_ms} />} />
      )}
    </Panel>
  );
}
