import { TurnpikeError } from "../../lib/errors.ts";
import { type Job } from "../../store/jobs/job-store.ts";
import { eventText, isEnd, type JobEvent } from "../jobs/job-events.ts";
import { type Jobs } from "../jobs/jobs.ts";
import { type Lines, type OperationResult, type TextFeed } from "./operation.ts";

/** The media type of server-sent events. */
export const EVENT_STREAM = "text/event-stream";

/** Milliseconds for which a response follows its job, below the timeout of the gateway's route. @bound @internal */
export const FOLLOW_MS = 240_000;
/** Milliseconds until a client whose stream ended asks again. */
const AGAIN_MS = 1_000;

/** The subprotocol of WebSockets about jobs, and the beginning of the one that contains a secret. */
const PROTOCOL = "turnpike.job";
const SECRET_PROTOCOL = "turnpike.secret.";

/** The secret of the job in a request: scripts in browsers cannot send a field with a WebSocket, so it may be a subprotocol. */
export function secretIn(headers: Headers): string {
  return headers.get("x-job-secret") ?? protocolSecret(headers);
}

/** The secret in the subprotocols of a WebSocket; empty without one. */
export function protocolSecret(headers: Headers): string {
  const said = protocolsIn(headers).find((name) => name.startsWith(SECRET_PROTOCOL));
  return said?.slice(SECRET_PROTOCOL.length) ?? "";
}

function protocolsIn(headers: Headers): readonly string[] {
  return (headers.get("sec-websocket-protocol") ?? "").split(",").map((name) => name.trim());
}

/** A job, and the place in its events from which it is watched. */
export interface Watch {
  readonly job: Job;
  /** The number of the last event that the client has; -1 for none. */
  readonly after: number;
}

/** The results as lines of JSON, and the state of the job at its end. */
export function resultLines({ job, after }: Watch, jobs: Jobs, signal: AbortSignal): Lines {
  return { lines: texts(jobs.watch(job, after, followed(signal)), (event) => `${lineOf(event)}\n`) };
}

function lineOf(event: JobEvent): string {
  return isEnd(event) ? `{"job":${event.data}}` : event.data;
}

/** The events as server-sent events. */
export function eventStream({ job, after }: Watch, jobs: Jobs, signal: AbortSignal): Lines {
  const events = jobs.watch(job, after, followed(signal));
  const textOf = (event: JobEvent): string =>
    `id: ${event.number}\nevent: ${event.type}\ndata: ${eventText(job, event)}\n\n`;
  return {
    lines: texts(events, textOf, { first: `retry: ${AGAIN_MS}\n\n`, sign: ":\n\n" }),
    contentType: EVENT_STREAM,
    lastWords: 'event: error\ndata: {"type":"error","reason":"reads too slowly"}\n\n',
  };
}

/** The events as messages of a WebSocket. */
export function eventSocket({ job, after }: Watch, jobs: Jobs, headers: Headers): TextFeed {
  const gone = new AbortController();
  return {
    texts: messages(jobs.watch(job, after, gone.signal), job),
    protocol: protocolsIn(headers).find((name) => name === PROTOCOL),
    close: () => gone.abort(),
  };
}

/** Some events as JSON. `next` is only there if further events are ready. */
export async function eventList({ job, after }: Watch, jobs: Jobs, count: number): Promise<OperationResult> {
  const events = await jobs.events(job, after, count);
  const last = events.at(-1);
  const hasMore = last !== undefined && !isEnd(last) && (await jobs.events(job, last.number, 1)).length > 0;
  const next = hasMore ? `,"next":${last.number}` : "";
  const json = `{"state":"${job.state}","events":[${events.map((event) => eventText(job, event)).join(",")}]${next}}`;
  return { bytes: Buffer.from(json), contentType: "application/json" };
}

/** True for a request that switches to WebSocket. Throws for one that switches to another protocol. */
export function isSwitch(headers: Headers): boolean {
  const wanted = headers.get("upgrade")?.toLowerCase();
  if (wanted === undefined || wanted === "websocket") return wanted !== undefined;
  throw new TurnpikeError("bad-request", "Cannot switch to another protocol than WebSocket");
}

function followed(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(FOLLOW_MS)]);
}

/** The text of each event. `first` comes before all, and `sign` is the sign of life. */
async function* texts(
  events: AsyncGenerator<readonly JobEvent[]>,
  textOf: (event: JobEvent) => string,
  { first, sign }: { readonly first?: string; readonly sign?: string } = {},
): AsyncGenerator<string> {
  if (first !== undefined) yield first;
  for await (const piece of events) {
    for (const event of piece) yield textOf(event);
    if (piece.length === 0 && sign !== undefined) yield sign;
  }
}

async function* messages(events: AsyncGenerator<readonly JobEvent[]>, job: Job): AsyncGenerator<string, boolean> {
  let isOver = false;
  for await (const piece of events) {
    for (const event of piece) {
      yield eventText(job, event);
      isOver = isEnd(event);
    }
  }
  return isOver;
}
