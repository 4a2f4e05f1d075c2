import { type Amount, type PaymentSummary, type SoldCounts, type UsageBody, type UsageCounts } from "../api/shapes.ts";
import { aligned, currencyOf } from "../format/money.ts";
import { bytes, counted, NONE } from "../format/numbers.ts";
import { linkTo } from "../live/view-location.ts";
import { type Resource, useResource } from "../live/resource.ts";
import { askToCall } from "../parts/ask.tsx";
import { agoCell, errorCount, Head, Panel, Time } from "../parts/bits.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { type Column, numberColumn, Table } from "../parts/table.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { PayerLink } from "../parts/payment-bits.tsx";
import { Token } from "../parts/token.tsx";
import { Button, Changes } from "../parts/button.tsx";

const READ_MS = 5_000;
/** The name of a consumer without a name: the address that paid. */
const PAYER = /^0x[0-9a-f]{40}$/;
const GROUPINGS = ["consumers", "routes", "upstreams"] as const;
type Grouping = (typeof GROUPINGS)[number];
const GROUPING_TABS = GROUPINGS.map((one) => [one, `By ${one.slice(0, -1)}`] as const);

interface UsageRow extends UsageCounts {
  readonly payments: number;
  readonly amounts: readonly Amount[];
  readonly key: string;
  readonly name: string;
  readonly isNamed: boolean;
}

/** The usage of each consumer, route or upstream since the last reset of the counters. */
export function Usage({ by }: { readonly by: string }) {
  const usage = useResource<UsageBody>("/v1/usage", { everyMs: READ_MS });
  const payments = useResource<PaymentSummary>("/v1/payments");
  const grouping: Grouping = GROUPINGS.find((one) => one === by) ?? "consumers";
  return (
    <>
      <Head
        title="Usage"
        lead={
          usage.data === undefined ? undefined : (
            <>
              Counted since <Time ms={usage.data.since_ms} />. Consumers are named by authentication.
            </>
          )
        }
      >
        <a class="button" href="/v1/usage?format=csv" download="usage.csv">
          Download CSV
        </a>
        <Changes>
          <ResetButton usage={usage} />
        </Changes>
      </Head>
      <Tabs label="Usage by" tabs={GROUPING_TABS} current={grouping} linkOf={(one) => linkTo("usage", { by: one })} />
      <Loaded resource={usage}>
        {(data) => <UsageTable grouping={grouping} rows={withTokens(rowsOf(data, grouping), payments.data)} />}
      </Loaded>
    </>
  );
}

function ResetButton({ usage }: { readonly usage: Resource<UsageBody> }) {
  const reset = (): void =>
    askToCall({
      title: "Reset usage?",
      action: "Reset usage",
      body: (
        <p>
          All counters of consumers, routes and upstreams begin at 0. Download the CSV first to keep them. Payments and
          the metrics stay as they are.
        </p>
      ),
      path: "/v1/usage",
      done: "Usage is reset.",
      onChange: usage.reload,
    });
  return <Button label="Reset" kind="danger" onClick={reset} />;
}

function rowsOf(usage: UsageBody, grouping: Grouping): readonly UsageRow[] {
  if (grouping === "upstreams") return usage.upstreams.map((entry) => rowOf(entry, entry.upstream, entry.upstream));
  if (grouping === "routes") {
    return usage.routes.map((entry) => rowOf(entry, entry.route, entry.route === "" ? "no route" : entry.route));
  }
  return usage.consumers.map((entry) => rowOf(entry, entry.name, entry.anonymous === true ? "anonymous" : entry.name));
}

type UsageEntry = UsageCounts &
  Partial<Pick<SoldCounts, "payments" | "amounts">> & { readonly other?: true | undefined };

function rowOf(entry: UsageEntry, key: string, shown: string): UsageRow {
  const isOther = entry.other === true;
  const name = isOther ? "all others" : shown;
  return {
    ...entry,
    payments: entry.payments ?? 0,
    amounts: entry.amounts ?? [],
    key: `${isOther ? "other" : "own"} ${key} ${name}`,
    name,
    isNamed: name === key && name !== "",
  };
}

/** Adds the names and decimals of tokens. Usage has only token units; the ledger's summary has the rest. */
function withTokens(rows: readonly UsageRow[], payments: PaymentSummary | undefined): readonly UsageRow[] {
  if (payments?.available !== true) return rows;
  const tokens = new Map([...payments.recent, ...payments.days].map((one) => [currencyOf(one).toLowerCase(), one]));
  return rows.map((row) => ({
    ...row,
    amounts: row.amounts.map((amount) => {
      const { decimals, symbol } = tokens.get(currencyOf(amount).toLowerCase()) ?? {};
      return { ...amount, decimals, symbol };
    }),
  }));
}

function UsageTable({ grouping, rows }: { readonly grouping: Grouping; readonly rows: readonly UsageRow[] }) {
  const columns: Column<UsageRow>[] = [
    {
      name: grouping === "consumers" ? "Consumer" : grouping === "routes" ? "Route" : "Upstream",
      sort: ({ name }) => name,
      cell: ({ name, isNamed }) => {
        if (!isNamed) return <em class="soft">{name}</em>;
        return grouping === "consumers" && PAYER.test(name) ? (
          <PayerLink payer={name} />
        ) : (
          <code class="route-name">{name}</code>
        );
      },
    },
    numberColumn("Requests", ({ requests }) => requests),
    numberColumn("In", (row) => row.request_bytes, bytes),
    numberColumn("Out", (row) => row.response_bytes, bytes),
    numberColumn("4xx", (row) => row.client_errors),
    numberColumn("5xx", (row) => row.server_errors, errorCount),
  ];
  if (grouping !== "upstreams") {
    const amounts = rows.flatMap((row) => row.amounts);
    const texts = aligned(amounts);
    const textOf = new Map(amounts.map((amount, at) => [amount, texts[at] ?? ""]));
    columns.push(
      numberColumn("Payments", ({ payments }) => payments),
      { name: "Paid", isNumber: true, cell: (row) => <Paid amounts={row.amounts} textOf={textOf} /> },
    );
  }
  columns.push(numberColumn("Last seen", (row) => row.last_seen_ms, agoCell));
  return (
    <Panel title={counted(rows.length, grouping.slice(0, -1))} isFlush>
      <Table
        key={grouping}
        caption={`Usage by ${grouping.slice(0, -1)}`}
        columns={columns}
        rows={rows}
        keyOf={({ key }) => key}
        sortedBy="Requests"
        empty={<Empty title="Nothing was counted yet">The first request through the gateway begins the list.</Empty>}
      />
    </Panel>
  );
}

interface PaidProps {
  readonly amounts: readonly Amount[];
  readonly textOf: ReadonlyMap<Amount, string>;
}

function Paid({ amounts, textOf }: PaidProps) {
  if (amounts.length === 0) return <>{NONE}</>;
  return (
    <span class="stack end">
      {amounts.map((amount) => (
        <span key={currencyOf(amount)}>
          {textOf.get(amount)}{" "}
          <span class="soft">
            <Token {...amount} />
          </span>
        </span>
      ))}
    </span>
  );
}
