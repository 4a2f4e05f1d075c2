import { eventTime } from "../../../lib/event-clock.ts";
import { type Fields } from "../../../lib/fields.ts";
import { type UpstreamTrace } from "../../exchange.ts";

/** The last try of a request with a server. Times are milliseconds since that try began. */
export class UpstreamRecord implements UpstreamTrace {
  /** Field lines that pass the trace context to the server. */
  fields: Fields;
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
    this.fields = fields;
  }

  /** The record of a new request, in that of a finished one if there is one. */
  static of(spare: UpstreamTrace | undefined, fields: Fields): UpstreamRecord {
    if (!(spare instanceof UpstreamRecord) || spare.constructor !== UpstreamRecord) return new UpstreamRecord(fields);
    spare.fields = fields;
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
