import { type ComponentChildren } from "preact";
import { type PaymentDetail } from "../api/shapes.ts";
import { decimal } from "../format/money.ts";
import { counted } from "../format/numbers.ts";
import { linkTo } from "../live/view-location.ts";
import { useResource } from "../live/resource.ts";
import { Badge, Fact, Head, Panel, Time, type Tone } from "../parts/bits.tsx";
import { PaymentState } from "../parts/payment-bits.tsx";
import { RefundForm } from "../parts/refund-form.tsx";
import { Loaded } from "../parts/states.tsx";
import { tokenName } from "../parts/token.tsx";
import { ButtonLink } from "../parts/button.tsx";

const READ_MS = 10_000;

/** One payment with everything that the ledger knows of it. */
export function Payment({ id }: { readonly id: string }) {
  const found = useResource<{ readonly payments: readonly PaymentDetail[] }>(`/v1/payments/${encodeURIComponent(id)}`, {
    everyMs: READ_MS,
    on: ["payment"],
  });
  return (
    <>
      <Head title="Payment" lead={<code class="whole">{id}</code>}>
        <ButtonLink label="All payments" href={linkTo("payments/all")} />
      </Head>
      <Loaded resource={found}>
        {({ payments }) => (
          <>
            {payments.length === 1 ? null : (
              <p class="notice warn">
                {counted(payments.length, "payment")} have this nonce: payers choose nonces themselves.
              </p>
            )}
            {payments.map((payment) => (
              <One
                key={`${payment.payer} ${payment.network} ${payment.contract}`}
                payment={payment}
                onRefund={found.reload}
              />
            ))}
          </>
        )}
      </Loaded>
    </>
  );
}

interface OneProps {
  readonly payment: PaymentDetail;
  readonly onRefund: () => void;
}

function One({ payment, onRefund }: OneProps) {
  const { route, consumer, payer, scheme, network, asset, decimals } = payment;
  return (
    <div class="columns">
      <Panel
        title={
          <>
            {decimal(payment.amount, decimals)} {tokenName(payment)}
          </>
        }
        aside={<PaymentState {...payment} />}
      >
        <dl class="facts">
          {payment.due === undefined ? null : (
            <Fact name="Due so far">
              {decimal(payment.due, decimals)} {tokenName(payment)}, of at most this amount
            </Fact>
          )}
          <Fact name="Route">
            <a href={linkTo("payments/all", { text: route })}>
              <code class="route-name">{route}</code>
            </a>
          </Fact>
          <Fact name="Payer">
            <a href={linkTo("payments/all", { text: payer })}>
              <code class="whole">{payer}</code>
            </a>
          </Fact>
          {consumer === "" || consumer.toLowerCase() === payer.toLowerCase() ? null : (
            <Fact name="Consumer">{consumer}</Fact>
          )}
          <Fact name="Paid to">
            <code class="whole">{payment.pay_to}</code>
          </Fact>
          <Fact name="Transaction">
            <Transaction payment={payment} />
          </Fact>
          <Fact name="Network">{network}</Fact>
          <Fact name="Token">
            <code class="whole">{asset}</code>
          </Fact>
          <Fact name="Scheme">{scheme}</Fact>
        </dl>
      </Panel>
      <Panel title="Its life">
        <ol class="lines">
          {lifeOf(payment).map(({ text, tone, when }, at) => (
            <li key={text + String(at)}>
              <Badge tone={tone}>
                <span class="wrap">{text}</span>
              </Badge>
              <span class="soft num">{when}</span>
            </li>
          ))}
        </ol>
        {payment.state !== "settled" ? null : (
          <RefundForm
            path={`/v1/payments/${encodeURIComponent(payment.id)}/refunds`}
            rest={(BigInt(payment.amount) - BigInt(payment.refunded)).toString()}
            decimals={decimals}
            unit={tokenName(payment)}
            recipient={<code class="whole">{payer}</code>}
            onRefund={onRefund}
          />
        )}
      </Panel>
    </div>
  );
}

/** Test mode moves no money: an explorer does not know its transactions, which begin with this. */
const SIMULATED = "0x7e577e57";

function Transaction({ payment: { transaction, explorer } }: { readonly payment: PaymentDetail }) {
  if (transaction === "") return <span class="soft">none known</span>;
  const text = <code class="whole">{transaction}</code>;
  if (transaction.startsWith(SIMULATED)) return <>{text} (test mode)</>;
  if (explorer === undefined) return text;
  return (
    <a href={explorer} target="_blank" rel="noreferrer">
      {text} <span class="visually-hidden">(opens the block explorer)</span>
    </a>
  );
}

interface Step {
  readonly text: string;
  readonly tone: Tone;
  readonly when: ComponentChildren;
}

const REFUNDS = { pending: "accent", settled: "good", recorded: "good", failed: "bad" } as const;

/** The meaning of each state, in words. */
const STATES: Readonly<Record<string, readonly [text: string, tone: Tone]>> = {
  reserved: ["A request works on it", "accent"],
  verified: ["Verified; the response is not ready", "accent"],
  deferred: ["The upstream works on, and is charged for later", "accent"],
  settling: ["Sent to be settled; the outcome is not known yet", "accent"],
  settled: ["Settled: the money was transferred", "good"],
  released: ["Released: nothing was charged", "none"],
  failed: ["Failed: no money was transferred", "bad"],
  unknown: ["The outcome is not known; it is looked up again", "warn"],
};

/** The ledger has the times of the first request and of the last change. */
function lifeOf(payment: PaymentDetail): readonly Step[] {
  const { state, reason, delivered, attempts, cuts, repeats } = payment;
  const [text, tone] = STATES[state] ?? [state, "none"];
  const last = <Time ms={payment.updated_ms} />;
  const ends = state === "settled";
  return [
    { text: "First request", tone: "none", when: <Time ms={payment.time_ms} /> },
    ...optional(attempts > 1, `${attempts} requests have worked on it`, "none"),
    { text: reason === "" ? text : `${text} (${reason})`, tone, when: ends && delivered ? "" : last },
    ...optional(cuts > 0, `${counted(cuts, "response")} not sent completely`, "warn"),
    ...(ends && delivered ? [{ text: "Response delivered", tone: "good" as const, when: last }] : []),
    ...optional(ends && !delivered, "Response owed: the client gets it with the same payment", "warn"),
    ...payment.refunds.map((refund) => ({
      text: `Refund of ${decimal(refund.amount, payment.decimals)} ${refund.state}${refund.reason === "" ? "" : `: ${refund.reason}`}`,
      tone: REFUNDS[refund.state],
      when: <Time ms={refund.changed_ms} />,
    })),
    ...optional(repeats > 0, `Response sent again ${repeats} times`, "none"),
    ...(ends || state === "failed"
      ? []
      : [
          {
            text: payment.valid_before_s * 1000 < Date.now() ? "Authorization expired" : "Authorization expires",
            tone: "none" as const,
            when: <Time ms={payment.valid_before_s * 1000} />,
          },
        ]),
  ];
}

function optional(isThere: boolean, text: string, tone: Tone): readonly Step[] {
  return isThere ? [{ text, tone, when: "" }] : [];
}
