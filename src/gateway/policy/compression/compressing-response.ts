import { changedHead } from "../../exchange/exchange-state.ts";
import { TurnpikeError } from "../../../lib/errors.ts";
import { type Fields, withoutFields } from "../../../lib/http/fields.ts";
import { atFinish } from "../../exchange/endings.ts";
import { type Exchange, type ResponseHead } from "../../exchange/exchange.ts";
import { PausingSink } from "../../exchange/pausing-sink.ts";
import { CODERS, type Coding } from "./codings.ts";
import { Compressor } from "./compressor.ts";
import { isLive, type Plan } from "./plan.ts";

/** Most bytes of a body that is compressed at once; a longer one in a thread, which costs a handover. */
const MAX_AT_ONCE_BYTES = 65_536;

/** Digests of the uncompressed bytes (RFC 9530, RFC 1864). */
const DIGESTS = ["content-digest", "repr-digest", "digest", "content-md5"];
const OF_PLAIN_BYTES = [...DIGESTS, "accept-ranges"];

/**
 * A sink before the response that compresses its body, if the plan allows it.
 *
 *   start ──▶ passing, unchanged
 *     └─────▶ waiting ──the whole body in one piece──▶ done
 *                └──any other piece──▶ streaming ──end──▶ the last bytes, then the end
 */
export class CompressingResponse extends PausingSink {
  readonly #plan: Plan;
  #coding: Coding | undefined;
  #compressor: Compressor | undefined;
  #live = false;
  #expected = -1;
  #trailers: Fields = "";

  constructor(exchange: Exchange, plan: Plan) {
    super(exchange);
    this.#plan = plan;
  }

  start(head: ResponseHead): void {
    const { fields, coding } = this.#plan.decide(this.exchange, head);
    if (coding === undefined) {
      this.sink.start(fields === head.fields ? head : changedHead(head, { fields }));
      return;
    }
    if (this.exchange.head.method !== "HEAD") this.#begin(coding, head);
    this.sink.start(changedHead(head, { fields: withoutFields(fields, OF_PLAIN_BYTES), bodyLength: -1 }));
  }

  #begin(coding: Coding, head: ResponseHead): void {
    this.#coding = coding;
    this.#expected = head.bodyLength;
    this.#live = isLive(head);
    atFinish(this.exchange, () => {
      this.#compressor?.destroy();
      this.#plan.slots.giveBack();
    });
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    if (this.#coding === undefined) return this.sink.data(chunk, start, end);
    if (end === start) return true;
    const piece = chunk.subarray(start, end);
    if (this.#compressor === undefined) {
      if (piece.length === this.#expected && piece.length <= MAX_AT_ONCE_BYTES)
        return this.#atOnce(this.#coding, piece);
      this.#compressor = this.#open(this.#coding);
    }
    return this.#compressor.write(piece);
  }

  sendFile(file: number, offset: number, length: number): number {
    return this.#coding === undefined ? (this.sink.sendFile?.(file, offset, length) ?? 0) : 0;
  }

  end(trailers: Fields): void {
    if (this.#coding === undefined) {
      this.sink.end(trailers);
      return;
    }
    const kept = withoutFields(trailers, DIGESTS);
    const compressor = this.#compressor;
    if (compressor === undefined) {
      this.sink.end(kept);
      return;
    }
    this.#trailers = kept;
    // The source has sent everything: a closed connection no longer concerns it.
    this.exchange.onCancel = undefined;
    compressor.end();
  }

  abort(error: TurnpikeError): void {
    this.#compressor?.destroy();
    this.sink.abort(error);
  }

  drained(): void {
    if (this.#compressor === undefined) this.resumeSource();
    else this.#compressor.goOn();
  }

  #atOnce(coding: Coding, body: Uint8Array): boolean {
    this.#expected = -1;
    return this.sink.data(CODERS[coding].whole(body));
  }

  #open(coding: Coding): Compressor {
    return new Compressor(CODERS[coding], this.#live, {
      output: (bytes) => this.sink.data(bytes),
      room: () => this.resumeSource(),
      ended: () => this.sink.end(this.#trailers),
      broken: () => {
        this.sink.abort(new TurnpikeError("internal", "the response could not be compressed"));
        this.exchange.onCancel?.();
      },
    });
  }
}
