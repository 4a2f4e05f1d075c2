import { createHash, type Hash } from "node:crypto";
import { type TurnpikeError } from "../../../lib/errors.ts";
import { type Change } from "../../../store/ledger.ts";
import { type BodySink, type Exchange } from "../../exchange.ts";
import { type BodyMemory, GatheredBody, readBody } from "../gathered-body.ts";
import { paymentError } from "./respond.ts";

/** Longest body that is gathered to be compared with the one that was paid for before it goes to the upstream, in bytes. */
const MAX_GATHERED_BYTES = 1_048_576;

/** Of a request without a body. */
const EMPTY = "0:";
/** Bytes, a plus where they were the beginning of a body, SHA-256. */
const DIGEST = /^(\d{1,16})(\+?):([\w-]*)$/;

export const OTHER_BODY = paymentError(
  "payment-conflict",
  "This payment belongs to a request with another body, to which it stays owed.",
);
const TOO_LONG = paymentError(
  "payment-conflict",
  `What was paid for is owed, and stands in the ledger; a body of more than ${MAX_GATHERED_BYTES} bytes cannot be compared with the one that it is owed to.`,
);
const NO_ROOM = paymentError(
  "overloaded",
  "Too many requests are being compared with what was paid for. Send the same payment again.",
);

/**
 * What a request's body is, by what is seen of it on its way: a payment is spent on one body, and who owns a debt could ask
 * for others by it. Only as much was had as was sent, so that of a body that broke off its beginning alone is compared.
 */
export class RequestDigest {
  readonly #exchange: Exchange;
  /** What the payment was spent on; undefined where nobody knows yet. */
  readonly #expected: { readonly bytes: number; readonly isWhole: boolean; readonly hash: string } | undefined;
  readonly #hasBody: boolean;
  #hash: Hash | undefined;
  #bytes = 0;
  #ended = false;
  /** Of the first bytes, as many as were expected. */
  #hashThere: string | undefined;
  #gathered: GatheredBody | undefined;

  /** `expected` is what another one had to say for the ledger, or empty. */
  constructor(exchange: Exchange, expected: string) {
    this.#exchange = exchange;
    this.#hasBody = hasBody(exchange);
    const parts = DIGEST.exec(expected);
    if (parts === null) return;
    this.#expected = { bytes: Number(parts[1]), isWhole: parts[2] === "", hash: parts[3] ?? "" };
    if (this.#expected.bytes === 0) this.#hashThere = "";
  }

  /** For the ledger: what the money is for, as far as it is known; from then on it is for nothing else. */
  get spentOn(): Pick<Change, "bodyDigest"> {
    if (!this.#hasBody || (this.#ended && this.#bytes === 0)) return { bodyDigest: EMPTY };
    if (this.#hash === undefined) return {};
    return { bodyDigest: `${this.#bytes}${this.#ended ? "" : "+"}:${sumOf(this.#hash)}` };
  }

  /** False: it is another body than the one that was paid for, as far as it was seen. */
  get fits(): boolean {
    const expected = this.#expected;
    if (expected === undefined) return true;
    if (!this.#hasBody) return expected.bytes === 0;
    if (expected.isWhole && !(this.#ended && this.#bytes === expected.bytes)) return false;
    return this.#hashThere === expected.hash;
  }

  /** Sees the body as the upstream reads it. `onEnd` is called when all of it was seen. */
  watch(onEnd: () => void = () => {}): void {
    if (!this.#hasBody) return;
    const body = this.#exchange.body;
    this.#exchange.body = {
      get complete() {
        return body.complete ?? false;
      },
      readTo: (sink) => body.readTo(this.#seenBy(sink, onEnd)),
      pause: () => body.pause(),
      resume: () => body.resume(),
      liftLimits: () => body.liftLimits?.(),
    };
  }

  /** What stands against the request that can be told without reading its body. */
  glance(): TurnpikeError | undefined {
    if (!this.#hasBody) return this.fits ? undefined : OTHER_BODY;
    const { bodyLength } = this.#exchange.head;
    const expected = this.#expected;
    if (expected === undefined || bodyLength === -1) return undefined;
    const isOther = expected.isWhole ? bodyLength !== expected.bytes : bodyLength < expected.bytes;
    return isOther ? OTHER_BODY : undefined;
  }

  /** True where the body has to be read to know whether it is the one that was paid for. */
  get mustRead(): boolean {
    return this.#hasBody && this.#expected !== undefined;
  }

  /** Why the request may not have what is kept for the payment: reads its body, and keeps nothing of that. */
  async look(): Promise<TurnpikeError | undefined> {
    const known = this.glance();
    if (known !== undefined || !this.mustRead) return known;
    this.watch();
    const over = Promise.withResolvers<TurnpikeError | undefined>();
    const gone = readBody(this.#exchange, {
      data: () => true,
      end: () => over.resolve(undefined),
      abort: over.resolve,
    });
    return gone ?? (await over.promise) ?? (this.fits ? undefined : OTHER_BODY);
  }

  /** Why the upstream may not work for the request: reads its body, which it then gets as it was. It takes room of `memory`. */
  async gather(memory: BodyMemory): Promise<TurnpikeError | undefined> {
    const known = this.glance();
    if (known !== undefined || !this.mustRead) return known;
    this.watch();
    const bounds = { maxBytes: MAX_GATHERED_BYTES, memory, tooLong: TOO_LONG, noRoom: NO_ROOM };
    this.#gathered = new GatheredBody(this.#exchange, bounds);
    const refusal = (await this.#gathered.gather()) ?? (this.fits ? undefined : OTHER_BODY);
    if (refusal === undefined) this.#gathered.replace();
    else this.release();
    return refusal;
  }

  /** Lets go of what was gathered. */
  release(): void {
    this.#gathered?.release();
  }

  #seenBy(sink: BodySink, onEnd: () => void): BodySink {
    return {
      data: (chunk, start = 0, end = chunk.length) => {
        this.#see(chunk.subarray(start, end));
        return sink.data(chunk, start, end);
      },
      end: (trailers) => {
        this.#ended = true;
        onEnd();
        sink.end(trailers);
      },
      abort: (error) => sink.abort(error),
    };
  }

  #see(bytes: Uint8Array): void {
    this.#hash ??= createHash("sha256");
    const rest = (this.#expected?.bytes ?? 0) - this.#bytes;
    this.#bytes += bytes.length;
    if (rest > 0 && rest <= bytes.length) {
      this.#hash.update(bytes.subarray(0, rest));
      this.#hashThere = sumOf(this.#hash);
      this.#hash.update(bytes.subarray(rest));
    } else this.#hash.update(bytes);
  }
}

/** Of what was put in so far; more may be. */
function sumOf(hash: Hash): string {
  return hash.copy().digest("base64url");
}

/** A handshake has no body; what comes is the tunnel's. */
function hasBody({ head }: Exchange): boolean {
  return head.bodyLength !== 0 && head.upgrade === "";
}
