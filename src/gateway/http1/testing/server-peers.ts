import { type TurnpikeError } from "../../../lib/errors.ts";
import { FakeClock } from "../../../lib/testing/fake-clock.ts";
import { plentyOfBuffers } from "../../../lib/testing/plenty.ts";
import { TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { type BodySink, type Exchange } from "../../exchange/exchange.ts";
import { type ServerHost, type ServerSettings } from "../../exchange/server-host.ts";

export const SETTINGS: ServerSettings = {
  maxHeaderBytes: 4096,
  maxHeaderCount: 50,
  maxBodyBytes: 1_000_000,
  idleMs: 60_000,
  headerMs: 10_000,
  bodyMs: 30_000,
  writeMs: 30_000,
  http2: { maxStreams: 100, maxHeaderListSize: 8192, initialWindowSize: 65_535, maxFrameSize: 16_384 },
};

export class Host implements ServerHost {
  readonly clock = new FakeClock();
  readonly wheel = new TimerWheel(this.clock);
  readonly buffers = plentyOfBuffers();
  readonly scheme = "http";
  readonly exchanges: Exchange[] = [];
  closedCount = 0;
  isDraining = false;
  current: ServerSettings = SETTINGS;
  onExchange: (exchange: Exchange) => void = () => {};
  settings(): ServerSettings {
    return this.current;
  }
  draining(): boolean {
    return this.isDraining;
  }
  handle(exchange: Exchange): void {
    this.exchanges.push(exchange);
    this.onExchange(exchange);
  }
  refused(): void {}
  closed(): void {
    this.closedCount++;
  }
}

export function reply(exchange: Exchange, body = "ok"): void {
  exchange.response.start({ status: 200, reason: "OK", fields: "", bodyLength: body.length });
  exchange.response.data(Buffer.from(body, "latin1"));
  exchange.response.end("");
}

export class Sink implements BodySink {
  text = "";
  ended = false;
  errors: TurnpikeError[] = [];
  onData: () => boolean = () => true;
  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    this.text += Buffer.from(chunk.subarray(start, end)).toString("latin1");
    return this.onData();
  }
  end(): void {
    this.ended = true;
  }
  abort(error: TurnpikeError): void {
    this.errors.push(error);
  }
}

export const GET = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";
export const POST = (body: string, extra = ""): string =>
  `POST /b HTTP/1.1\r\nHost: h\r\n${extra}Content-Length: ${body.length}\r\n\r\n${body}`;

/** A request to continue in WebSocket. */
export const HANDSHAKE =
  "GET /ws HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
