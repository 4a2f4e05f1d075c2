import { readProxyHeader } from "../wire/proxy-header.ts";
import { type Wire } from "../wire/wire.ts";
import { type Entrance, Phase } from "./phase.ts";

/** What a PROXY header has told, and what came behind it. */
export interface Unwrapped {
  /** The client's; undefined where the header does not tell it. */
  readonly address: string | undefined;
  readonly rest: Buffer;
}

interface ProxiedOptions {
  /** TLS follows, in which a refusal cannot be told yet. */
  readonly useTls: boolean;
  /** The time that the header has. */
  readonly ms: number;
  /** Puts what comes next in the place of the connection that it is given. */
  readonly whole: (proxied: Proxied, unwrapped: Unwrapped) => void;
}

/** A connection whose first bytes are to be a PROXY protocol header; it is closed without a word where they are not. */
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
    // What is longer than a header may be is none, so this is bounded.
    const bytes = this.#seen === undefined ? chunk : Buffer.concat([this.#seen, chunk]);
    this.#seen = bytes;
    const header = readProxyHeader(bytes);
    if (header === undefined) this.wire.terminate();
    else if (header !== "unfinished")
      this.#whole(this, { address: header.address, rest: bytes.subarray(header.length) });
  }
}
