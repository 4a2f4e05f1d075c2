import { EVENT_KINDS } from "../../../../telemetry/event.ts";
import { call, session } from "../api/client.ts";
import { type GatewayEvent, type LogLine } from "../api/shapes.ts";
import { Store } from "../api/store.ts";
import { isVisible } from "./visible.ts";

/** The number of events that the gateway keeps. */
const MAX_EVENTS = 1_000;
const MAX_LINES = 500;
const RETRY_MS = 3_000;
/** Milliseconds for which events are collected, so that a burst is drawn once. */
const BATCH_MS = 250;

export interface Events {
  /** Oldest first. */
  readonly events: readonly GatewayEvent[];
  readonly lines: readonly LogLine[];
  readonly isLive: boolean;
}

export const eventFeed = new Store<Events>({ events: [], lines: [], isLive: false });

let source: EventSource | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let waiting: GatewayEvent[] = [];
let batch: ReturnType<typeof setTimeout> | undefined;

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

function flush(): void {
  batch = undefined;
  const found = waiting;
  waiting = [];
  add(found);
}

function onMessage(message: MessageEvent<string>): void {
  // The gateway's events have the shape of its description.
  waiting.push(JSON.parse(message.data) as GatewayEvent);
  batch ??= setTimeout(flush, BATCH_MS);
}

async function open(): Promise<void> {
  try {
    const [{ body: kept }, { body: log }] = await Promise.all([
      call<{ events: readonly GatewayEvent[] }>("/v1/events?format=json"),
      call<{ lines: readonly LogLine[] }>("/v1/log"),
    ]);
    eventFeed.set({ ...eventFeed.value, events: [], lines: log.lines.slice(-MAX_LINES) });
    add(kept.events.filter(({ kind }) => kind !== "log"));
    if (!isWanted() || source !== undefined) return;
    const last = kept.events.at(-1)?.id;
    source = new EventSource(last === undefined ? "/v1/events" : `/v1/events?since=${last}`);
    for (const kind of EVENT_KINDS) source.addEventListener(kind, onMessage);
    source.addEventListener("open", () => eventFeed.set({ ...eventFeed.value, isLive: true }));
    source.addEventListener("error", () => {
      close();
      retry(RETRY_MS);
    });
  } catch {
    retry(RETRY_MS);
  }
}

function isWanted(): boolean {
  return isVisible.value && session.value.kind === "open";
}

function close(): void {
  source?.close();
  source = undefined;
  if (eventFeed.value.isLive) eventFeed.set({ ...eventFeed.value, isLive: false });
}

function retry(delayMs: number): void {
  clearTimeout(timer);
  if (isWanted()) timer = setTimeout(() => void open(), delayMs);
  // A hidden tab has no stream: a browser allows few connections to one address, and the gateway few readers.
  else close();
}

isVisible.follow(() => retry(0));
session.follow(() => retry(0));

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
