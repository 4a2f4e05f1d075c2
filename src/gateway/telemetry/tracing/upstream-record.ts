import { eventTime } from "../../../lib/event-clock.ts";
import { type Fields } from "../../../lib/fields.ts";
import { type UpstreamTrace } from "../../exchange.ts";

/** How a request fared with the server that it was tried at last; times in milliseconds since that try began. */
export class UpstreamRecord implements UpstreamTrace {
  /** What the server is told of the trace. */
  fields: Fields;
  tries = 0;
  server = "";
  /** 0: it has not answered. */
  status = 0;
  /** -1: there was no connection. */
  connectMs = -1;
  /** -1: it has not answered. */
  firstByteMs = -1;
  protected beganAt = 0;

  constructor(fields: Fields) {
    this.fields = fields;
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
