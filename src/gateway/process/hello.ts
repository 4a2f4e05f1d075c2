import { type ClientHello, readClientHello } from "../wire/client-hello.ts";
import { type Wire } from "../wire/wire.ts";
import { type Entrance, Phase } from "./phase.ts";

interface HelloOptions {
  /** The time that the client's first message has, in milliseconds. */
  readonly ms: number;
  /** Puts the handshake in the place of the connection that it is given. `hello` is undefined where the bytes are none. */
  readonly whole: (phase: Hello, hello: ClientHello | undefined, bytes: Buffer) => void;
}

/** A connection whose client has not asked for a name and a protocol yet: which certificate it gets depends on both. */
export class Hello extends Phase {
  readonly #whole: HelloOptions["whole"];
  #seen: Buffer | undefined;

  constructor(wire: Wire, entrance: Entrance, { ms, whole }: HelloOptions) {
    super(wire, entrance, ms);
    this.#whole = whole;
  }

  onData(chunk: Buffer): void {
    // Bounded, since what is longer than a message may be is not waited for.
    const bytes = this.#seen === undefined ? chunk : Buffer.concat([this.#seen, chunk]);
    this.#seen = bytes;
    const hello = readClientHello(bytes);
    if (hello !== "unfinished") this.#whole(this, hello, bytes);
  }
}
