import { type TurnpikeError } from "../../../lib/errors.ts";
import { FakeClock } from "../../../lib/testing/fake-clock.ts";
import { plentyOfBuffers } from "../../../lib/testing/plenty.ts";
import { TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { type ResponseHead, type ResponseSink } from "../../exchange/exchange.ts";
import { type ClientConnection, type ConnectionOwner } from "../client-connection.ts";

/** Counts the notifications that a pool would receive, with a clock that stands still. */
export class Owner implements ConnectionOwner {
  readonly clock = new FakeClock();
  readonly wheel = new TimerWheel(this.clock);
  readonly buffers = plentyOfBuffers();
  freed = 0;
  gone = 0;
  onReleased: (connection: ClientConnection) => void = () => {};
  released(connection: ClientConnection): void {
    this.freed++;
    this.onReleased(connection);
  }
  closed(): void {
    this.gone++;
  }
}

/** Records an upstream's response. */
export class Sink implements ResponseSink {
  readonly heads: ResponseHead[] = [];
  body = "";
  room = true;
  keepsNoChunk = false;
  ends: string[] = [];
  errors: TurnpikeError[] = [];
  onStart: () => void = () => {};
  onData: () => void = () => {};
  start(head: ResponseHead): void {
    this.heads.push(head);
    this.onStart();
  }
  data(chunk: Uint8Array, start: number, end: number): boolean {
    this.body += Buffer.from(chunk).toString("latin1", start, end);
    this.onData();
    return this.room;
  }
  end(trailers: string): void {
    this.ends.push(trailers);
  }
  abort(error: TurnpikeError): void {
    this.errors.push(error);
  }
  get statuses(): number[] {
    return this.heads.map((head) => head.status);
  }
}

/** A complete response with this body. */
export const OK = (body: string, extra = ""): string =>
  `HTTP/1.1 200 OK\r\nDate: x\r\n${extra}Content-Length: ${body.length}\r\n\r\n${body}`;
