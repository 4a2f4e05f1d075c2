import { GRPC, GrpcError } from "../../../lib/http/grpc-status.ts";
import { type RequestHead } from "../../exchange/exchange.ts";
import { type GrpcOutcome, type Pairs } from "./call.ts";
import { GrpcCall, type GrpcEnd } from "./grpc-call.ts";
import { framed } from "./grpc-frame.ts";
import { WholeBody } from "../../exchange/whole-body.ts";
import { type CallKeeper } from "./upstream-call.ts";

const NOT_ONE = new GrpcError("upstream-failed", "the response to the call is not one message", GRPC.INTERNAL);

/** A gRPC call with one message in each direction. */
export class GrpcUnary extends GrpcCall {
  readonly #done: (outcome: GrpcOutcome) => void;
  readonly #requestBytes: number;
  #initialMetadata: Pairs = [];
  #reply: Uint8Array | undefined;

  constructor(
    keeper: CallKeeper,
    { head, message }: { head: RequestHead; message: Uint8Array },
    done: (outcome: GrpcOutcome) => void,
  ) {
    super(keeper, head, new WholeBody(framed(message), ""));
    this.#done = done;
    this.#requestBytes = message.length;
  }

  protected get queuedBytes(): number {
    return this.#requestBytes + (this.#reply?.length ?? 0);
  }

  protected began(metadata: Pairs): void {
    this.#initialMetadata = metadata;
  }

  protected received([first, ...more]: readonly Uint8Array[]): boolean {
    if (first === undefined) return true;
    if (this.#reply === undefined && more.length === 0) this.#reply = first;
    else this.breakOff(NOT_ONE);
    return true;
  }

  protected ended(end: GrpcEnd): void {
    if (end.status === GRPC.OK && this.#reply === undefined) this.fail(NOT_ONE);
    else this.finish(() => this.told(end));
  }

  protected told({ status, message, trailers }: GrpcEnd): void {
    const reply = status === GRPC.OK ? this.#reply : undefined;
    this.#done({ status, message, reply, initialMetadata: this.#initialMetadata, trailingMetadata: trailers });
  }
}
