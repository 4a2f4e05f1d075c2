import { fieldValue } from "../../../lib/fields.ts";
import { type LineBytes } from "../../../lib/line-bytes.ts";
import { MADE_ID_BYTES } from "../../../lib/request-id.ts";
import { type LoggedRequest } from "../../exchange.ts";
import { type HiddenParameters } from "../../telemetry/hidden-parameters.ts";
import { RequestTrace } from "../../telemetry/tracing/request-trace.ts";
import { UpstreamRecord } from "../../telemetry/tracing/upstream-record.ts";
import { type Finished } from "./access-log.ts";
import { RepeatedLine } from "./repeated-line.ts";

/** Maximum bytes of a part that is kept for later lines. A longer part is composed for each line. */
const MAX_KEPT_BYTES = 1024;

const QUOTE = 0x22;

let knownTime = -1;
let begin = "";

/** `{"time":` in ISO 8601, and the key after it. It is kept, because many requests end in the same millisecond. */
function lineBegin(at: number): string {
  if (at !== knownTime) {
    knownTime = at;
    begin = `{"time":"${new Date(at).toISOString()}","request_id":`;
  }
  return begin;
}

/**
 * The bytes of a part that is often the same as in the line before. They are kept when the part has occurred twice in a
 * row, and copied from then on. A copy takes 20 ns; composing the part of the client's fields takes 200 ns (bench
 * log-line).
 */
class KeptPart {
  #bytes = "";
  #came = false;

  /** Drops the kept bytes: the next part is different. */
  forget(): void {
    this.#bytes = "";
    this.#came = false;
  }

  /** Writes the kept bytes. Returns false without kept bytes: the caller composes the part and calls `composed`. */
  write(line: LineBytes): boolean {
    if (this.#bytes === "") return false;
    line.ascii(this.#bytes);
    return true;
  }

  /** The caller has written the part, which begins at the offset `start`. */
  composed(line: LineBytes, start: number): void {
    if (this.#came && line.at - start <= MAX_KEPT_BYTES) this.#bytes = line.since(start);
    this.#came = true;
  }
}

function addText(line: LineBytes, start: string, text: string | undefined): void {
  if (text === undefined) return;
  line.ascii(start);
  line.json(text);
}

/** Returns the offset of the number; -1 if it is below zero and was left out. */
function addMillis(line: LineBytes, start: string, ms: number): number {
  if (ms < 0) return -1;
  line.ascii(start);
  const at = line.at;
  line.millis(ms);
  return at;
}

const repeated = new RepeatedLine();

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

const target = new KeptPart();
let { protocol, method, scheme, authority } = { protocol: "", method: "", scheme: "", authority: "" };

/** Adds protocol, method, scheme and host, up to the path. */
function addTarget(line: LineBytes, exchange: LoggedRequest): void {
  const { head } = exchange;
  const isKept =
    authority === head.authority && method === head.method && protocol === exchange.protocol && scheme === head.scheme;
  if (isKept && target.write(line)) return;
  if (!isKept) {
    target.forget();
    ({ method, scheme, authority } = head);
    ({ protocol } = exchange);
  }
  const start = line.at;
  line.ascii(',"protocol":"');
  line.ascii(protocol);
  line.ascii('","method":');
  line.json(method);
  line.ascii(scheme === "https" ? ',"scheme":"https","host":' : ',"scheme":"http","host":');
  line.json(authority);
  line.ascii(',"path":');
  target.composed(line, start);
}

const upstream = new KeptPart();
let server = "";
let upstreamStatus = -1;

/** Adds the server that responded. */
function addUpstream(line: LineBytes, record: UpstreamRecord): void {
  const isKept = server === record.server && upstreamStatus === record.status;
  if (!isKept || !upstream.write(line)) {
    if (!isKept) {
      upstream.forget();
      ({ server, status: upstreamStatus } = record);
    }
    const start = line.at;
    line.ascii(',"upstream_server":');
    line.json(server);
    if (upstreamStatus > 0) {
      line.ascii(',"upstream_status":');
      line.integer(upstreamStatus);
    }
    upstream.composed(line, start);
  }
  repeated.places.connect = addMillis(line, ',"upstream_connect_ms":', record.connectMs);
  repeated.places.firstByte = addMillis(line, ',"upstream_first_byte_ms":', record.firstByteMs);
  line.ascii(',"upstream_tries":');
  line.integer(record.tries);
}

const client = new KeptPart();
let fields = "";
let clientHidden: HiddenParameters | undefined;

/** Adds the values of the client's fields, and the end of the object. */
function addFields(line: LineBytes, sent: string, hidden: HiddenParameters): void {
  const isKept = fields === sent && clientHidden === hidden;
  if (isKept && client.write(line)) return;
  if (!isKept) {
    client.forget();
    fields = sent;
    clientHidden = hidden;
  }
  const start = line.at;
  addText(line, ',"user_agent":', fieldValue(fields, "user-agent"));
  const referer = fieldValue(fields, "referer");
  if (referer !== undefined) addText(line, ',"referer":', hidden.url(referer));
  line.ascii("}");
  client.composed(line, start);
}

/** One JSON object. Keys without a value in this request are left out. */
export function jsonLine(line: LineBytes, exchange: LoggedRequest, finished: Finished): void {
  // Only ids that the gateway made have a fixed length. A trace id is in few lines, and so is a truncated response.
  const isWhole = (exchange.truncated ?? "") === "";
  if (exchange.writeMadeId === undefined || exchange.trace instanceof RequestTrace || !isWhole) {
    compose(line, exchange, finished);
    return;
  }
  const isRepeated = repeated.equals(exchange, finished.hidden);
  if (isRepeated && repeated.write(line, exchange, finished)) return;
  const start = line.at;
  const isMade = compose(line, exchange, finished);
  if (!isRepeated) repeated.remember(exchange, finished.hidden);
  else if (isMade) repeated.keep(line, start, exchange, finished);
}

/** True if the id is one that the gateway made. */
function compose(line: LineBytes, exchange: LoggedRequest, { at, elapsedMs, hidden }: Finished): boolean {
  const { head, trace, consumer, truncated = "" } = exchange;
  line.ascii(lineBegin(at));
  repeated.places.id = line.at + 1;
  const isMade = addMadeId(line, exchange);
  if (!isMade) line.json(exchange.id);
  if (trace instanceof RequestTrace) addText(line, ',"trace_id":', trace.traceId);
  line.ascii(',"client":');
  line.json(exchange.clientAddress);
  if (consumer !== "") addText(line, ',"consumer":', consumer);
  addTarget(line, exchange);
  line.json(head.path);
  if (head.query === "") line.ascii(',"query":"","status":');
  else {
    line.ascii(',"query":');
    line.json(hidden.query(head.query));
    line.ascii(',"status":');
  }
  // 499 is nginx's code for a client that closed its connection before there was a response.
  line.integer(exchange.status === 0 ? 499 : exchange.status);
  line.ascii(',"bytes_received":');
  line.integer(exchange.bytesReceived);
  line.ascii(',"bytes_sent":');
  line.integer(exchange.bytesSent);
  if (truncated !== "") addText(line, ',"truncated":', truncated);
  repeated.places.duration = addMillis(line, ',"duration_ms":', Math.max(elapsedMs, 0));
  if (trace instanceof UpstreamRecord && trace.tries > 0) addUpstream(line, trace);
  addFields(line, head.fields, hidden);
  return isMade;
}
