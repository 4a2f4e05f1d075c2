import { TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { BufferPool } from "../../../lib/memory/buffer-pool.ts";
import { FakeClock } from "../../../lib/testing/fake-clock.ts";
import { type LoggedRequest, type Exchange } from "../../exchange/exchange.ts";
import { type ServerHost, type ServerSettings } from "../../exchange/server-host.ts";
import * as f from "../frame.ts";
import { Http2ServerConnection } from "../server-connection.ts";
import { ScriptedPeer } from "./scripted-peer.ts";

export const SETTINGS: ServerSettings = {
  maxHeaderBytes: 32_768,
  maxHeaderCount: 100,
  maxBodyBytes: 1_000_000,
  idleMs: 60_000,
  headerMs: 10_000,
  bodyMs: 30_000,
  writeMs: 20_000,
  http2: { maxStreams: 10, maxHeaderListSize: 8192, initialWindowSize: 65_535, maxFrameSize: 16_384 },
};

export class Host implements ServerHost {
  readonly clock = new FakeClock();
  readonly wheel = new TimerWheel(this.clock);
  readonly buffers = new BufferPool({ bufferSize: 65_536, bufferCount: 4096, reserve: 0 });
  readonly scheme = "https";
  readonly exchanges: Exchange[] = [];
  readonly refusals: LoggedRequest[] = [];
  closedCount = 0;
  current: ServerSettings = SETTINGS;
  onExchange: (exchange: Exchange) => void = () => {};
  settings(): ServerSettings {
    return this.current;
  }
  draining(): boolean {
    return false;
  }
  handle(exchange: Exchange): void {
    this.exchanges.push(exchange);
    this.onExchange(exchange);
  }
  refused(request: LoggedRequest): void {
    this.refusals.push(request);
  }
  closed(): void {
    this.closedCount++;
  }
}

export const GET: readonly (readonly [string, string])[] = [
  [":method", "GET"],
  [":scheme", "https"],
  [":authority", "example.com"],
  [":path", "/"],
];
export const POST: readonly (readonly [string, string])[] = [[":method", "POST"], ...GET.slice(1)];

/** A scripted client of a connection. */
export class ScriptedClient extends ScriptedPeer<Http2ServerConnection> {
  readonly host: Host;

  constructor(host = new Host()) {
    super((wire) => new Http2ServerConnection(wire, host), 0);
    this.host = host;
  }

  /** Sends the preface and SETTINGS, and discards the server's reply. */
  begin(settings: readonly (readonly [number, number])[] = []): this {
    this.bytes(f.PREFACE);
    this.settings(settings);
    this.frame(f.SETTINGS, f.ACK, 0);
    this.frames();
    return this;
  }
}
