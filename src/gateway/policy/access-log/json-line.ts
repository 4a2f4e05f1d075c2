import { fieldValue } from "../../../lib/fields.ts";
import { type LineBytes } from "../../../lib/line-bytes.ts";
import { type AnsweredRequest } from "../../exchange.ts";
import { RequestTrace } from "../../telemetry/tracing/request-trace.ts";
import { UpstreamRecord } from "../../telemetry/tracing/upstream-record.ts";
import { type Finished } from "./access-log.ts";

let knownTime = -1;
let knownText = "";

/** ISO 8601; requests come many to the millisecond. */
function isoTime(at: number): string {
  if (at !== knownTime) {
    knownTime = at;
    knownText = new Date(at).toISOString();
  }
  return knownText;
}

function addText(line: LineBytes, start: string, text: string | undefined): void {
  if (text === undefined) return;
  line.ascii(start);
  line.json(text);
}

function addMillis(line: LineBytes, start: string, ms: number): void {
  if (ms < 0) return;
  line.ascii(start);
  line.millis(ms);
}

/** What tells of the server that answered. */
function addUpstream(line: LineBytes, { server, status, connectMs, firstByteMs, tries }: UpstreamRecord): void {
  line.ascii(',"upstream_server":');
  line.json(server);
  if (status > 0) {
    line.ascii(',"upstream_status":');
    line.integer(status);
  }
  addMillis(line, ',"upstream_connect_ms":', connectMs);
  addMillis(line, ',"upstream_first_byte_ms":', firstByteMs);
  line.ascii(',"upstream_tries":');
  line.integer(tries);
}

/** One JSON object; keys that a request has nothing for are left out. */
export function jsonLine(line: LineBytes, exchange: AnsweredRequest, { at, elapsedMs, hidden }: Finished): void {
  const { head, trace, consumer } = exchange;
  line.ascii('{"time":"');
  line.ascii(isoTime(at));
  line.ascii('","request_id":');
  line.json(exchange.id);
  if (trace instanceof RequestTrace) addText(line, ',"trace_id":', trace.traceId);
  line.ascii(',"client":');
  line.json(exchange.clientAddress);
  if (consumer !== "") addText(line, ',"consumer":', consumer);
  line.ascii(',"protocol":"');
  line.ascii(exchange.protocol);
  line.ascii('","method":');
  line.json(head.method);
  line.ascii(head.scheme === "https" ? ',"scheme":"https","host":' : ',"scheme":"http","host":');
  line.json(head.authority);
  line.ascii(',"path":');
  line.json(head.path);
  line.ascii(',"query":');
  line.json(hidden.query(head.query));
  line.ascii(',"status":');
  // 499 is nginx's code for a client that left before there was an answer.
  line.integer(exchange.status === 0 ? 499 : exchange.status);
  line.ascii(',"bytes_received":');
  line.integer(exchange.bytesReceived);
  line.ascii(',"bytes_sent":');
  line.integer(exchange.bytesSent);
  addMillis(line, ',"duration_ms":', Math.max(elapsedMs, 0));
  if (trace instanceof UpstreamRecord && trace.tries > 0) addUpstream(line, trace);
  addText(line, ',"user_agent":', fieldValue(head.fields, "user-agent"));
  const referer = fieldValue(head.fields, "referer");
  if (referer !== undefined) addText(line, ',"referer":', hidden.url(referer));
  line.ascii("}");
}
