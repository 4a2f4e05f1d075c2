import { useEffect, useState } from "preact/hooks";
import { lossText } from "../format/losses.ts";
import { bytes, count, milliseconds, NONE } from "../format/numbers.ts";
import { linkTo } from "../live/view-location.ts";
import { type ShownRequest, useRequests } from "../live/request-feed.ts";
import { Badge, Head, Panel, Time, type Tone } from "../parts/bits.tsx";
import { PayerLink } from "../parts/payment-bits.tsx";
import { FilterInput } from "../parts/row-actions.tsx";
import { Select } from "../parts/select.tsx";
import { Empty } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { Button } from "../parts/button.tsx";

/** Milliseconds after the last keystroke until the filter is used. */
const FILTER_AFTER_MS = 300;

interface Filter {
  readonly text: string;
  readonly status: string;
  readonly isPaid: boolean;
}

/** The access log as it is written, for all routes. */
export function Requests({ query }: { readonly query: URLSearchParams }) {
  const [filter, setFilter] = useState<Filter>({ text: query.get("text") ?? "", status: "", isPaid: false });
  const [used, setUsed] = useState(filter);
  const [isPaused, setPaused] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setUsed(filter), FILTER_AFTER_MS);
    return () => clearTimeout(timer);
  }, [filter]);
  const { requests, missed, isLive, clear } = useRequests(isPaused ? undefined : pathOf(used));
  return (
    <>
      <Head title="Live requests" lead="Requests of all routes as they end, from now on. The newest 200 stay here.">
        <Badge tone={isPaused ? "none" : isLive ? "good" : "warn"}>
          {isPaused ? "paused" : isLive ? "live" : "connecting"}
        </Badge>
        <Button label="Clear" onClick={clear} />
        <Button label={isPaused ? "Continue" : "Pause"} onClick={() => setPaused(!isPaused)} />
      </Head>
      <Panel
        title="Requests"
        aside={
          <div class="search">
            <FilterInput
              label="Path, client, payer, user agent, request id or loss"
              value={filter.text}
              onType={(text) => setFilter({ ...filter, text })}
            />
            <Select
              label="Status"
              value={filter.status}
              choices={[["", "All statuses"], ...["2", "3", "4", "5"].map((digit) => [digit, `${digit}xx`] as const)]}
              onChoose={(status) => setFilter({ ...filter, status })}
            />
            <label class="check">
              <input
                type="checkbox"
                checked={filter.isPaid}
                onChange={(event) => setFilter({ ...filter, isPaid: event.currentTarget.checked })}
              />
              Paid
            </label>
          </div>
        }
        isFlush
      >
        {missed === 0 ? null : (
          <p class="notice warn" role="status">
            {count(missed)} further requests are not shown: there were too many at once.
          </p>
        )}
        <RequestTable requests={requests} />
      </Panel>
    </>
  );
}

function pathOf({ text, status, isPaid }: Filter): string {
  const wanted = { text: text.trim(), status, paid: isPaid ? "1" : "" };
  const named = Object.entries(wanted).filter(([, value]) => value !== "");
  return `/v1/requests?${new URLSearchParams(named).toString()}`;
}

const TONES: Readonly<Record<string, Tone>> = { "2": "good", "3": "none", "4": "warn", "5": "bad" };

function RequestTable({ requests }: { readonly requests: readonly ShownRequest[] }) {
  return (
    <Table<ShownRequest>
      caption="Requests, newest first"
      rows={requests}
      keyOf={({ id }) => String(id)}
      empty={<Empty title="No request yet">A request that matches is listed when it ends.</Empty>}
      columns={[
        {
          name: "Request",
          cell: ({ method, host, path, query, user_agent: agent }) => (
            <span class="stack">
              <code class="whole">
                {method} {path}
                {query === "" ? "" : `?${query.replace(/^\?/, "")}`}
              </code>
              <span class="soft small whole">
                {host} {agent}
              </span>
            </span>
          ),
        },
        {
          name: "Status",
          cell: ({ status, loss }) => (
            <span class="stack">
              <Badge tone={TONES[String(status).slice(0, 1)] ?? "none"}>{status}</Badge>
              {loss === "" ? null : <span class="soft small">{lossText(loss)}</span>}
            </span>
          ),
        },
        { name: "Time", cell: ({ time_ms: time }) => <Time ms={time} /> },
        {
          name: "Client",
          cell: ({ client, consumer, payer }) => (
            <span class="stack">
              <a href={linkTo("requests", { text: client })}>{client}</a>
              {payer === "" ? null : <PayerLink payer={payer} />}
              {consumer === "" || consumer === payer ? null : <span class="soft small whole">{consumer}</span>}
            </span>
          ),
        },
        {
          name: "Route",
          isMinor: true,
          cell: ({ route }) => (route === "" ? NONE : <code class="route-name">{route}</code>),
        },
        { name: "Duration", isNumber: true, cell: ({ duration_ms: ms }) => milliseconds(ms) },
        { name: "Bytes", isNumber: true, cell: ({ bytes_sent: sent }) => bytes(sent) },
      ]}
    />
  );
}
