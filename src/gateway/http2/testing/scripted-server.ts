import { FakeClock } from "../../../lib/testing/fake-clock.ts";
import { plentyOfBuffers } from "../../../lib/testing/plenty.ts";
import { TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { Http2ClientConnection, type Http2ConnectionOwner } from "../client-connection.ts";
import { type ClientRequest, type ClientStream } from "../client-stream.ts";
import { type ResponseSink } from "../../exchange/exchange.ts";
import * as f from "../frame.ts";
import { type FieldList, ScriptedPeer } from "./scripted-peer.ts";

export const GET: ClientRequest = {
  method: "GET",
  scheme: "http",
  authority: "example.com",
  path: "/",
  fields: "",
  ownFields: "",
  bodyLength: 0,
};
export const STATUS_200: readonly [string, string] = [":status", "200"];
export const DATE: readonly [string, string] = ["date", "x"];
export const OK: FieldList = [STATUS_200, DATE];
export const POST: ClientRequest = { ...GET, method: "POST", bodyLength: -1 };

/** Counts the events that a pool would get from its connections. */
export class Owner implements Http2ConnectionOwner {
  readonly clock = new FakeClock();
  readonly wheel = new TimerWheel(this.clock);
  readonly buffers = plentyOfBuffers();
  readonly writeMs = 20_000;
  releases = 0;
  retirements = 0;
  gone = 0;
  onReleased: () => void = () => {};
  released(): void {
    this.releases++;
    this.onReleased();
  }
  retired(): void {
    this.retirements++;
  }
  closed(): void {
    this.gone++;
  }
}

/** A scripted server of a connection. */
export class ScriptedServer extends ScriptedPeer<Http2ClientConnection> {
  readonly owner: Owner;

  constructor(owner = new Owner()) {
    super((wire) => new Http2ClientConnection(wire, owner), f.PREFACE.length);
    this.owner = owner;
  }

  /** Sends SETTINGS and acknowledges the connection's SETTINGS. Discards the frames of the connection. */
  begin(settings: readonly (readonly [id: number, value: number])[] = []): this {
    this.settings(settings);
    this.frame(f.SETTINGS, f.ACK, 0);
    this.frames();
    return this;
  }

  /** Begins a request on the connection. */
  send(sink: ResponseSink, request: ClientRequest = GET): ClientStream {
    const stream = this.connection.request(request, sink);
    if (stream === undefined) throw new Error("Cannot go on: the request was not begun");
    return stream;
  }

  /** As `send`, and discards the frames up to the request's head. */
  sendQuietly(sink: ResponseSink, request: ClientRequest = GET): ClientStream {
    const stream = this.send(sink, request);
    this.frames();
    return stream;
  }
}
