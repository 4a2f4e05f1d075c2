import { type TurnpikeError } from "../../../lib/errors.ts";
import { type Fields, fieldValue } from "../../../lib/http/fields.ts";
import { isGrpcType } from "../../../lib/http/field-roles.ts";
import {
  GRPC,
  GrpcError,
  grpcStatusOfError,
  grpcStatusOfHttp,
  parseGrpcStatus,
} from "../../../lib/http/grpc-status.ts";
import { type ResponseHead } from "../../exchange/exchange.ts";
import { type Pairs } from "./call.ts";
import { FrameReader } from "./grpc-frame.ts";
import { pairsOf } from "./http-call.ts";
import { NO_ROOM, UpstreamCall } from "./upstream-call.ts";
import { percentDecoded } from "../../../lib/http/percent.ts";

const COMPRESSED = new GrpcError(
  "upstream-failed",
  "the response is compressed, although the call does not allow it",
  GRPC.INTERNAL,
);
const CUT = new GrpcError("upstream-failed", "the response ends within a message", GRPC.INTERNAL);

/** The end of a call, with the server's message and trailers. */
export interface GrpcEnd {
  readonly status: number;
  readonly message: string;
  readonly trailers: Pairs;
}

/** One gRPC call, with one or many messages in each direction (grpc/grpc, doc/PROTOCOL-HTTP2.md). */
export abstract class GrpcCall extends UpstreamCall {
  readonly #reader = new FrameReader();
  /** The status in the head, which ends the call. Most calls end with trailers instead. */
  #headStatus: number | undefined;
  #headFields: Fields = "";

  /** Called when the head has arrived. Messages can follow. */
  protected abstract began(metadata: Pairs): void;
  /** Called for new messages. Returns false if it takes no more for now. */
  protected abstract received(messages: readonly Uint8Array[]): boolean;
  /** Bytes that it holds in addition to the message that is arriving. */
  protected abstract readonly queuedBytes: number;
  /** Called when the server has ended the call. */
  protected abstract ended(end: GrpcEnd): void;

  start(head: ResponseHead): void {
    if (head.status < 200) return;
    this.#headFields = head.fields;
    this.#headStatus = head.grpcStatus ?? parseGrpcStatus(fieldValue(head.fields, "grpc-status"));
    if (this.#headStatus !== undefined) return;
    if (head.status === 200 && isGrpcType(fieldValue(head.fields, "content-type"))) this.began(pairsOf(head.fields));
    else {
      const why = `the response is not a gRPC response, and has the HTTP status ${head.status}`;
      this.breakOff(new GrpcError("upstream-failed", why, grpcStatusOfHttp(head.status)));
    }
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    if (this.isOver) return true;
    const messages = this.#reader.take(chunk, start, end);
    if (messages === undefined) {
      this.breakOff(COMPRESSED);
      return true;
    }
    const goesOn = this.received(messages);
    if (!this.isOver && !this.account()) this.breakOff(NO_ROOM);
    return goesOn;
  }

  end(trailers: Fields): void {
    if (this.isOver) return;
    if (this.#reader.isInside) {
      this.fail(CUT);
      return;
    }
    const fields = this.#headStatus === undefined ? trailers : this.#headFields + trailers;
    const status = parseGrpcStatus(fieldValue(fields, "grpc-status")) ?? GRPC.UNKNOWN;
    this.ended({
      status,
      message: percentDecoded(fieldValue(fields, "grpc-message") ?? ""),
      trailers: pairsOf(fields),
    });
  }

  /** Accounts for the bytes it holds and for `more` bytes. Returns false if there is no memory for them. */
  account(more = 0): boolean {
    return this.holds(this.#reader.memory + this.queuedBytes + more);
  }

  protected failed(error: TurnpikeError): void {
    this.told({ status: grpcStatusOfError(error), message: error.message, trailers: [] });
  }

  /** Reports the end of the call to the filter. */
  protected abstract told(end: GrpcEnd): void;
}
