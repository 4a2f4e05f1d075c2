import { type ComponentChildren } from "preact";
import { type Amount, type PaymentSummary, type SoldOnDay } from "../api/shapes.ts";
import { currencyOf, decimal, sum } from "../format/money.ts";
import { count, counted } from "../format/numbers.ts";
import { linkTo } from "../live/view-location.ts";
import { useResource } from "../live/resource.ts";
import { Ago, Head, Tile, Tiles } from "../parts/bits.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { tokenName } from "../parts/token.tsx";
import { Alerts } from "./alerts.tsx";
import { Facilitators } from "./facilitators.tsx";
import { Sold } from "./sold.tsx";

const READ_MS = 10_000;
const VIEWS = [
  ["payments", "Sales"],
  ["payments/all", "All payments"],
  ["payments/payers", "Top payers"],
] as const;

type Ledger = Extract<PaymentSummary, { readonly available: true }>;

/** The header of the views of payments. */
export function PaymentsHead({
  view,
  lead,
  children,
}: {
  readonly view: string;
  readonly lead: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <>
      <Head title="Payments" lead={lead}>
        {children}
      </Head>
      <Tabs label="Payments" tabs={VIEWS} current={view} />
      <Alerts />
    </>
  );
}

/** The content of a view of payments, or what an operator does to get one. */
export function WithLedger({ children }: { readonly children: (ledger: Ledger) => ComponentChildren }) {
  const payments = useResource<PaymentSummary>("/v1/payments", { everyMs: READ_MS, on: ["payment"] });
  return (
    <Loaded resource={payments}>
      {(data) =>
        data.available ? (
          children(data)
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
  );
}

/** Sales, and counts of payments that are not completed. */
export function Payments() {
  return (
    <>
      <PaymentsHead view="payments" lead="Settled payments of the last 30 days, before refunds, by days in UTC." />
      <WithLedger>{(ledger) => <Books ledger={ledger} />}</WithLedger>
      <Facilitators />
    </>
  );
}

function Books({ ledger }: { readonly ledger: Ledger }) {
  const { days, open, unknown, deferred, owed, oldest_open_ms: oldestOpen } = ledger;
  const currencies = currenciesOf(days);
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
          detail={<Listed count={unknown} state="unknown" text="the facilitator is asked again" />}
        />
        {deferred === 0 ? null : (
          <Tile
            label="Deferred"
            value={count(deferred)}
            detail={<Listed count={deferred} state="deferred" text="charged for what is delivered" />}
          />
        )}
        <Tile
          label="Owed"
          value={count(owed)}
          tone={owed > 0 ? "warn" : undefined}
          detail={<Listed count={owed} state="owed" text="paid, response not delivered" />}
        />
      </Tiles>
      {currencies.map((currency) => (
        <Sold key={currencyOf(currency)} currency={currency} days={days} />
      ))}
    </>
  );
}

interface ListedProps {
  readonly count: number;
  readonly state: string;
  readonly text: string;
}

/** A text with a link to the payments of a state, if there are any. */
function Listed({ count: number, state, text }: ListedProps) {
  return number === 0 ? <>{text}</> : <a href={linkTo("payments/all", { state })}>{text}</a>;
}

/** One amount of each token. */
export function currenciesOf<T extends Amount>(amounts: readonly T[]): readonly T[] {
  return [...new Map(amounts.map((amount) => [currencyOf(amount), amount])).values()];
}

/** The sales of today, in one token. */
export function SoldToday({
  currency,
  days,
  open,
}: {
  readonly currency: Amount;
  readonly days: readonly SoldOnDay[];
  /** Shown in place of the network. */
  readonly open?: number;
}) {
  const today = new Date().toISOString().slice(0, 10);
  const own = days.filter((day) => day.day === today && currencyOf(day) === currencyOf(currency));
  const payments = own.reduce((all, day) => all + day.payments, 0);
  return (
    <Tile
      label="Sold today"
      value={decimal(sum(own.map(({ amount }) => amount)), currency.decimals)}
      unit={tokenName(currency)}
      detail={`${counted(payments, "payment")}, ${open === undefined ? currency.network : `${count(open)} open`}`}
    />
  );
}
