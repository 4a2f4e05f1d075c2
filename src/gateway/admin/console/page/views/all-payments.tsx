import { useState } from "preact/hooks";
import { type PaymentPage } from "../api/shapes.ts";
import { linkTo } from "../live/view-location.ts";
import { useResource } from "../live/resource.ts";
import { Panel, Time } from "../parts/bits.tsx";
import { PaymentTable } from "../parts/payment-bits.tsx";
import { Select } from "../parts/select.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { PaymentsHead, WithLedger } from "./payments.tsx";
import { Pages } from "../parts/button.tsx";

const READ_MS = 10_000;
const STATES: Readonly<Record<string, string>> = {
  "": "All states",
  settled: "Settled",
  owed: "Settled, owed",
  refunded: "Refunded",
  unknown: "Unknown",
  deferred: "Deferred",
  settling: "Settling",
  failed: "Failed",
  released: "Released",
  verified: "Verified",
  reserved: "Reserved",
};

interface Search {
  readonly text: string;
  readonly state: string;
  /** Days in UTC, as 2026-11-22; empty: any. */
  readonly from: string;
  readonly to: string;
}

/** All payments, with a search. */
export function AllPayments({ query }: { readonly query: URLSearchParams }) {
  return (
    <>
      <PaymentsHead
        view="payments/all"
        lead="Newest first. Search by payer, route, nonce or transaction, and by days in UTC."
      />
      <WithLedger>{() => <SearchablePayments query={query} />}</WithLedger>
    </>
  );
}

function SearchablePayments({ query }: { readonly query: URLSearchParams }) {
  const [search, setSearch] = useState<Search>(() => {
    const [text = "", state = "", from = "", to = ""] = ["text", "state", "from", "to"].map(
      (name) => query.get(name) ?? "",
    );
    return { text, state, from, to };
  });
  /** The begins of the pages up to this one. */
  const [begins, setBegins] = useState<readonly string[]>([]);
  const apply = (next: Search): void => {
    setSearch(next);
    setBegins([]);
    // The address of the search, without another place in the history for each.
    history.replaceState(undefined, "", linkTo("payments/all", named(next)));
  };
  const path = `/v1/payments/search?${new URLSearchParams({ ...named(search), ...named({ before: begins.at(-1) ?? "" }) }).toString()}`;
  const page = useResource<PaymentPage>(path, begins.length === 0 ? { everyMs: READ_MS, on: ["payment"] } : {});
  return (
    <Panel title="Payments" aside={<SearchForm search={search} onSearch={apply} />} isFlush>
      <Loaded resource={page}>
        {({ payments, next, searched_to_ms: searchedTo }) => (
          <>
            {payments.length === 0 ? <NothingFound search={search} isCut={next !== undefined} /> : null}
            {payments.length === 0 ? null : <PaymentTable payments={payments} />}
            {searchedTo === undefined ? null : (
              <p class="notice warn">
                The ledger is large: this search has reached <Time ms={searchedTo} />. “Older” continues it.
              </p>
            )}
            <Pages begins={begins} next={next} onTurn={setBegins} />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function NothingFound({ search, isCut }: { readonly search: Search; readonly isCut: boolean }) {
  if (isCut) return <Empty title="No payment matches so far" />;
  if (Object.values(search).every((text) => text === ""))
    return <Empty title="No payments yet">A payment is listed from its first request on.</Empty>;
  return <Empty title="No payment matches">Search for a payer, a route, a nonce or a transaction.</Empty>;
}

function SearchForm({ search, onSearch }: { readonly search: Search; readonly onSearch: (search: Search) => void }) {
  const [text, setText] = useState(search.text);
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        onSearch({ ...search, text: text.trim() });
      }}
    >
      <input
        class="input search-text"
        type="search"
        aria-label="Payer, route, nonce or transaction"
        placeholder="0x… or /route"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {(["from", "to"] as const).map((name) => (
        <input
          key={name}
          class="input"
          type="date"
          aria-label={name === "from" ? "First day (UTC)" : "Last day (UTC)"}
          title={name === "from" ? "First day (UTC)" : "Last day (UTC)"}
          value={search[name]}
          onChange={(event) => onSearch({ ...search, text: text.trim(), [name]: event.currentTarget.value })}
        />
      ))}
      <Select
        label="State"
        value={search.state}
        choices={Object.entries(STATES)}
        onChoose={(state) => onSearch({ ...search, text: text.trim(), state })}
      />
      <button class="button" type="submit">
        Search
      </button>
    </form>
  );
}

/** The members that are not empty. */
function named(texts: Readonly<Record<string, string>> | Search): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ""));
}
