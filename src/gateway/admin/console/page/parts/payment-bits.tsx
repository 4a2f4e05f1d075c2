import { type RecentPayment } from "../api/shapes.ts";
import { abbreviated, aligned, decimal } from "../format/money.ts";
import { NONE } from "../format/numbers.ts";
import { linkTo } from "../live/view-location.ts";
import { Badge, Time, type Tone } from "./bits.tsx";
import { Table } from "./table.tsx";
import { Token } from "./token.tsx";

const TONES: Readonly<Record<string, Tone>> = {
  settled: "good",
  settling: "accent",
  deferred: "accent",
  reserved: "accent",
  verified: "accent",
  unknown: "warn",
  failed: "bad",
};

/** The state of a payment. A settled payment whose response was not delivered is owed. */
export function PaymentState({ state, delivered }: Pick<RecentPayment, "state" | "delivered">) {
  const isOwed = state === "settled" && !delivered;
  return <Badge tone={isOwed ? "warn" : (TONES[state] ?? "none")}>{isOwed ? "settled, owed" : state}</Badge>;
}

/** A shortened address or hash. The whole one is in its tooltip. */
export function ShortHex({ text }: { readonly text: string }) {
  return text === "" ? <>{NONE}</> : <code title={text}>{abbreviated(text)}</code>;
}

/** A payer, with a link to their payments. */
export function PayerLink({ payer }: { readonly payer: string }) {
  return (
    <a href={linkTo("payments/all", { text: payer })}>
      <ShortHex text={payer} />
    </a>
  );
}

type PaymentRow = RecentPayment & { readonly text: string };

/** Payments, one per row, each with a link to its own page. */
export function PaymentTable({ payments }: { readonly payments: readonly RecentPayment[] }) {
  const texts = aligned(payments);
  return (
    <Table<PaymentRow>
      caption="Payments, newest first"
      rows={payments.map((payment, at) => ({ ...payment, text: texts[at] ?? "" }))}
      keyOf={({ id, payer, network, asset }) => `${id} ${payer} ${network} ${asset}`}
      columns={[
        {
          name: "Payment",
          cell: ({ id }) => (
            <a href={linkTo("payments/one", { id })}>
              <ShortHex text={id} />
            </a>
          ),
        },
        { name: "State", cell: (row) => <PaymentState {...row} /> },
        { name: "Time", cell: ({ time_ms: time }) => <Time ms={time} /> },
        { name: "Route", cell: ({ route }) => <code class="route-name">{route}</code> },
        { name: "Payer", cell: ({ payer }) => <PayerLink payer={payer} /> },
        {
          name: "Amount",
          isNumber: true,
          cell: (row) => (
            <>
              {row.text}{" "}
              <span class="soft">
                <Token {...row} />
              </span>
            </>
          ),
        },
        ...(payments.every(({ refunded }) => refunded === "0")
          ? []
          : [
              {
                name: "Refunded",
                isNumber: true,
                cell: ({ refunded, decimals }: PaymentRow) => (refunded === "0" ? NONE : decimal(refunded, decimals)),
              },
            ]),
      ]}
    />
  );
}
