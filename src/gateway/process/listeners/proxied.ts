import { readProxyHeader } from "../../wire/proxy-protocol.ts";
import { type Wire } from "../../wire/wire.ts";
import { type Entrance, Phase } from "../connections/phase.ts";

/** The contents of a PROXY header, and the bytes after it. */
export interface Unwrapped {
  /** The client's address; undefined if the header does not contain it. */
  readonly address: string | undefined;
  readonly rest: Buffer;
}

interface ProxiedOptions {
  /** TLS follows, so a refusal in plain text is not possible. */
  readonly useTls: boolean;
  /** Milliseconds that the header may take. */
  readonly ms: number;
  /** Replaces the phase with the next one. */
  readonly whole: (proxied: Proxied, unwrapped: Unwrapped) => void;
}

/** A connection whose first bytes must be a PROXY protocol header. If they are not, it is closed without a message. */
export class Proxied extends Phase {
  readonly #whole: ProxiedOptions["whole"];
  readonly #useTls: boolean;
  #seen: Buffer | undefined;

  constructor(wire: Wire, entrance: Entrance, { ms, useTls, whole }: ProxiedOptions) {
    super(wire, entrance, ms);
    this.#useTls = useTls;
    this.#whole = whole;
  }

  override refuse(): void {
    if (this.#useTls) super.refuse();
    else this.refuseInWords();
  }

  onData(chunk: Buffer): void {
    // Bounded: bytes over the length of a header are not a header.
    const bytes = this.#seen === undefined ? chunk : Buffer.concat([this.#seen, chunk]);
    this.#seen = bytes;
    const header = readProxyHeader(bytes);
    if (header === undefined) this.wire.terminate();
    else if (header !== "unfinished")
      this.#whole(this, { address: header.address, rest: bytes.subarray(header.length) });
  }
}
