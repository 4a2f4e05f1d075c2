import { type HandshakeHandler, type TlsPeer } from "../../wire/tls.ts";
import { type Wire } from "../../wire/wire.ts";
import { type Entrance, Phase } from "../connections/phase.ts";

/** TLS handshakes under way in one worker. One more closes the oldest, which is the least likely to complete. @operator */
const MAX_HANDSHAKES = 1024;

/** Receives the end of a TLS handshake. One of the two is called, once. */
export interface HandshakeEvents {
  /** Replaces the handshake with the next phase. */
  secured(peer: TlsPeer): void;
  /** The handshake ended without success. */
  failed(): void;
}

const underWay = new Set<Handshake>();

/** A connection whose TLS handshake is under way. */
export class Handshake extends Phase implements HandshakeHandler {
  readonly #events: HandshakeEvents;
  #isSecure = false;

  /** `ms`: milliseconds that the handshake has. */
  constructor(wire: Wire, entrance: Entrance, ms: number, events: HandshakeEvents) {
    super(wire, entrance, ms);
    this.#events = events;
    const [oldest] = underWay;
    if (underWay.size >= MAX_HANDSHAKES && oldest !== undefined) oldest.cutOff();
    underWay.add(this);
  }

  onSecure(peer: TlsPeer): void {
    this.#isSecure = true;
    this.#events.secured(peer);
    this.leave();
  }

  /** The client must not send data before the end of the handshake. */
  onData(): void {
    this.cutOff();
  }

  override cutOff(): void {
    underWay.delete(this);
    super.cutOff();
  }

  override leave(): void {
    underWay.delete(this);
    if (!this.#isSecure) this.#events.failed();
    super.leave();
  }
}
