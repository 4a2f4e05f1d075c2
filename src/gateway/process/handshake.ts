import { type HandshakeHandler, type TlsPeer } from "../wire/tls.ts";
import { type Wire } from "../wire/wire.ts";
import { type Entrance, Phase } from "./phase.ts";

/** TLS handshakes under way in one worker; one more ends the oldest, which is the likeliest never to end by itself. */
const MAX_HANDSHAKES = 1024;

const underWay = new Set<Handshake>();

/** A connection whose TLS handshake is under way. */
export class Handshake extends Phase implements HandshakeHandler {
  readonly #secured: (peer: TlsPeer) => void;

  /** `ms` is the time that the handshake has; `secured` puts what comes next in its place. */
  constructor(wire: Wire, entrance: Entrance, { ms, secured }: { ms: number; secured: (peer: TlsPeer) => void }) {
    super(wire, entrance, ms);
    this.#secured = secured;
    const [oldest] = underWay;
    if (underWay.size >= MAX_HANDSHAKES && oldest !== undefined) oldest.cutOff();
    underWay.add(this);
  }

  onSecure(peer: TlsPeer): void {
    this.#secured(peer);
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
    super.leave();
  }
}
