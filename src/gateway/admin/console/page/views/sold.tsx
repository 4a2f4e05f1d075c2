import { type Amount, type SoldOnDay } from "../api/shapes.ts";
import { aligned, currencyOf, decimal, sum } from "../format/money.ts";
import { Panel } from "../parts/bits.tsx";
import { Plot } from "../parts/plot.tsx";
import { type Column, numberColumn, Table } from "../parts/table.tsx";
import { tokenName } from "../parts/token.tsx";

const DAY_MS = 86_400_000;
const PLOT_DAYS = 30;
/** Days with their own column. */
const COLUMN_DAYS = 7;

interface SoldProps {
  readonly currency: Amount;
  readonly days: readonly SoldOnDay[];
}

/** The UTC date `days` days ago, for example `2026-11-22`. */
function dayAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}

/** Sales in one token, by day and by route. */
export function Sold({ currency, days }: SoldProps) {
  const own = days.filter((day) => currencyOf(day) === currencyOf(currency));
  const total = soldIn(currency, own);
  const name = tokenName(currency);
  return (
    <>
      <Panel
        title={<>Sold by day, {name}</>}
        aside={
          <span class="soft num" title={currency.asset}>
            {total} in {PLOT_DAYS} days, {currency.network}
          </span>
        }
      >
        <SoldByDay currency={currency} days={own} />
      </Panel>
      <Panel title={<>Sold by route, {name}</>} isFlush>
        <ByRoute currency={currency} days={own} />
      </Panel>
    </>
  );
}

/** The sum of sales in one token. */
export function soldIn({ decimals }: Amount, days: readonly SoldOnDay[]): string {
  return decimal(sum(days.map(({ amount }) => amount)), decimals);
}

/** The sales of each day in one token. */
export function SoldByDay({ currency, days }: SoldProps) {
  const total = soldIn(currency, days);
  const names = Array.from({ length: PLOT_DAYS }, (_, at) => dayAgo(PLOT_DAYS - 1 - at));
  const scale = 10 ** (currency.decimals ?? 0);
  const values = names.map(
    (name) => Number(sum(days.filter(({ day }) => day === name).map(({ amount }) => amount))) / scale,
  );
  return (
    <Plot
      label={`Sold by day in the last ${PLOT_DAYS} days, ${total} in all`}
      times={names.map((name) => Date.parse(name) / 1000)}
      isBars
      format={(value) => value.toLocaleString("en", { maximumSignificantDigits: 4 })}
      lines={[{ name: "Sold", color: "--plot-4", values }]}
    />
  );
}

interface RouteRow {
  readonly route: string;
  readonly payments: number;
  readonly cells: ReadonlyMap<string, string>;
  readonly amount: string;
  readonly total: string;
}

function ByRoute({ currency, days }: SoldProps) {
  const columns = Array.from({ length: COLUMN_DAYS }, (_, at) => dayAgo(COLUMN_DAYS - 1 - at));
  const rows = rowsOf(currency, days, columns);
  return (
    <Table<RouteRow>
      caption={`Sold by route in the last ${COLUMN_DAYS} days, and in ${PLOT_DAYS} days`}
      rows={rows}
      keyOf={({ route }) => route}
      sortedBy="30 days"
      columns={[
        { name: "Route", sort: ({ route }) => route, cell: ({ route }) => <code class="route-name">{route}</code> },
        ...columns.map(
          (day): Column<RouteRow> => ({
            name: shortDay(day),
            isNumber: true,
            cell: ({ cells }) => cells.get(day) ?? <span class="soft">0</span>,
          }),
        ),
        { name: "30 days", isNumber: true, sort: ({ amount }) => Number(amount), cell: ({ total }) => <b>{total}</b> },
        numberColumn("Payments", ({ payments }) => payments),
      ]}
    />
  );
}

/** Figures in a column have the same number of digits after the decimal point. */
function rowsOf({ decimals }: Amount, days: readonly SoldOnDay[], columns: readonly string[]): readonly RouteRow[] {
  const routes = [...new Set(days.map(({ route }) => route))];
  const textsOf = (amounts: readonly string[]): readonly string[] =>
    aligned(amounts.map((amount) => ({ amount, decimals })));
  const soldOn = (route: string, wanted: (day: string) => boolean): string =>
    sum(days.filter((day) => day.route === route && wanted(day.day)).map(({ amount }) => amount));
  const totals = routes.map((route) => soldOn(route, () => true));
  const totalTexts = textsOf(totals);
  const byDay = columns.map((column) => {
    const amounts = routes.map((route) => soldOn(route, (day) => day === column));
    const texts = textsOf(amounts);
    return new Map(routes.map((route, at) => [route, amounts[at] === "0" ? undefined : texts[at]]));
  });
  return routes.map((route, at) => ({
    route,
    payments: days.filter((day) => day.route === route).reduce((all, day) => all + day.payments, 0),
    cells: new Map(
      columns.flatMap((column, index) => {
        const text = byDay[index]?.get(route);
        return text === undefined ? [] : [[column, text] as const];
      }),
    ),
    amount: totals[at] ?? "0",
    total: totalTexts[at] ?? "0",
  }));
}

const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

function shortDay(day: string): string {
  return DAY.format(new Date(day));
}
