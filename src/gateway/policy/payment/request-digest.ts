import { createHash, type Hash } from "node:crypto";
import { type TurnpikeError } from "../../../lib/errors.ts";
import { type Change } from "../../../store/ledger.ts";
import { type BodySink, type Exchange } from "../../exchange/exchange.ts";
import { type BodyMemory, GatheredBody, hasBody, readBody } from "../gathered-body.ts";
import { paymentError } from "./protocol/respond.ts";

/** Bytes of the longest body that is buffered and compared with the paid one before it goes to the upstream. @operator */
const MAX_GATHERED_BYTES = 1_048_576;

/** The digest of a request without a body. */
const EMPTY = "0:";
/** The number of bytes, a plus if they were only the beginning of a body, and the SHA-256. */
const DIGEST = /^(\d{1,16})(\+?):([\w-]*)$/;

/** The error of a payment whose request came with another body before. */
export const OTHER_BODY = paymentError(
  "payment-conflict",
  "This payment was made for a request with another body. Send it with that body.",
);
const TOO_LONG = paymentError(
  "payment-conflict",
  `This payment was made for an earlier request, whose body cannot be compared with this one: it has more than ${MAX_GATHERED_BYTES} bytes. The ledger keeps the payment.`,
);
const NO_ROOM = paymentError(
  "overloaded",
  "Too many request bodies are being compared with those that were paid for. Send the same payment again.",
);

/**
 * The digest of a request's body, computed as the body passes. A payment pays for one body: without this check, a
 * client with an undelivered settlement could ask for other bodies. If the first body broke off, only its beginning is
 * compared.
 */
export class RequestDigest {
  readonly #exchange: Exchange;
  /** The digest of the body that was paid for; undefined if it is not known yet. */
  readonly #expected: { readonly bytes: number; readonly isWhole: boolean; readonly hash: string } | undefined;
  readonly #hasBody: boolean;
  #hash: Hash | undefined;
  #bytes = 0;
  #ended = false;
  /** The hash of the first bytes, as many as the expected body had. */
  #hashThere: string | undefined;
  #gathered: GatheredBody | undefined;

  /** `expected`: the `bodyDigest` from the ledger, or empty. */
  constructor(exchange: Exchange, expected: string) {
    this.#exchange = exchange;
    this.#hasBody = hasBody(exchange.head);
    const parts = DIGEST.exec(expected);
    if (parts === null) return;
    this.#expected = { bytes: Number(parts[1]), isWhole: parts[2] === "", hash: parts[3] ?? "" };
    if (this.#expected.bytes === 0) this.#hashThere = "";
  }

  /** The digest for the ledger, as far as it is known. From then on the payment is only valid for this body. */
  get spentOn(): Pick<Change, "bodyDigest"> {
    if (!this.#hasBody || (this.#ended && this.#bytes === 0)) return { bodyDigest: EMPTY };
    if (this.#hash === undefined) return {};
    return { bodyDigest: `${this.#bytes}${this.#ended ? "" : "+"}:${sumOf(this.#hash)}` };
  }

  /** False: the body differs from the paid one, as far as it was seen. */
  get fits(): boolean {
    const expected = this.#expected;
    if (expected === undefined) return true;
    if (!this.#hasBody) return expected.bytes === 0;
    if (expected.isWhole && !(this.#ended && this.#bytes === expected.bytes)) return false;
    return this.#hashThere === expected.hash;
  }

  /** Observes the body while the upstream reads it. `onEnd` is called after the whole body. */
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

  /** The errors of the request that can be found without reading its body. */
  glance(): TurnpikeError | undefined {
    if (!this.#hasBody) return this.fits ? undefined : OTHER_BODY;
    const { bodyLength } = this.#exchange.head;
    const expected = this.#expected;
    if (expected === undefined || bodyLength === -1) return undefined;
    const isOther = expected.isWhole ? bodyLength !== expected.bytes : bodyLength < expected.bytes;
    return isOther ? OTHER_BODY : undefined;
  }

  /** True if the body must be read to compare it with the paid one. */
  get mustRead(): boolean {
    return this.#hasBody && this.#expected !== undefined;
  }

  /** Why the request may not have the stored response. Reads the body and discards it. */
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

  /** Why the upstream may not work for the request. Reads the body into `memory`; the upstream gets it afterwards. */
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

  /** Frees the buffered body. */
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

/** The hash of the input so far; more input can follow. */
function sumOf(hash: Hash): string {
  return hash.copy().digest("base64url");
}
