import { EVENT_KINDS } from "../../../../telemetry/event.ts";
import { call } from "../api/client.ts";
import { type GatewayEvent, type LogLine } from "../api/shapes.ts";
import { Store } from "../api/store.ts";
import { followStream } from "./follow-stream.ts";

/** The number of events that the gateway keeps. */
const MAX_EVENTS = 1_000;
const MAX_LINES = 500;

export interface Events {
  /** Oldest first. */
  readonly events: readonly GatewayEvent[];
  readonly lines: readonly LogLine[];
  readonly isLive: boolean;
}

export const eventFeed = new Store<Events>({ events: [], lines: [], isLive: false });

let waiting: GatewayEvent[] = [];

function add(found: readonly GatewayEvent[]): void {
  const { events, lines, isLive } = eventFeed.value;
  const known = new Set(events.slice(-found.length - 100).map(({ id }) => id));
  const fresh = found.filter(({ id, kind }) => kind !== "log" && !known.has(id));
  const logged = found.filter(({ kind }) => kind === "log").map(lineOf);
  eventFeed.set({
    events: [...events, ...fresh].slice(-MAX_EVENTS),
    lines: [...lines, ...logged].slice(-MAX_LINES),
    isLive,
  });
}

function lineOf(event: GatewayEvent & { readonly worker?: number }): LogLine {
  return { time_ms: event.time_ms, worker: event.worker ?? 0, text: event.message };
}

followStream({
  kinds: EVENT_KINDS,
  async begin() {
    const [{ body: kept }, { body: log }] = await Promise.all([
      call<{ events: readonly GatewayEvent[] }>("/v1/events?format=json"),
      call<{ lines: readonly LogLine[] }>("/v1/log"),
    ]);
    eventFeed.set({ ...eventFeed.value, events: [], lines: log.lines.slice(-MAX_LINES) });
    add(kept.events.filter(({ kind }) => kind !== "log"));
    const last = kept.events.at(-1)?.id;
    return last === undefined ? "/v1/events" : `/v1/events?since=${last}`;
  },
  take: (_kind, event: GatewayEvent) => waiting.push(event),
  show() {
    const found = waiting;
    waiting = [];
    add(found);
  },
  onLive(isLive) {
    if (isLive !== eventFeed.value.isLive) eventFeed.set({ ...eventFeed.value, isLive });
  },
});

/** Calls `react` when new events of these kinds arrive, but not for earlier events. */
export function onEvents(kinds: readonly string[], react: () => void): () => void {
  let last = eventFeed.value.events.at(-1)?.id;
  return eventFeed.follow(() => {
    const { events } = eventFeed.value;
    const from = events.findIndex(({ id }) => id === last);
    last = events.at(-1)?.id;
    if (events.slice(from + 1).some(({ kind }) => kinds.includes(kind))) react();
  });
}
