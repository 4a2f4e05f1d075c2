import { type ClientHello, readClientHello } from "../../wire/client-hello.ts";
import { type Wire } from "../../wire/wire.ts";
import { type Entrance, Phase } from "../connections/phase.ts";

interface HelloOptions {
  /** Milliseconds that the client's first message may take. */
  readonly ms: number;
  /** Replaces the phase with the handshake. `hello` is undefined if the bytes are not a client hello. */
  readonly whole: (phase: Hello, hello: ClientHello | undefined, bytes: Buffer) => void;
}

/** A TLS connection before its client has asked for a name and a protocol, which together select its certificate. */
export class Hello extends Phase {
  readonly #whole: HelloOptions["whole"];
  #seen: Buffer | undefined;

  constructor(wire: Wire, entrance: Entrance, { ms, whole }: HelloOptions) {
    super(wire, entrance, ms);
    this.#whole = whole;
  }

  onData(chunk: Buffer): void {
    // Bounded: a message over its length limit is not waited for.
    const bytes = this.#seen === undefined ? chunk : Buffer.concat([this.#seen, chunk]);
    this.#seen = bytes;
    const hello = readClientHello(bytes);
    if (hello !== "unfinished") this.#whole(this, hello, bytes);
  }
}
