import { type TurnpikeError } from "../../lib/errors.ts";
import { fieldLine, type Fields } from "../../lib/http/fields.ts";
import { atFinish } from "../exchange/endings.ts";
import { type Exchange, type ResponseHead, type ResponseSink } from "../exchange/exchange.ts";
import { isEventStream } from "../proxy/event-stream.ts";
import { type FilterOutcome } from "../telemetry/filter-metrics.ts";
import { RESPONSE_FAILED } from "./errors.ts";
import { type ResponseOutcome } from "./own-abi/outcome.ts";
import { type OwnInstance } from "./own-abi/own-instance.ts";
import { BODY_VIEW_BYTES, type ResponseView } from "./own-abi/views.ts";
import { type OwnNeeds } from "./own-needs.ts";
import { PieceList } from "./piece-list.ts";
import { type Changed, changedResponse, hasBody } from "./response-change.ts";
import { type FilterCounts, type FilterRuntime, type FilterSettings } from "./runtime/runtime.ts";
import { stagedHead } from "./staged.ts";

/** Bytes that are held back for `response_body_len` if the response does not announce its length. */
const MAX_UNANNOUNCED_BYTES = 1_048_576;
/** The length that filters receive for such a response if it is longer. */
const LONGER = 2_147_483_647;

/** The filter of a `ResponseHook`, and the fields that it adds. */
export interface HookOptions {
  readonly staged: Fields;
  readonly settings: FilterSettings;
  readonly runtime: FilterRuntime;
  readonly counts: FilterCounts;
  readonly needs: OwnNeeds;
  /** Called once. `failureMs` is how long the invocation took, in milliseconds, if it failed. */
  readonly giveBack: (instance: OwnInstance, failureMs: number) => void;
}

/**
 * Stands before the response and runs `on_response` once, with the instance that has seen the request. It holds back the part
 * of the body that the filter can read, and nothing if the filter reads no body.
 *
 *   waiting ── head ──▶ holding ── enough of the body ──▶ on_response ──▶ passing, or dropping the replaced body
 *      ├── head, and the filter reads no body ──▶ on_response
 *      └── 101, an error of the gateway's own ──▶ passing
 */
export class ResponseHook implements ResponseSink {
  readonly #exchange: Exchange;
  readonly #sink: ResponseSink;
  readonly #options: HookOptions;
  readonly #pieces: PieceList;
  #instance: OwnInstance | undefined;
  #state: "waiting" | "holding" | "passing" | "dropping" = "waiting";
  #head: ResponseHead | undefined;
  /** Bytes for which the filter waits. */
  #wanted = 0;
  /** True if the client receives the original trailers after a replaced body. */
  #keepsTrailers = false;

  constructor(exchange: Exchange, instance: OwnInstance, options: HookOptions) {
    this.#exchange = exchange;
    this.#sink = exchange.response;
    this.#instance = instance;
    this.#options = options;
    this.#pieces = new PieceList(options.runtime.bodies);
    atFinish(exchange, () => {
      this.#letGo();
      // If the client has left, nothing else releases the part that was held back.
      this.#pieces.clear();
      if (this.#state === "holding") this.#state = "dropping";
    });
  }

  start(head: ResponseHead): void {
    if (this.#state === "dropping") return;
    if (head.status < 200 && head.status !== 101) {
      this.#sink.start(head);
      return;
    }
    this.#pieces.clear();
    const { staged } = this.#options;
    if (this.#instance === undefined || head.error !== undefined || head.status === 101) {
      this.#letGo();
      this.#state = "passing";
      this.#sink.start(stagedHead(head, staged));
      return;
    }
    this.#head = head;
    this.#wanted = this.#wantedOf(head);
    this.#state = "holding";
    if (this.#wanted === 0) this.#run(false);
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    if (this.#state === "passing") return this.#sink.data(chunk, start, end);
    if (this.#state !== "holding") return true;
    if (this.#pieces.push(chunk, start, end)) return this.#pieces.length < this.#wanted || this.#run(false);
    this.#outOfMemory();
    return this.data(chunk, start, end);
  }

  sendFile(file: number, offset: number, length: number): number {
    return this.#state === "passing" ? (this.#sink.sendFile?.(file, offset, length) ?? 0) : 0;
  }

  end(trailers: Fields): void {
    if (this.#state === "holding") this.#run(true);
    if (this.#state === "passing" || this.#keepsTrailers) this.#sink.end(trailers);
  }

  abort(error: TurnpikeError): void {
    if (this.#state === "dropping" && !this.#keepsTrailers) return;
    const wasHolding = this.#state === "holding";
    this.#letGo();
    this.#pieces.clear();
    if (wasHolding) this.#response(error);
    else this.#sink.abort(error);
  }

  /** Bytes of the body for which the filter waits, unless the body ends before. 0: the filter runs at once. */
  #wantedOf(response: ResponseHead): number {
    const { head } = this.#exchange;
    const { responseBytes, responseLength, replacesResponse } = this.#options.needs;
    const { bodyLength } = response;
    if (!hasBody(head, response) || response.grpcStatus !== undefined) return 0;
    // These responses can last, and clients must receive their parts as they arrive.
    if (head.isGrpc || isEventStream(response)) return 0;
    if (bodyLength === -1 && responseLength) return MAX_UNANNOUNCED_BYTES;
    if (!responseBytes && (!replacesResponse || bodyLength > BODY_VIEW_BYTES)) return 0;
    // The hook waits for the end of a short body. If the filter replaces it, the upstream connection can be used again.
    return bodyLength !== -1 && bodyLength <= BODY_VIEW_BYTES ? Number.POSITIVE_INFINITY : BODY_VIEW_BYTES;
  }

  /** Runs the filter. `hasEnded`: the whole body has arrived. Returns the value for `data` to return. */
  #run(hasEnded: boolean): boolean {
    const { settings, runtime, counts, staged } = this.#options;
    const [instance, head] = [this.#instance, this.#head];
    if (instance === undefined || head === undefined) return true;
    const view = this.#viewOf(head, hasEnded);
    const began = runtime.clock();
    const outcome = instance.onResponse(view);
    const ms = runtime.clock() - began;
    const fuel = settings.fuel - instance.fuelLeft;
    counts.invoked("response", wordFor(outcome), { fuel, microseconds: ms * 1000, trace: this.#exchange.trace });
    this.#letGo(ms);
    if (outcome.kind === "failed") return this.#failed(head, outcome.reason, hasEnded);
    const base = stagedHead(head, staged);
    if (outcome.kind === "unchanged") return this.#pass(base);
    const changed = changedResponse(this.#exchange.head, base, outcome);
    if (!changed.dropsBody) return this.#pass(changed.head);
    this.#replace(changed, hasEnded || !hasBody(this.#exchange.head, head));
    return true;
  }

  #viewOf(head: ResponseHead, hasEnded: boolean): ResponseView {
    const { bodyLength } = head;
    const known = hasEnded ? this.#pieces.length : LONGER;
    const length = !hasBody(this.#exchange.head, head) ? 0 : bodyLength === -1 ? known : bodyLength;
    return new HeadView(head, length, this.#pieces.first(BODY_VIEW_BYTES));
  }

  /** There is no memory for the part of the body that the filter reads. */
  #outOfMemory(): void {
    this.#letGo();
    if (this.#head !== undefined) this.#failed(this.#head, "finds no memory for the body of the response", false);
  }

  #pass(head: ResponseHead): boolean {
    this.#state = "passing";
    this.#sink.start(head);
    return this.#pieces.sendTo(this.#sink);
  }

  /** Sends another body. `hasEnded`: no more of the original body arrives. */
  #replace({ head, body }: Changed, hasEnded: boolean): void {
    const exchange = this.#exchange;
    const { onCancel } = exchange;
    this.#state = "dropping";
    this.#pieces.clear();
    this.#sink.start(head);
    if (body !== undefined && body.length > 0) this.#sink.data(body);
    // The status of a gRPC call is in the trailers.
    this.#keepsTrailers = exchange.head.isGrpc && head.grpcStatus === undefined;
    if (this.#keepsTrailers) return;
    this.#sink.end("");
    if (!hasEnded) onCancel?.();
  }

  /** The filter has failed: sends 503, or the original response. Returns the value for `data` to return. */
  #failed(head: ResponseHead, reason: string, hasEnded: boolean): boolean {
    const { settings, runtime, staged } = this.#options;
    runtime.log(settings.name, `on_response ${reason}`);
    if (!settings.responseFailClosed) return this.#pass(stagedHead(head, staged));
    const { onCancel } = this.#exchange;
    this.#response(RESPONSE_FAILED);
    if (!hasEnded) onCancel?.();
    return true;
  }

  /** Sends an error instead of a response of which no byte has been sent. */
  #response(error: TurnpikeError): void {
    const exchange = this.#exchange;
    const { response } = exchange;
    this.#state = "dropping";
    this.#pieces.clear();
    exchange.response = this.#sink;
    this.#options.runtime.respondWithError(exchange, error);
    // Late parts of the original response end here.
    if (exchange.response === this.#sink) exchange.response = response;
  }

  /** Gives the instance back. */
  #letGo(ms = 0): void {
    const instance = this.#instance;
    this.#instance = undefined;
    if (instance !== undefined) this.#options.giveBack(instance, ms);
  }
}

function wordFor(outcome: ResponseOutcome): FilterOutcome {
  if (outcome.kind === "failed") return outcome.cause;
  return outcome.kind === "change" ? "modify" : outcome.kind;
}

class HeadView implements ResponseView {
  readonly status: number;
  readonly bodyLength: number;
  readonly body: Uint8Array;
  readonly #head: ResponseHead;
  #fields: Fields | undefined;

  constructor(head: ResponseHead, bodyLength: number, body: Uint8Array) {
    this.status = head.status;
    this.bodyLength = bodyLength;
    this.body = body;
    this.#head = head;
  }

  get fields(): Fields {
    const { fields, bodyLength } = this.#head;
    return (this.#fields ??= bodyLength === -1 ? fields : fieldLine("Content-Length", String(bodyLength)) + fields);
  }
}
