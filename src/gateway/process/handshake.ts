import { type HandshakeHandler, type TlsPeer } from "../wire/tls.ts";
import { type Wire } from "../wire/wire.ts";
import { type Entrance, Phase } from "./phase.ts";

/** TLS handshakes under way in one worker; one more ends the oldest, which is the likeliest never to end by itself. */
const MAX_HANDSHAKES = 1024;

export interface HandshakeEvents {
  /** Puts what comes next in its place. */
  secured(peer: TlsPeer): void;
  /** It ended in some other way. */
  failed(): void;
}

const underWay = new Set<Handshake>();

/** A connection whose TLS handshake is under way. */
export class Handshake extends Phase implements HandshakeHandler {
  readonly #events: HandshakeEvents;
  #isSecure = false;

  /** `ms` is the time that the handshake has. */
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

  /** Nothing comes before the handshake's end. */
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
