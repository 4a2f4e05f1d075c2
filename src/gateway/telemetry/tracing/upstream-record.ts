import { eventTime } from "../../../lib/time/event-clock.ts";
import { type Fields } from "../../../lib/http/fields.ts";
import { latin1Text } from "../../../lib/memory/latin1.ts";
import { type TextPieces } from "../../../lib/memory/text-pieces.ts";
import { type UpstreamTrace } from "../../exchange/exchange.ts";
import { UNSAMPLED_BYTES, type UnsampledLine } from "./new-traces.ts";

/** The last try of a request with a server. Times are milliseconds since that try began. */
export class UpstreamRecord implements UpstreamTrace {
  #fields: Fields;
  /** The field line, if the gateway has made it for a trace that is not sampled. */
  readonly #line: Uint8Array | undefined;
  readonly #lineFrom: number;
  tries = 0;
  server = "";
  /** 0: no response yet. */
  status = 0;
  /** -1: no connection yet. */
  connectMs = -1;
  /** -1: no response yet. */
  firstByteMs = -1;
  protected beganAt = 0;

  constructor(fields: Fields, line?: UnsampledLine) {
    this.#fields = fields;
    this.#line = line?.bytes;
    this.#lineFrom = line?.from ?? 0;
  }

  get fields(): Fields {
    if (this.#line === undefined) return this.#fields;
    return latin1Text(this.#line, this.#lineFrom, this.#lineFrom + UNSAMPLED_BYTES);
  }
  protected set fields(fields: Fields) {
    this.#fields = fields;
  }

  addFields(pieces: TextPieces): void {
    if (this.#line === undefined) pieces.add(this.#fields);
    else pieces.addBytes(this.#line, this.#lineFrom, this.#lineFrom + UNSAMPLED_BYTES);
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
