import { Http1ServerConnection } from "../../http1/server-connection.ts";
import { PREFACE } from "../../http2/frame.ts";
import type * as Http2 from "../../http2/server-connection.ts";
import { type ServerConnection, type ServerHost } from "../../exchange/server-host.ts";
import { type Wire, type WireHandler } from "../../wire/wire.ts";
import { type Entrance, Phase } from "../connections/phase.ts";
import { RefusedConnection } from "../connections/refused-connection.ts";

/** HTTP/2 is loaded when the gateway first uses it: it is a tenth of a start (bench start). */
const http2 = (): typeof Http2 => require("../../http2/server-connection.ts");

/** Loads HTTP/2 before the first connection needs it. */
export function prepareHttp2(): void {
  http2();
}

/** Milliseconds that a client which has sent nothing has to notice that the gateway closes. */
const LINGER_MS = 1000;

/** The connection after its protocol is known. */
export type Codec = ServerConnection & WireHandler;

/** Replaces a phase with the connection that its wire becomes. */
export interface Successor {
  readonly host: ServerHost;
  /** HTTP/1 is refused. */
  readonly h2Only: boolean;
  readonly become: (phase: Phase, connection: Codec, protocol: "http1" | "http2") => void;
}

const ONLY_HTTP2 = { code: "bad-request", detail: "this port accepts only HTTP/2 with prior knowledge" } as const;

/** True if the client has gone. Without an address, its bytes would bypass all rules by address. */
function isGone(wire: Wire, { peerAddress }: ServerHost): boolean {
  return (peerAddress ?? wire.remoteAddress) === undefined;
}

/** Serves the connection of `phase` by HTTP/1.1. Closes it if the client is gone, refuses it if only HTTP/2 may. */
export function becomeHttp1(phase: Phase, { host, h2Only, become }: Successor): void {
  const { wire } = phase;
  if (isGone(wire, host)) wire.terminate();
  else if (h2Only) wire.data = new RefusedConnection(wire, host.wheel, ONLY_HTTP2);
  else become(phase, new Http1ServerConnection(wire, host), "http1");
}

/** Serves the connection of `phase` by HTTP/2. Closes it if its client has gone. */
export function becomeHttp2(phase: Phase, { host, become }: Successor): void {
  const { wire } = phase;
  if (isGone(wire, host)) wire.terminate();
  else become(phase, new (http2().Http2ServerConnection)(wire, host), "http2");
}

/** A plaintext connection before its first bytes show whether it is HTTP/2 or HTTP/1. */
export class FirstBytes extends Phase {
  readonly #successor: Successor;
  /** The beginning of the preface, which may arrive in pieces. */
  #seen: Buffer | undefined;
  #closing = false;

  constructor(wire: Wire, entrance: Entrance, successor: Successor) {
    super(wire, entrance, successor.host.settings().idleMs);
    this.#successor = successor;
  }

  onData(chunk: Buffer): void {
    if (this.#closing) return;
    const bytes = this.#seen === undefined ? chunk : Buffer.concat([this.#seen, chunk]);
    const length = Math.min(bytes.length, PREFACE.length);
    const isPreface = bytes[0] === PREFACE[0] && bytes.compare(PREFACE, 0, length, 0, length) === 0;
    if (isPreface && length < PREFACE.length) {
      if (this.#seen === undefined) this.within(this.#successor.host.settings().headerMs);
      this.#seen = bytes;
      return;
    }
    const { wire } = this;
    if (isPreface) becomeHttp2(this, this.#successor);
    else becomeHttp1(this, this.#successor);
    this.leave();
    if (wire.data !== this) wire.data.onData(bytes);
  }

  override refuse(): void {
    this.refuseInWords();
  }

  override drain(): void {
    this.#closing = true;
    this.wire.shutdown();
    this.within(LINGER_MS);
  }
}
