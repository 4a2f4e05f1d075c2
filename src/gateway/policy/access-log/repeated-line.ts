import { type LineBytes } from "../../../lib/line-bytes.ts";
import { type LoggedRequest } from "../../exchange.ts";
import { type HiddenParameters } from "../../telemetry/hidden-parameters.ts";
import { UpstreamRecord } from "../../telemetry/tracing/upstream-record.ts";
import { type Finished } from "./access-log.ts";

/** Maximum bytes of a line that is kept for later lines. A longer line is composed each time. */
const MAX_KEPT_LINE = 2048;
/** The time is behind `{"time":"`, in ISO 8601. */
const TIME_AT = 9;
const { copy: copyBytes } = Buffer.prototype;
const NO_TRY = new UpstreamRecord("");

/** Room behind a line for writing a number into its place. */
const MAX_NUMBER = 32;

/** Bytes of a time, as `LineBytes.millis` writes it. 0 for a time below zero, which is left out; -1 from 100 ms on. */
function bytesOf(ms: number): number {
  if (ms < 0) return 0;
  const micros = ms < 1000 ? (ms * 1000 + 0.5) | 0 : 1_000_000;
  if (micros < 10_000) return 5;
  return micros < 100_000 ? 6 : -1;
}

/** The places of values that are different in each line, as offsets in the buffer. -1: the line has no such value. */
interface Places {
  id: number;
  duration: number;
  connect: number;
  firstByte: number;
}

/**
 * The last line, for a request that differs from the last one only in its id and its times: a copy of the bytes with new
 * values in their places. This takes a third of composing the line, and leaves 30 KB of machine code untouched (bench
 * log-line).
 */
export class RepeatedLine {
  /** Set while a line is composed. */
  readonly places: Places = { id: -1, duration: -1, connect: -1, firstByte: -1 };
  readonly #bytes = Buffer.allocUnsafeSlow(MAX_KEPT_LINE);
  /** 0: no line is kept. */
  #length = 0;
  /** The time in `#bytes`. */
  #at = 0;
  /** Offsets in `#bytes`. */
  #idAt = 0;
  #durationAt = 0;
  #connectAt = 0;
  #firstByteAt = 0;
  #durationBytes = 0;
  #connectBytes = 0;
  #firstByteBytes = 0;
  /** The values in the last line. */
  #client = "";
  #consumer: string | undefined;
  #protocol = "";
  #method = "";
  #scheme = "";
  #authority = "";
  #path = "";
  #query = "";
  #fields = "";
  #hidden: HiddenParameters | undefined;
  #status = -1;
  #received = -1;
  #sent = -1;
  #server = "";
  #serverStatus = -1;
  #tries = -1;

  /** True if the line of this request is the last one with another id and other times. */
  equals(request: LoggedRequest, hidden: HiddenParameters): boolean {
    const { head } = request;
    const { server, status, tries } = triesOf(request);
    return (
      head.path === this.#path &&
      head.fields === this.#fields &&
      head.query === this.#query &&
      head.authority === this.#authority &&
      head.method === this.#method &&
      head.scheme === this.#scheme &&
      request.status === this.#status &&
      request.bytesSent === this.#sent &&
      request.bytesReceived === this.#received &&
      request.clientAddress === this.#client &&
      request.consumer === this.#consumer &&
      request.protocol === this.#protocol &&
      hidden === this.#hidden &&
      server === this.#server &&
      status === this.#serverStatus &&
      tries === this.#tries
    );
  }

  /** Remembers the values of a request whose line was composed. */
  remember(request: LoggedRequest, hidden: HiddenParameters): void {
    const { head } = request;
    const { server, status, tries } = triesOf(request);
    this.#length = 0;
    this.#path = head.path;
    this.#fields = head.fields;
    this.#query = head.query;
    this.#authority = head.authority;
    this.#method = head.method;
    this.#scheme = head.scheme;
    this.#status = request.status;
    this.#sent = request.bytesSent;
    this.#received = request.bytesReceived;
    this.#client = request.clientAddress;
    this.#consumer = request.consumer;
    this.#protocol = request.protocol;
    this.#hidden = hidden;
    this.#server = server;
    this.#serverStatus = status;
    this.#tries = tries;
  }

  /** Keeps the line that was composed from the offset `start` on, for a request that `equals` the one before. */
  keep(line: LineBytes, start: number, request: LoggedRequest, { at, elapsedMs }: Finished): void {
    const length = line.at - start;
    if (line.full || length > MAX_KEPT_LINE) return;
    const { connectMs, firstByteMs } = triesOf(request);
    const { id, duration, connect, firstByte } = this.places;
    copyBytes.call(line.bytes, this.#bytes, 0, start, line.at);
    this.#length = length;
    this.#at = at;
    this.#idAt = id - start;
    this.#durationAt = duration - start;
    this.#connectAt = connect - start;
    this.#firstByteAt = firstByte - start;
    this.#durationBytes = bytesOf(elapsedMs);
    this.#connectBytes = bytesOf(connectMs);
    this.#firstByteBytes = bytesOf(firstByteMs);
    // Such a time takes its place in too many lengths.
    if (this.#durationBytes < 5 || this.#connectBytes < 0 || this.#firstByteBytes < 0) this.#length = 0;
  }

  /** Writes the line of a request that `equals` the last one. False: it must be composed, and nothing was written. */
  write(line: LineBytes, request: LoggedRequest, { at, elapsedMs }: Finished): boolean {
    const { connectMs, firstByteMs } = triesOf(request);
    const start = line.at;
    const end = start + this.#length;
    // A time with another number of digits has no room.
    if (bytesOf(elapsedMs) !== this.#durationBytes) return false;
    if (bytesOf(connectMs) !== this.#connectBytes || bytesOf(firstByteMs) !== this.#firstByteBytes) return false;
    if (this.#length === 0 || end + MAX_NUMBER > line.bytes.length) return false;
    if (at !== this.#at) this.#setTime(at);
    copyBytes.call(this.#bytes, line.bytes, start, 0, this.#length);
    if (request.writeMadeId?.(line.bytes, start + this.#idAt) !== true) return false;
    line.at = start + this.#durationAt;
    line.millis(elapsedMs);
    if (this.#connectBytes > 0) {
      line.at = start + this.#connectAt;
      line.millis(connectMs);
    }
    if (this.#firstByteBytes > 0) {
      line.at = start + this.#firstByteAt;
      line.millis(firstByteMs);
    }
    line.at = end;
    return true;
  }

  #setTime(at: number): void {
    this.#at = at;
    this.#bytes.write(new Date(at).toISOString(), TIME_AT, "latin1");
  }
}

function triesOf({ trace }: LoggedRequest): UpstreamRecord {
  return trace instanceof UpstreamRecord && trace.tries > 0 ? trace : NO_TRY;
}
