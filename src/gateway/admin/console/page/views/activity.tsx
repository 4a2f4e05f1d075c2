import { useState } from "preact/hooks";
import { counted } from "../format/numbers.ts";
import { eventFeed } from "../live/event-feed.ts";
import { linkTo } from "../live/view-location.ts";
import { useStore } from "../api/store.ts";
import { Badge, Head, Panel, Time } from "../parts/bits.tsx";
import { FilterInput } from "../parts/row-actions.tsx";
import { Select } from "../parts/select.tsx";
import { Empty } from "../parts/states.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { EventList } from "./event-list.tsx";
import { kindName } from "./event-text.ts";

const SHOWN = 200;
const SHOWS = [
  ["", "Events"],
  ["log", "Log"],
] as const;
const linkOf = (show: string): string => linkTo("activity", { show: show || undefined });

/** The events of the gateway, and the lines of its log. */
export function Activity({ show }: { readonly show: string }) {
  const { isLive } = useStore(eventFeed);
  const isLog = show === "log";
  return (
    <>
      <Head title="Activity" lead="Newest first. The gateway keeps the last 1,000 events and 500 lines of its log.">
        <Badge tone={isLive ? "good" : "warn"}>{isLive ? "live" : "not connected"}</Badge>
      </Head>
      <Tabs label="Activity" tabs={SHOWS} current={isLog ? "log" : ""} linkOf={linkOf} />
      {isLog ? <Log /> : <Events />}
    </>
  );
}

function Events() {
  const { events } = useStore(eventFeed);
  const [kind, setKind] = useState("");
  const kinds = [...new Set(events.map((event) => event.kind))].toSorted();
  const wanted = kind === "" ? events : events.filter((event) => event.kind === kind);
  return (
    <Panel
      title={counted(wanted.length, "event")}
      isFlush
      aside={
        <Select
          class="input filter"
          label="Kind of event"
          value={kind}
          choices={[["", "All kinds"], ...kinds.map((one) => [one, kindName(one)] as const)]}
          onChoose={setKind}
        />
      }
    >
      {wanted.length === 0 ? (
        <Empty title="Nothing has happened yet">
          Changes, reloads, restarts and the health of servers are listed here as they come.
        </Empty>
      ) : (
        <EventList events={wanted.slice(-SHOWN).toReversed()} when={(event) => <Time ms={event.time_ms} />} />
      )}
    </Panel>
  );
}

function Log() {
  const { lines } = useStore(eventFeed);
  const [filter, setFilter] = useState("");
  const wanted = filter.trim().toLowerCase();
  const shown = wanted === "" ? lines : lines.filter(({ text }) => text.toLowerCase().includes(wanted));
  return (
    <Panel
      title={counted(shown.length, "line")}
      isFlush
      aside={<FilterInput label="Filter lines" value={filter} onType={setFilter} />}
    >
      {shown.length === 0 ? (
        <Empty title={lines.length === 0 ? "The log is empty" : `No line has “${filter}” in it`}>
          Warnings and errors of all processes come here. The access log is elsewhere.
        </Empty>
      ) : (
        <ol class="log">
          {shown
            .slice(-SHOWN)
            .toReversed()
            .map(({ time_ms: time, worker, text }, at) => (
              <li key={`${time} ${at}`}>
                <span class="soft num">
                  <Time ms={time} />
                </span>
                <span class="soft num">{worker === 0 ? "" : `worker ${worker}`}</span>
                <code>{text}</code>
              </li>
            ))}
        </ol>
      )}
    </Panel>
  );
}
