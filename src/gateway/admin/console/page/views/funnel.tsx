import { useState } from "preact/hooks";
import { CLIENT_CLASSES, FUNNEL_STAGES, type FunnelStage } from "../../../../telemetry/metrics/funnel-steps.ts";
import { type FunnelEntry, type FunnelReading } from "../api/shapes.ts";
import { lossText } from "../format/losses.ts";
import { count, NONE, percent } from "../format/numbers.ts";
import { linkTo } from "../live/view-location.ts";
import { type Resource, useResource } from "../live/resource.ts";
import { Head, Panel } from "../parts/bits.tsx";
import { Select } from "../parts/select.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { numberColumn, Table } from "../parts/table.tsx";
import { Tabs } from "../parts/tabs.tsx";

const READ_MS = 10_000;
type Range = "hour" | "days";
const RANGES = [
  ["hour", "1 hour"],
  ["days", "30 days"],
] as const;

/** The view with a range, which is an hour by default. */
export function funnelLink(range: string): string {
  return linkTo("funnel", { range: range === "hour" ? undefined : range });
}

/** The stages of a sale, and the words for them. `free` is not one: it needs no payment. */
const STAGES: Readonly<Record<Exclude<FunnelStage, "free">, string>> = {
  unpaid: "Came without a payment",
  challenged: "Got the price (402)",
  signed: "Sent a payment",
  verified: "Payment verified",
  settled: "Money transferred",
  delivered: "Response delivered",
  again: "Bought before",
};

/** The stages that buyers reach, and the reasons of losses. */
export function Funnel({ range: asked }: { readonly range: string }) {
  const range: Range = asked === "days" ? "days" : "hour";
  const funnel = useFunnel();
  return (
    <>
      <Head title="Funnel" lead="A request on a priced route counts in each stage that it reaches.">
        <Tabs label="Range" isSmall tabs={RANGES} current={range} linkOf={funnelLink} />
      </Head>
      <Loaded resource={funnel}>
        {(data) => <Parts entries={entriesOf(data, range)} reason={range === "days" ? data.reason : undefined} />}
      </Loaded>
    </>
  );
}

/** The funnel, read again and again. */
export function useFunnel(): Resource<FunnelReading> {
  return useResource<FunnelReading>("/v1/funnel", { everyMs: READ_MS });
}

/** The entries of all periods of a range. */
export function entriesOf(reading: FunnelReading, range: Range): readonly FunnelEntry[] {
  return reading[range].flatMap(({ entries }) => entries);
}

function Parts({ entries, reason }: { readonly entries: readonly FunnelEntry[]; readonly reason: string | undefined }) {
  const [client, setClient] = useState("");
  const wanted = client === "" ? entries : entries.filter((entry) => entry.client === client);
  if (reason !== undefined) return <Empty title="The funnel cannot be read">{reason}</Empty>;
  return (
    <>
      <div class="columns">
        <Panel
          title="Stages"
          aside={
            <Select
              class="input filter"
              label="Class of clients"
              value={client}
              choices={[["", "All clients"], ...CLIENT_CLASSES.map((name) => [name, name] as const)]}
              onChoose={setClient}
            />
          }
        >
          <Stages entries={wanted} />
        </Panel>
        <Panel title="Reasons of losses" isFlush>
          <Losses entries={wanted} />
        </Panel>
      </div>
      <Panel title="Routes and clients" isFlush>
        <ByRoute entries={wanted} />
      </Panel>
    </>
  );
}

function sumOf(entries: readonly FunnelEntry[], stage: FunnelStage): number {
  return entries.reduce((sum, { stages }) => sum + (stages[stage] ?? 0), 0);
}

/** A bar for each stage, with its share of the stage before. */
export function Stages({ entries }: { readonly entries: readonly FunnelEntry[] }) {
  const free = sumOf(entries, "free");
  const named = Object.entries(STAGES).map(([stage, title]) => ({
    title,
    // The keys of `STAGES` are stages.
    value: sumOf(entries, stage as FunnelStage),
  }));
  const most = Math.max(...named.map(({ value }) => value));
  if (most === 0 && free === 0)
    return (
      <Empty title="No requests on priced routes in this time">Each request to a route with a price counts.</Empty>
    );
  return (
    <>
      <ol class="bars">
        {named.map(({ title, value }, at) => (
          <li key={title}>
            <span class="bar" style={{ "--share": most === 0 ? 0 : value / most }} aria-hidden="true" />
            <span>{title}</span>
            <span class="num">
              <b>{count(value)}</b>{" "}
              <span class="soft">{at === 0 ? "" : percentOf(value, named[at - 1]?.value ?? 0)}</span>
            </span>
          </li>
        ))}
      </ol>
      {free === 0 ? null : <p class="soft small num">{count(free)} more were free.</p>}
    </>
  );
}

/** Buyers can come from before the time, so a share can be more than all. */
function percentOf(value: number, before: number): string {
  return before === 0 || value > before ? NONE : percent(value / before);
}

function Losses({ entries }: { readonly entries: readonly FunnelEntry[] }) {
  const sums = new Map<string, number>();
  for (const { losses } of entries)
    for (const [loss, times = 0] of Object.entries(losses)) sums.set(loss, (sums.get(loss) ?? 0) + times);
  return (
    <Table<[string, number]>
      caption="Requests that were not sold, by reason"
      rows={[...sums].toSorted(([, a], [, b]) => b - a)}
      keyOf={([loss]) => loss}
      empty={<Empty title="No payment was lost" />}
      columns={[
        { name: "Reason", cell: ([loss]) => lossText(loss) },
        { name: "Requests", isNumber: true, cell: ([, times]) => count(times) },
      ]}
    />
  );
}

interface RouteRow {
  readonly route: string;
  readonly client: string;
  readonly entries: readonly FunnelEntry[];
}

function lostOf(entries: readonly FunnelEntry[]): number {
  return entries.flatMap(({ losses }) => Object.values(losses)).reduce((sum, times) => sum + times, 0);
}

const COLUMNS = FUNNEL_STAGES.filter((stage) => stage !== "unpaid");

function ByRoute({ entries }: { readonly entries: readonly FunnelEntry[] }) {
  const rows = [...Map.groupBy(entries, ({ route, client }) => `${client} ${route}`).values()].map(
    (own): RouteRow => ({ route: own[0]?.route ?? "", client: own[0]?.client ?? "", entries: own }),
  );
  return (
    <Table<RouteRow>
      caption="Stages by route and class of clients"
      rows={rows}
      keyOf={({ route, client }) => `${client} ${route}`}
      sortedBy="challenged"
      empty={<Empty title="No requests on priced routes in this time" />}
      columns={[
        {
          name: "Route",
          sort: ({ route }) => route,
          cell: ({ route }) => <code class="route-name">{route === "" ? "all others" : route}</code>,
        },
        { name: "Client", sort: ({ client }) => client, cell: ({ client }) => (client === "" ? "others" : client) },
        ...COLUMNS.map((stage) => numberColumn<RouteRow>(stage, ({ entries: own }) => sumOf(own, stage))),
        { name: "lost", isNumber: true, cell: ({ entries: own }) => count(lostOf(own)) },
      ]}
    />
  );
}
