import { useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { type Credit, type CreditHistory, type Json, type JsonObject } from "../api/shapes.ts";
import { fieldText, valueAt } from "../form/schema.ts";
import { decimal } from "../format/money.ts";
import { count, counted, NONE } from "../format/numbers.ts";
import { linkTo } from "../live/view-location.ts";
import { useResource } from "../live/resource.ts";
import { askToCall } from "../parts/ask.tsx";
import { Badge, Fact, Head, Panel, Time } from "../parts/bits.tsx";
import { IssuedSecret } from "../parts/issued-secret.tsx";
import { PayerLink, ShortHex } from "../parts/payment-bits.tsx";
import { RefundForm } from "../parts/refund-form.tsx";
import { Choice, SmallForm, TextInput } from "../parts/small-form.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { AccessHead } from "./keys.tsx";
import { Button, ButtonLink, Changes, Pages } from "../parts/button.tsx";

const EVENTS = ["change", "payment"];
const READ_MS = 10_000;
const DAY_S = 86_400;

/** Prepaid balances. */
export function Credits() {
  const [before, setBefore] = useState<readonly string[]>([]);
  const last = before.at(-1);
  const read = useResource<{ readonly credits: readonly Credit[]; readonly more: boolean }>(
    `/v1/credits${last === undefined ? "" : `?before=${encodeURIComponent(last)}`}`,
    { on: EVENTS },
  );
  if (read.data === undefined && read.problem?.status === 404) {
    return (
      <>
        <AccessHead view="keys/credits" lead="Prepaid balances of clients that can only send a token." />
        <Empty title="No prepaid credit">
          Set <code>x402.credit</code> in the configuration to sell it.
        </Empty>
      </>
    );
  }
  return (
    <>
      <AccessHead view="keys/credits" lead="Prepaid balances of clients that can only send a token. Newest first." />
      <Changes>
        <Issue onIssue={read.reload} />
      </Changes>
      <Loaded resource={read}>
        {({ credits, more }) => (
          <Panel title={counted(credits.length, "balance")} isFlush>
            <Listed credits={credits} onChange={read.reload} />
            {before.length === 0 && !more ? null : (
              <Pages begins={before} next={more ? (credits.at(-1)?.id ?? "") : undefined} onTurn={setBefore} />
            )}
          </Panel>
        )}
      </Loaded>
    </>
  );
}

const KINDS = [
  ["amount", "Money"],
  ["calls", "Calls"],
  ["time", "Time"],
] as const;

function Issue({ onIssue }: { readonly onIssue: () => void }) {
  const [owner, setOwner] = useState("");
  const [kind, setKind] = useState("amount");
  const [value, setValue] = useState("$5");
  const [days, setDays] = useState("");
  const [typed, setTyped] = useState<string>();
  const [token, setToken] = useState<string>();
  const config = useResource<JsonObject>("/v1/config");
  const network = typed ?? fieldText(valueAt(config.data, ["x402", "credit", "network"]));
  const issue = async (): Promise<void> => {
    const body: Record<string, Json> = { owner: owner.trim(), network: network.trim() };
    if (kind === "amount") body["amount"] = value.trim();
    if (kind === "calls") body["calls"] = Number(value);
    if (days.trim() !== "") body["seconds"] = Math.round(Number(days) * DAY_S);
    const { body: issued } = await call<{ token: string }>("/v1/credits", { method: "POST", body });
    setToken(issued.token);
    onIssue();
  };
  return (
    <Panel title="Issue a token">
      {token === undefined ? null : (
        <IssuedSecret label="The new token." secret={token} onDismiss={() => setToken(undefined)} />
      )}
      <SmallForm action="Issue token" run={issue}>
        <TextInput label="Wallet" value={owner} onType={setOwner} isRequired help="The address that owns the balance" />
        <TextInput label="Network" value={network} onType={setTyped} isRequired />
        <Choice label="Kind" value={kind} choices={KINDS} onChoose={setKind} />
        {kind === "time" ? null : (
          <TextInput
            label={kind === "calls" ? "Calls" : "Amount"}
            value={value}
            onType={setValue}
            isRequired
            help={kind === "calls" ? "Number of requests" : "Dollars as $5, or atomic units"}
          />
        )}
        <TextInput
          label="Days"
          value={days}
          onType={setDays}
          isRequired={kind === "time"}
          help="Until it expires. Empty: never"
        />
      </SmallForm>
    </Panel>
  );
}

function balanceText({ unit, balance, decimals, symbol }: Credit): string {
  if (unit === "time") return "any number";
  if (unit === "calls") return counted(Number(balance), "call");
  return `${decimal(balance, decimals)} ${symbol ?? "units"}`;
}

function CreditState({ state }: Pick<Credit, "state">) {
  return <Badge tone={state === "active" ? "good" : state === "revoked" ? "bad" : "none"}>{state}</Badge>;
}

interface ListedProps {
  readonly credits: readonly Credit[];
  readonly onChange: () => void;
}

function Listed({ credits, onChange }: ListedProps) {
  const revoke = (credit: Credit): void =>
    askToCall({
      title: "Revoke this token?",
      action: "Revoke token",
      body: (
        <p>
          It pays for no more requests. Its balance, {balanceText(credit)}, stays with <code>{credit.owner}</code>.
        </p>
      ),
      path: `/v1/credits/${encodeURIComponent(credit.id)}`,
      done: "The token is revoked.",
      onChange,
    });
  return (
    <Table<Credit>
      caption="Prepaid balances"
      rows={credits}
      keyOf={({ id }) => id}
      empty={<Empty title="No balances yet">Clients buy one with any x402 client, or you issue one.</Empty>}
      columns={[
        {
          name: "Credit",
          cell: ({ id, name }) => (
            <a href={linkTo("keys/credit", { id })}>
              <ShortHex text={id} /> {name}
            </a>
          ),
        },
        { name: "State", cell: (credit) => <CreditState {...credit} /> },
        { name: "Wallet", cell: ({ owner }) => <PayerLink payer={owner} /> },
        { name: "Created", isMinor: true, cell: ({ created_ms: time }) => <Time ms={time} /> },
        { name: "Expires", cell: ({ expires_ms: time }) => (time === 0 ? "never" : <Time ms={time} />) },
        { name: "Balance", isNumber: true, cell: (credit) => balanceText(credit) },
      ]}
      actions={(credit) =>
        credit.state !== "active" ? null : (
          <Button label="Revoke" of={credit.id} kind="small quiet" onClick={() => revoke(credit)} />
        )
      }
    />
  );
}

/** One balance with its purchases and charges. */
export function OneCredit({ id }: { readonly id: string }) {
  const read = useResource<CreditHistory>(`/v1/credits/${encodeURIComponent(id)}`, { everyMs: READ_MS, on: EVENTS });
  return (
    <>
      <Head title="Credit" lead={<code class="whole">{id}</code>}>
        <ButtonLink label="All credit" href={linkTo("keys/credits")} />
      </Head>
      <Loaded resource={read}>
        {({ credit, grants, charges }) => (
          <>
            <Panel title={balanceText(credit)} aside={<CreditState {...credit} />}>
              <dl class="facts">
                <Fact name="Wallet">
                  <PayerLink payer={credit.owner} />
                </Fact>
                <Fact name="Routes">{credit.routes.length === 0 ? "all" : credit.routes.join(", ")}</Fact>
                <Fact name="Created">
                  <Time ms={credit.created_ms} />
                </Fact>
                <Fact name="Expires">{credit.expires_ms === 0 ? "never" : <Time ms={credit.expires_ms} />}</Fact>
              </dl>
              {credit.unit !== "money" ? null : (
                <RefundForm
                  path={`/v1/credits/${encodeURIComponent(credit.id)}/refunds`}
                  rest={credit.balance}
                  decimals={credit.decimals}
                  unit={credit.symbol ?? "units"}
                  recipient="the accounts that bought the balance, the newest purchase first"
                  onRefund={read.reload}
                />
              )}
            </Panel>
            <Panel title="Newest purchases" isFlush>
              <Table<CreditHistory["grants"][number]>
                caption="Purchases"
                rows={grants}
                keyOf={({ kind, time_ms: time, payment }) => `${kind} ${time} ${payment}`}
                empty={<Empty title="Nothing was bought" />}
                columns={[
                  { name: "Kind", cell: ({ kind }) => kind },
                  { name: "Time", cell: ({ time_ms: time }) => <Time ms={time} /> },
                  {
                    name: "Payment",
                    cell: ({ payment }) =>
                      payment === "" ? (
                        NONE
                      ) : (
                        <a href={linkTo("payments/one", { id: payment })}>
                          <ShortHex text={payment} />
                        </a>
                      ),
                  },
                  { name: "Amount", isNumber: true, cell: ({ amount }) => balanceText({ ...credit, balance: amount }) },
                ]}
              />
            </Panel>
            <Panel title="Newest charges" aside={<span class="soft num">{count(charges.length)}</span>} isFlush>
              <Table<CreditHistory["charges"][number]>
                caption="Charges"
                rows={charges}
                keyOf={({ id: charge }) => charge}
                empty={<Empty title="Nothing was charged" />}
                columns={[
                  { name: "Route", cell: ({ route }) => <code class="route-name">{route}</code> },
                  { name: "State", cell: ({ state, delivered }) => (delivered ? `${state}, delivered` : state) },
                  { name: "Time", cell: ({ time_ms: time }) => <Time ms={time} /> },
                  { name: "Amount", isNumber: true, cell: ({ amount }) => balanceText({ ...credit, balance: amount }) },
                ]}
              />
            </Panel>
          </>
        )}
      </Loaded>
    </>
  );
}
