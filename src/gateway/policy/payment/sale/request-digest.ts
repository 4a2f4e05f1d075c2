import { createHash, type Hash } from "node:crypto";
import { type TurnpikeError } from "../../../../lib/errors.ts";
import { type Change } from "../../../../store/ledger.ts";
import { type BodySink, type Exchange } from "../../../exchange/exchange.ts";
import { type BodyMemory, GatheredBody, hasBody, readBody } from "../../gathered-body.ts";
import { paymentError } from "../protocol/respond.ts";

/** Bytes of the longest body that is buffered and compared with the paid one before it goes to the upstream. */
const MAX_GATHERED_BYTES = 1_048_576;

/** The digest of a request without a body. */
const EMPTY = "0:";
/**
 * The number of bytes and their SHA-256. With a plus they were only the beginning of a body: the announced length follows,
 * if there was one.
 */
const DIGEST = /^(\d{1,16})(?:\+(\d{0,16}))?:([\w-]*)$/;

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

interface Expected {
  readonly bytes: number;
  /** Bytes of the whole body; undefined if its length is not known. */
  readonly total: number | undefined;
  readonly hash: string;
}

/**
 * The digest of a request's body, computed as the body passes. A payment pays for one body: without this check, a
 * client with an undelivered settlement could ask for other bodies, whose price may be higher. If the first body broke
 * off, only its beginning is compared.
 */
export class RequestDigest {
  readonly #exchange: Exchange;
  /** The digest of the body that was paid for; undefined if it is not known yet. */
  readonly #expected: Expected | undefined;
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
    if (parts !== null) {
      const [, bytes = "", announced = bytes, hash = ""] = parts;
      this.#expected = { bytes: Number(bytes), total: announced === "" ? undefined : Number(announced), hash };
      if (this.#expected.bytes === 0) this.#hashThere = "";
    }
    const { body } = exchange;
    if (!(body instanceof GatheredBody)) return;
    // The whole body has been read, so its digest is known before the payment is settled.
    if (body.bytes.length > 0) this.#see(body.bytes);
    this.#ended = true;
  }

  /** The digest for the ledger, as far as it is known. From then on the payment is only valid for this body. */
  get spentOn(): Pick<Change, "bodyDigest"> {
    if (!this.#hasBody || (this.#ended && this.#bytes === 0)) return { bodyDigest: EMPTY };
    const { bodyLength } = this.#exchange.head;
    const announced = this.#ended ? "" : `+${bodyLength < 0 ? "" : bodyLength}`;
    if (this.#hash === undefined) return bodyLength < 0 ? {} : { bodyDigest: `0${announced}:` };
    return { bodyDigest: `${this.#bytes}${announced}:${sumOf(this.#hash)}` };
  }

  /** False: the body differs from the paid one, as far as it was seen. */
  get fits(): boolean {
    const expected = this.#expected;
    if (expected === undefined) return true;
    const { bytes, total, hash } = expected;
    if (!this.#hasBody) return (total ?? bytes) === 0;
    if (this.#ended ? total !== undefined && total !== this.#bytes : total === bytes) return false;
    return this.#hashThere === hash;
  }

  /** Observes the body while the upstream reads it. `onEnd` is called after the whole body. */
  watch(onEnd: () => void = () => {}): void {
    if (!this.#hasBody || this.#ended) return;
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
    if (!this.#hasBody || this.#ended) return this.fits ? undefined : OTHER_BODY;
    const { bodyLength } = this.#exchange.head;
    const expected = this.#expected;
    if (expected === undefined || bodyLength === -1) return undefined;
    const { bytes, total } = expected;
    const isOther = total === undefined ? bodyLength < bytes : bodyLength !== total;
    return isOther ? OTHER_BODY : undefined;
  }

  /** True if the body must be read to compare it with the paid one. */
  get mustRead(): boolean {
    if (!this.#hasBody || this.#ended || this.#expected === undefined) return false;
    return this.#expected.bytes > 0 || this.#exchange.head.bodyLength < 0;
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
