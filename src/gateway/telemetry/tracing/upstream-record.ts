import { eventTime } from "../../../lib/time/event-clock.ts";
import { type Fields } from "../../../lib/http/fields.ts";
import { latin1Text } from "../../../lib/memory/latin1.ts";
import { type TextPieces } from "../../../lib/memory/text-pieces.ts";
import { type UpstreamTrace } from "../../exchange/exchange.ts";
import { type NewTraces, UNSAMPLED_BYTES } from "./new-traces.ts";

/** The last try of a request with a server. Times are milliseconds since that try began. */
export class UpstreamRecord implements UpstreamTrace {
  #fields: Fields;
  /** The field line, if the gateway has made it for a trace that is not sampled. Created at the first one. */
  #line: Uint8Array | undefined;
  #isLine = false;
  tries = 0;
  server = "";
  /** 0: no response yet. */
  status = 0;
  /** -1: no connection yet. */
  connectMs = -1;
  /** -1: no response yet. */
  firstByteMs = -1;
  protected beganAt = 0;

  constructor(fields: Fields) {
    this.#fields = fields;
  }

  get fields(): Fields {
    return this.#isLine && this.#line !== undefined ? latin1Text(this.#line, 0, this.#line.length) : this.#fields;
  }
  protected set fields(fields: Fields) {
    this.#fields = fields;
  }

  addFields(pieces: TextPieces): void {
    if (this.#isLine && this.#line !== undefined) pieces.addBytes(this.#line, 0, this.#line.length);
    else pieces.add(this.#fields);
  }

  /** Marks the upstream requests as part of a new trace that is not sampled. */
  addUnsampled(trace: NewTraces): void {
    this.#line ??= new Uint8Array(UNSAMPLED_BYTES);
    this.#isLine = true;
    trace.writeUnsampled(this.#line);
  }

  /** The record of a new request. It reuses the record of a finished request, if `spare` is one. */
  static of(spare: UpstreamTrace | undefined, fields: Fields): UpstreamRecord {
    if (!(spare instanceof UpstreamRecord) || spare.constructor !== UpstreamRecord) return new UpstreamRecord(fields);
    spare.#fields = fields;
    spare.#isLine = false;
    spare.tries = 0;
    spare.server = "";
    spare.status = 0;
    spare.connectMs = -1;
    spare.firstByteMs = -1;
    return spare;
  }

  tryBegan(server: string, _scheme: "http" | "https", _rewrite: ((path: string) => string) | undefined): void {
    this.beganAt = eventTime();
    this.tries++;
    this.server = server;
    this.status = 0;
    this.connectMs = -1;
    this.firstByteMs = -1;
  }

  connected(): void {
    this.connectMs = eventTime() - this.beganAt;
  }

  responded(status: number): void {
    this.status = status;
    this.firstByteMs = eventTime() - this.beganAt;
  }

  tryEnded(_error: string): void {}
}
