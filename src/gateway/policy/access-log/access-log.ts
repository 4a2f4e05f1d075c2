import { fieldValue } from "../../../lib/fields.ts";
import { type AnsweredRequest } from "../../exchange.ts";
import { RequestTrace } from "../../telemetry/tracing/request-trace.ts";
import { UpstreamRecord } from "../../telemetry/tracing/upstream-record.ts";

/** Milliseconds since the epoch, and since the exchange began. */
export interface Finished {
  readonly at: number;
  readonly elapsedMs: number;
}

export type LogLine = (exchange: AnsweredRequest, finished: Finished) => string;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

let combinedSecond = -1;
let combinedTime = "";

/** `10/Oct/2000:13:55:36 +0000`, made once a second. */
function clfTime(at: number): string {
  const second = Math.floor(at / 1000);
  if (second === combinedSecond) return combinedTime;
  const iso = new Date(at).toISOString();
  const month = MONTHS[Number(iso.slice(5, 7)) - 1] ?? "";
  combinedSecond = second;
  combinedTime = `${iso.slice(8, 10)}/${month}/${iso.slice(0, 4)}:${iso.slice(11, 19)} +0000`;
  return combinedTime;
}

/** A client's text in a quoted place: what could end the place or the line is written as an escape. */
function quoted(text: string): string {
  return text.replaceAll(
    /["\\\u0000-\u001f\u007f-\uffff]/g,
    (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

/** One line in the combined format of Apache and nginx. */
export function combinedLine(exchange: AnsweredRequest, { at }: Finished): string {
  const { head } = exchange;
  const referer = quoted(fieldValue(head.fields, "referer") ?? "-");
  const agent = quoted(fieldValue(head.fields, "user-agent") ?? "-");
  const request = quoted(`${head.method} ${head.path}${head.query} ${exchange.protocol}`);
  // 499 is nginx's code for a client that left before there was an answer.
  const status = exchange.status === 0 ? 499 : exchange.status;
  return `${exchange.clientAddress} - - [${clfTime(at)}] "${request}" ${status} ${exchange.bytesSent} "${referer}" "${agent}"`;
}

const toMicros = (ms: number): number => Math.round(ms * 1000) / 1000;

/** Milliseconds, where there are any. */
function spent(ms: number | undefined): number | undefined {
  return ms === undefined || ms < 0 ? undefined : toMicros(ms);
}

/** What some terminals take for commands, and JSON allows as it is. */
const CONTROLS = /[\u007f-\u009f]/;

/** One JSON object; keys that a request has nothing for are left out. */
export function jsonLine(exchange: AnsweredRequest, { at, elapsedMs }: Finished): string {
  const { head, trace } = exchange;
  const upstream = trace instanceof UpstreamRecord && trace.tries > 0 ? trace : undefined;
  const line = JSON.stringify({
    time: new Date(at).toISOString(),
    request_id: exchange.id,
    trace_id: trace instanceof RequestTrace ? trace.traceId : undefined,
    client: exchange.clientAddress,
    consumer: exchange.consumer || undefined,
    protocol: exchange.protocol,
    method: head.method,
    scheme: head.scheme,
    host: head.authority,
    path: head.path,
    query: head.query,
    status: exchange.status === 0 ? 499 : exchange.status,
    bytes_received: exchange.bytesReceived,
    bytes_sent: exchange.bytesSent,
    duration_ms: toMicros(elapsedMs),
    upstream_server: upstream?.server,
    upstream_status: upstream?.status || undefined,
    upstream_connect_ms: spent(upstream?.connectMs),
    upstream_first_byte_ms: spent(upstream?.firstByteMs),
    upstream_tries: upstream?.tries,
    user_agent: fieldValue(head.fields, "user-agent"),
    referer: fieldValue(head.fields, "referer"),
  });
  if (!CONTROLS.test(line)) return line;
  return line.replaceAll(/[\u007f-\u009f]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);
}
