import { type Amount, type PaymentSummary, type RecentPayment, type SoldOnDay } from "../api/shapes.ts";
import { abbreviated, aligned, currencyOf, decimal, sum } from "../format/money.ts";
import { count, counted, NONE } from "../format/numbers.ts";
import { linkTo } from "../live/view-location.ts";
import { useResource } from "../live/resource.ts";
import { Ago, Badge, Head, Panel, Tile, Tiles, Time, type Tone } from "../parts/bits.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { Token, tokenName } from "../parts/token.tsx";
import { Sold } from "./sold.tsx";

const READ_MS = 10_000;

type Ledger = Extract<PaymentSummary, { readonly available: true }>;

/** Sales, and payments that are not completed. */
export function Payments() {
  const payments = useResource<PaymentSummary>("/v1/payments", { everyMs: READ_MS, on: ["payment"] });
  return (
    <>
      <Head title="Payments" lead="Settled payments of the last 30 days, by days in UTC." />
      <Loaded resource={payments}>
        {(data) =>
          data.available ? (
            <Books ledger={data} />
          ) : (
            <Empty title="No payments to show">
              <p>The ledger is not open: {data.reason}.</p>
              <p>
                Set <code>x402</code> on a <a href={linkTo("routes")}>route</a> to take payments for it.
              </p>
            </Empty>
          )
        }
      </Loaded>
    </>
  );
}

function Books({ ledger }: { readonly ledger: Ledger }) {
  const { days, recent, open, unknown, owed, oldest_open_ms: oldestOpen } = ledger;
  const currencies = [...new Map(days.map((day) => [currencyOf(day), day])).values()];
  return (
    <>
      <Tiles>
        {currencies.length === 0 ? <Tile label="Sold today" value="0" detail="nothing in 30 days" /> : null}
        {currencies.map((currency) => (
          <SoldToday key={currencyOf(currency)} currency={currency} days={days} />
        ))}
        <Tile
          label="Open"
          value={count(open)}
          detail={
            oldestOpen === undefined ? (
              "no outcome known yet"
            ) : (
              <>
                oldest from <Ago ms={oldestOpen} />
              </>
            )
          }
        />
        <Tile
          label="Unknown"
          value={count(unknown)}
          tone={unknown > 0 ? "warn" : undefined}
          detail="the facilitator is asked again"
        />
        <Tile
          label="Owed"
          value={count(owed)}
          tone={owed > 0 ? "warn" : undefined}
          detail="paid, response not delivered"
        />
      </Tiles>
      {currencies.map((currency) => (
        <Sold key={currencyOf(currency)} currency={currency} days={days} />
      ))}
      <Recent recent={recent} />
    </>
  );
}

function SoldToday({ currency, days }: { readonly currency: Amount; readonly days: readonly SoldOnDay[] }) {
  const today = new Date().toISOString().slice(0, 10);
  const own = days.filter((day) => day.day === today && currencyOf(day) === currencyOf(currency));
  const payments = own.reduce((all, day) => all + day.payments, 0);
  return (
    <Tile
      label="Sold today"
      value={decimal(sum(own.map(({ amount }) => amount)), currency.decimals)}
      unit={tokenName(currency)}
      detail={`${counted(payments, "payment")}, ${currency.network}`}
    />
  );
}

const TONES: Readonly<Record<string, Tone>> = {
  settled: "good",
  settling: "accent",
  held: "accent",
  reserved: "accent",
  verified: "accent",
  unknown: "warn",
  failed: "bad",
};

type PaymentRow = RecentPayment & { readonly text: string };

function Recent({ recent }: { readonly recent: readonly RecentPayment[] }) {
  const texts = aligned(recent);
  return (
    <Panel title="Latest payments" isFlush>
      <Table<PaymentRow>
        caption="The latest payments"
        rows={recent.map((payment, at) => ({ ...payment, text: texts[at] ?? "" }))}
        keyOf={({ id }) => id}
        empty={<Empty title="No payments yet">A payment is listed from its first request on.</Empty>}
        columns={[
          { name: "Route", cell: ({ route }) => <code class="route-name">{route}</code> },
          {
            name: "State",
            cell: ({ state, delivered }) => (
              <Badge tone={state === "settled" && !delivered ? "warn" : (TONES[state] ?? "none")}>
                {state === "settled" && !delivered ? "settled, owed" : state}
              </Badge>
            ),
          },
          { name: "Time", cell: ({ time_ms: time }) => <Time ms={time} /> },
          { name: "Payer", cell: ({ payer }) => <Address text={payer} /> },
          { name: "Transaction", isMinor: true, cell: ({ transaction }) => <Address text={transaction} /> },
          { name: "Token", isMinor: true, cell: (row) => <Token {...row} /> },
          { name: "Amount", isNumber: true, cell: ({ text }) => text },
        ]}
      />
    </Panel>
  );
}

function Address({ text }: { readonly text: string }) {
  return text === "" ? <>{NONE}</> : <code title={text}>{abbreviated(text)}</code>;
}
