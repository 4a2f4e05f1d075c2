import { fieldValue } from "../../../lib/http/fields.ts";
import { FixedText } from "../../../lib/memory/fixed-text.ts";
import { type LineBytes } from "../../../lib/memory/line-bytes.ts";
import { MADE_ID_BYTES } from "../../../lib/http/request-id.ts";
import { type LoggedRequest } from "../../exchange/exchange.ts";
import { headValue } from "../../exchange/head-fields.ts";
import { RequestTrace } from "../../telemetry/tracing/request-trace.ts";
import { UpstreamRecord } from "../../telemetry/tracing/upstream-record.ts";
import { type Finished } from "./access-log.ts";

const QUOTE = 0x22;

/** The start of a member, with the end of the member before it. */
const member = {
  traceId: new FixedText(',"trace_id":'),
  client: new FixedText(',"client":'),
  consumer: new FixedText(',"consumer":'),
  payer: new FixedText(',"payer":'),
  http: new FixedText(',"scheme":"http","host":'),
  https: new FixedText(',"scheme":"https","host":'),
  path: new FixedText(',"path":'),
  query: new FixedText(',"query":'),
  status: new FixedText(',"status":'),
  bytesReceived: new FixedText(',"bytes_received":'),
  bytesSent: new FixedText(',"bytes_sent":'),
  truncated: new FixedText(',"truncated":'),
  duration: new FixedText(',"duration_ms":'),
  upstreamServer: new FixedText(',"upstream_server":'),
  upstreamStatus: new FixedText(',"upstream_status":'),
  upstreamConnect: new FixedText(',"upstream_connect_ms":'),
  upstreamFirstByte: new FixedText(',"upstream_first_byte_ms":'),
  upstreamTries: new FixedText(',"upstream_tries":'),
  userAgent: new FixedText(',"user_agent":'),
  referer: new FixedText(',"referer":'),
};
const protocols = {
  "HTTP/1.0": protocolOf("HTTP/1.0"),
  "HTTP/1.1": protocolOf("HTTP/1.1"),
  "HTTP/2.0": protocolOf("HTTP/2.0"),
  "HTTP/3.0": protocolOf("HTTP/3.0"),
};
const NO_QUERY = new FixedText(',"query":"","status":');
const ID_FOLLOWS = new FixedText('Z","request_id":');
const END = new FixedText("}");

function protocolOf(protocol: LoggedRequest["protocol"]): FixedText {
  return new FixedText(`,"protocol":"${protocol}","method":`);
}

function addText(line: LineBytes, start: FixedText, text: string | undefined): void {
  if (text === undefined) return;
  line.fixed(start);
  line.json(text);
}

function addMillis(line: LineBytes, start: FixedText, ms: number): void {
  if (ms < 0) return;
  line.fixed(start);
  line.millis(ms);
}

/** Adds the id if the gateway made it. Otherwise it returns false, and the id may need escapes. */
function addMadeId(line: LineBytes, exchange: LoggedRequest): boolean {
  const { at } = line;
  if (exchange.writeMadeId === undefined || at + MADE_ID_BYTES + 2 > line.bytes.length) return false;
  if (!exchange.writeMadeId(line.bytes, at + 1)) return false;
  line.bytes[at] = QUOTE;
  line.bytes[at + 1 + MADE_ID_BYTES] = QUOTE;
  line.at = at + MADE_ID_BYTES + 2;
  return true;
}

/** Adds protocol, method, scheme and host. */
function addTarget(line: LineBytes, { protocol, head }: LoggedRequest): void {
  line.fixed(protocols[protocol]);
  line.json(head.method);
  line.fixed(head.scheme === "https" ? member.https : member.http);
  line.json(head.authority);
}

function addUpstream(line: LineBytes, { server, status, connectMs, firstByteMs, tries }: UpstreamRecord): void {
  line.fixed(member.upstreamServer);
  line.json(server);
  if (status > 0) {
    line.fixed(member.upstreamStatus);
    line.integer(status);
  }
  addMillis(line, member.upstreamConnect, connectMs);
  addMillis(line, member.upstreamFirstByte, firstByteMs);
  line.fixed(member.upstreamTries);
  line.integer(tries);
}

let startSecond = -1;
let lineStart = END;

/** Adds the time. Its text up to the milliseconds is composed once a second, which saves 400 ns a line (bench http1). */
function addTime(line: LineBytes, at: number): void {
  const second = Math.floor(at / 1000);
  if (second !== startSecond) {
    startSecond = second;
    lineStart = new FixedText(`{"time":"${new Date(second * 1000).toISOString().slice(0, -"000Z".length)}`);
  }
  line.fixed(lineStart);
  line.digits(at - second * 1000, 3);
  line.fixed(ID_FOLLOWS);
}

/** One JSON object. Keys without a value in this request are left out. */
export function jsonLine(line: LineBytes, exchange: LoggedRequest, { at, elapsedMs, hidden }: Finished): void {
  const { head, trace, consumer = "", payer = "", truncated = "" } = exchange;
  addTime(line, at);
  if (!addMadeId(line, exchange)) line.json(exchange.id);
  if (trace instanceof RequestTrace) addText(line, member.traceId, trace.traceId);
  line.fixed(member.client);
  line.json(exchange.clientAddress);
  if (consumer !== "") addText(line, member.consumer, consumer);
  if (payer !== "") addText(line, member.payer, payer);
  addTarget(line, exchange);
  line.fixed(member.path);
  line.json(head.path);
  if (head.query === "") line.fixed(NO_QUERY);
  else {
    line.fixed(member.query);
    line.json(hidden.query(head.query));
    line.fixed(member.status);
  }
  // 499 is nginx's code for a client that closed its connection before there was a response.
  line.integer(exchange.status === 0 ? 499 : exchange.status);
  line.fixed(member.bytesReceived);
  line.integer(exchange.bytesReceived);
  line.fixed(member.bytesSent);
  line.integer(exchange.bytesSent);
  if (truncated !== "") addText(line, member.truncated, truncated);
  addMillis(line, member.duration, Math.max(elapsedMs, 0));
  if (trace instanceof UpstreamRecord && trace.tries > 0) addUpstream(line, trace);
  if (head.lines === undefined) addText(line, member.userAgent, fieldValue(head.fields, "user-agent"));
  else head.lines.writeJson(line, member.userAgent, "user-agent");
  const referer = headValue(head, "referer");
  if (referer !== undefined) addText(line, member.referer, hidden.url(referer));
  line.fixed(END);
}
