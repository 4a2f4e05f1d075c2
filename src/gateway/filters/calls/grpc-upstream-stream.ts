import { type RequestHead } from "../../exchange/exchange.ts";
import { type GrpcListener, type GrpcStream, type Pairs } from "./call.ts";
import { MAX_CALL_MESSAGE_BYTES, MAX_UNSENT_BYTES, MESSAGES_A_TURN } from "./call-limits.ts";
import { GrpcCall, type GrpcEnd } from "./grpc-call.ts";
import { framed } from "./grpc-frame.ts";
import { SentMessages } from "./sent-messages.ts";
import { type CallKeeper } from "./upstream-call.ts";

/**
 * A gRPC call with any number of messages in each direction. Each message that arrives runs the filter. So the stream
 * hands over only a few in one turn of the event loop, and pauses the upstream meanwhile.
 */
export class GrpcUpstreamStream extends GrpcCall implements GrpcStream {
  readonly #listener: GrpcListener;
  readonly #sent: SentMessages;
  /** Messages that the filter has not received yet. */
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** Messages that were handed over in this turn. The next turn starts at 0. */
  #handedOver = 0;
  /** The end of the call, which the filter receives after the messages. */
  #end: GrpcEnd | undefined;

  constructor(keeper: CallKeeper, head: RequestHead, listener: GrpcListener) {
    const sent = new SentMessages();
    super(keeper, head, sent);
    this.#sent = sent;
    this.#listener = listener;
  }

  send(message: Uint8Array, isLast: boolean): "sent" | "too-large" | "full" | "closed" {
    if (this.isOver || this.#sent.hasEnded) return "closed";
    if (message.length > MAX_CALL_MESSAGE_BYTES) return "too-large";
    if (this.#sent.bytes + message.length > MAX_UNSENT_BYTES) return "full";
    if (!this.account(message.length)) return "full";
    this.inside(() => {
      this.#sent.send(framed(message));
      if (isLast) this.#sent.end();
    });
    return "sent";
  }

  halfClose(): void {
    if (!this.isOver) this.inside(() => this.#sent.end());
  }

  protected get queuedBytes(): number {
    return this.#waitingBytes + this.#sent.bytes;
  }

  protected began(metadata: Pairs): void {
    this.tell(() => this.#listener.initialMetadata(metadata));
  }

  protected received(messages: readonly Uint8Array[]): boolean {
    for (const message of messages) {
      this.#waiting.push(message);
      this.#waitingBytes += message.length;
    }
    this.#handOver();
    return this.#waiting.length === 0;
  }

  protected ended(end: GrpcEnd): void {
    this.#end = end;
    if (this.#waiting.length === 0) this.finish(() => this.told(end));
  }

  protected told({ status, message, trailers }: GrpcEnd): void {
    this.#waiting = [];
    this.#listener.trailingMetadata(trailers);
    if (!this.isCancelled) this.#listener.closed(status, message);
  }

  /** Hands over messages up to the limit of this turn. */
  #handOver(): void {
    while (this.#handedOver < MESSAGES_A_TURN) {
      const message = this.#waiting.shift();
      if (message === undefined) return;
      if (this.#handedOver++ === 0) setImmediate(() => this.#nextTurn());
      this.#waitingBytes -= message.length;
      this.tell(() => this.#listener.message(message));
    }
  }

  #nextTurn(): void {
    this.#handedOver = 0;
    const waited = this.#waiting.length > 0;
    this.#handOver();
    if (this.isOver) return;
    this.account();
    if (waited && this.#waiting.length === 0) {
      if (this.#end === undefined) this.drained();
      else this.ended(this.#end);
    }
  }
}
