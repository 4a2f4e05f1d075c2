import { type AdminEvent, event as eventShape, storedEvents } from "../../gateway/admin/shapes/events.ts";
import { EVENT_KINDS } from "../../gateway/telemetry/event.ts";
import { isObject } from "../../lib/is-object.ts";
import { parsedJson } from "../../lib/parsed-json.ts";
import { type Column } from "../common/table.ts";
import { visibleText } from "../../lib/text/visible-text.ts";
import { UsageError } from "../common/usage-error.ts";
import { type AdminClient } from "./admin-client.ts";
import { type AdminCommand, print, readAs, tableText, textFlag, told, type Values } from "./admin-command.ts";
import { actorText } from "./actor.ts";
import { followStream } from "./follow-stream.ts";
import { parseTime, timeText } from "../common/units.ts";
import { flagTable } from "../common/flags.ts";

const FLAGS = flagTable({
  "since WHEN":
    "only events since this time (today; 15m, 2h, 1d or 1w ago; 2026-11-22; 2026-11-22T08:30:00Z), or after the event with this id",
  "kind K...": `only this kind; may be given more than once: ${EVENT_KINDS.join(", ")}`,
  follow: "also print new events, until the command is stopped; without --since only those",
});

const COLUMNS: readonly Column<AdminEvent>[] = [
  {
    title: "TIME",
    cell: ({ time_ms: time }) => new Date(time).toISOString(),
    short: ({ time_ms: time }) => timeText(time),
  },
  { title: "KIND", cell: ({ kind }) => kind },
  { title: "BY", cell: ({ by }) => actorText(by) },
  { title: "OUTCOME", cell: ({ outcome = "" }) => outcome },
  { title: "MESSAGE", cell: ({ message }) => message },
];
/** Widths of the columns for kind and actor, in characters. */
const KIND_WIDTH = 13;
const ACTOR_WIDTH = 10;

interface Wanted {
  /** The id of the last known event. Undefined: only new events. */
  readonly after: string | undefined;
  /** The time of the first event, in Unix milliseconds. */
  readonly from: number;
  readonly kinds: readonly string[];
}

/** `turnpike events`: shows the events of a running gateway. */
export const EVENTS: AdminCommand = {
  about:
    "Shows the events of a gateway: changes, reloads, health of servers, restarts of workers, failures of payments.",
  json: 'print {"events": [...]}; with --follow one event per line',
  notes: "The gateway keeps the newest 1000 events; its audit log (admin.audit_log) has the older ones.",
  flags: FLAGS,
  forms: {
    "": {
      read(_words, values, now) {
        const follows = values["follow"] === true;
        const wanted = wantedOf(values, follows, now());
        return async (client) => await (follows ? follow : list)(client, wanted, values);
      },
    },
  },
};

/** Parses an event of the stream; undefined if this version cannot read it. */
export function parseEvent(json: string): AdminEvent | undefined {
  return eventShape.safeParse(parsedJson(json)).data;
}

function wantedOf(values: Values, follows: boolean, now: number): Wanted {
  const kinds = listOf(values["kind"]);
  const unknown = kinds.find((kind) => !EVENT_KINDS.some((known) => known === kind));
  if (unknown !== undefined) throw new UsageError(`--kind "${unknown}" is not one of ${EVENT_KINDS.join(", ")}`);
  const since = textFlag(values, "since");
  if (since === undefined) return { after: follows ? undefined : "0", from: 0, kinds };
  if (/^\d{5,16}$/.test(since)) return { after: since, from: 0, kinds };
  return { after: "0", from: timeOf(since, now), kinds };
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

function timeOf(text: string, now: number): number {
  const time = parseTime(text, now);
  if (time !== undefined) return time;
  throw new UsageError(`--since "${text}" is neither a time (15m, 2026-11-22, 2026-11-22T08:30:00Z) nor an event's id`);
}

async function list(client: AdminClient, wanted: Wanted, values: Values): Promise<number> {
  const response = await client.json({ path: `/events?format=json&since=${wanted.after ?? "0"}` });
  const found = readAs(client, storedEvents, response).events.filter((event) => isWanted(event, wanted));
  const shown = { ...(isObject(response) ? response : {}), events: found };
  return await told(values, shown, tableText(COLUMNS, found, "no events"));
}

async function follow(client: AdminClient, wanted: Wanted, { json }: Values): Promise<number> {
  let { after } = wanted;
  const path = (): string => `/events${after === undefined ? "" : `?since=${after}`}`;
  return await followStream(client, path, async ({ id, data }) => {
    if (id !== "") after = id;
    const event = parseEvent(data);
    if (event !== undefined && isWanted(event, wanted)) await print(json === true ? data : line(event));
  });
}

function isWanted({ time_ms: time, kind }: AdminEvent, { from, kinds }: Wanted): boolean {
  return time >= from && (kinds.length === 0 || kinds.includes(kind));
}

/** One event as a line. There is no table, because events arrive one by one. */
function line(event: AdminEvent): string {
  const head = [timeText(event.time_ms), event.kind.padEnd(KIND_WIDTH), actorText(event.by).padEnd(ACTOR_WIDTH)];
  const outcome = event.outcome === undefined || event.outcome === "done" ? "" : `${event.outcome}: `;
  return visibleText(`${head.join("  ")}  ${outcome}${event.message}`);
}
