import { type Amount, type TopPayers } from "../api/shapes.ts";
import { aligned, currencyOf } from "../format/money.ts";
import { count } from "../format/numbers.ts";
import { linkTo } from "../live/view-location.ts";
import { useResource } from "../live/resource.ts";
import { Panel, Time } from "../parts/bits.tsx";
import { PayerLink } from "../parts/payment-bits.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { tokenName } from "../parts/token.tsx";
import { currenciesOf, PaymentsHead, WithLedger } from "./payments.tsx";

const RANGES = [
  ["1", "24 hours"],
  ["7", "7 days"],
  ["30", "30 days"],
] as const;
const linkOf = (days: string): string => linkTo("payments/payers", { days });

type Payer = TopPayers["payers"][number];

/** The payers with the largest amounts. */
export function Payers({ days }: { readonly days: string }) {
  const range = RANGES.some(([known]) => known === days) ? days : "30";
  return (
    <>
      <PaymentsHead view="payments/payers" lead="Settled payments by the address that signed them.">
        <Tabs label="Range" isSmall tabs={RANGES} current={range} linkOf={linkOf} />
      </PaymentsHead>
      <WithLedger>{() => <Ranking days={range} />}</WithLedger>
    </>
  );
}

function Ranking({ days }: { readonly days: string }) {
  const read = useResource<TopPayers>(`/v1/payments/payers?days=${days}`);
  return (
    <Loaded resource={read}>
      {({ payers, since_ms: since }) => (
        <>
          {payers.length === 0 ? <Empty title="Nothing was sold in this time" /> : null}
          {currenciesOf(payers).map((currency) => (
            <Ranked
              key={currencyOf(currency)}
              currency={currency}
              payers={payers.filter((payer) => currencyOf(payer) === currencyOf(currency))}
              since={since}
            />
          ))}
        </>
      )}
    </Loaded>
  );
}

interface RankedProps {
  readonly currency: Amount;
  readonly payers: readonly Payer[];
  readonly since: number;
}

function Ranked({ currency, payers, since }: RankedProps) {
  const texts = aligned(payers);
  const textOf = new Map(payers.map((payer, at) => [payer, texts[at]]));
  return (
    <Panel
      title={<>Top payers, {tokenName(currency)}</>}
      aside={
        <span class="soft" title={currency.asset}>
          since <Time ms={since} />, {currency.network}
        </span>
      }
      isFlush
    >
      <Table<Payer>
        caption="Payers, the largest amount first"
        rows={payers}
        keyOf={({ payer }) => payer}
        columns={[
          { name: "Payer", cell: ({ payer }) => <PayerLink payer={payer} /> },
          { name: "Payments", isNumber: true, cell: ({ payments }) => count(payments) },
          { name: "Amount", isNumber: true, cell: (payer) => textOf.get(payer) },
        ]}
      />
    </Panel>
  );
}
