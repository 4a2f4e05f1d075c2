import { TurnpikeError } from "../../../lib/errors.ts";
import { Deadline } from "../../../lib/time/timer-wheel.ts";
import { respond } from "../../exchange/local-response.ts";
import { atFinish } from "../../exchange/endings.ts";
import { type Exchange } from "../../exchange/exchange.ts";
import { type CallGroup } from "../calls/call.ts";
import { CONTINUE, type FilterDecision } from "../runtime/filter.ts";
import { type FilterRuntime, type FilterSettings } from "../runtime/runtime.ts";
import { type Outcome } from "./body-stage.ts";
import { type Callbacks, EXPORTS, type FlowCallback } from "./guest/callbacks.ts";
import { type ContextBuffer, type LocalResponse, type Wishes } from "./guest/context.ts";
import { BUFFER, CONTINUE_ACTION, MAP } from "./guest/enums.ts";
import { type FieldList } from "./guest/field-list.ts";
import { type StreamContext, type StreamRunner } from "./guest/runner.ts";
import { RequestSide } from "./request-side.ts";
import { ResponseSide } from "./response-side.ts";
import { type SideStream } from "./side-stream.ts";
import { type Fields, fieldValue } from "../../../lib/http/fields.ts";
import { grpcMessage } from "../../../lib/http/grpc-status.ts";
import { plainFields } from "./response-head.ts";

const RESPONDED: FilterDecision = { kind: "responded" };
const FAILED = new TurnpikeError("filter-failed", "a filter of this route failed");
const UNAVAILABLE = new TurnpikeError("filter-unavailable", "a filter of this route failed");
const CLOSED = new TurnpikeError("filter-failed", "a filter of this route has closed the stream");

/** One request and its response in an instance. */
export class Stream extends Deadline implements StreamContext, Wishes, SideStream {
  readonly id: number;
  readonly exchange: Exchange;
  readonly #instance: StreamRunner;
  readonly #request: RequestSide;
  readonly #response: ResponseSide;
  #calls: CallGroup | undefined;
  #decision: FilterDecision | undefined;
  #decide: ((decision: FilterDecision) => void) | undefined;
  /** The continuations that the filter has asked for in a callback. */
  #asked = { request: false, response: false };
  #local: LocalResponse | undefined;
  #closes = false;
  /** True if the filter sees nothing more of the request and the response. Its contexts can still end later. */
  #isOver = false;
  #isLost = false;
  /** True if the filter has more to do: its `on_done` returned false. */
  #isUndone = false;

  constructor(instance: StreamRunner, exchange: Exchange) {
    super();
    this.id = instance.nextId();
    this.exchange = exchange;
    this.#instance = instance;
    this.#request = new RequestSide(this);
    this.#response = new ResponseSide(this);
  }

  get callbacks(): Callbacks {
    return this.#instance.callbacks;
  }

  get settings(): FilterSettings {
    return this.#instance.plugin.settings;
  }

  get runtime(): FilterRuntime {
    return this.#instance.plugin.runtime;
  }

  /** True if the instance is broken: the filter sees nothing more. */
  get isLost(): boolean {
    return this.#isLost;
  }

  get calls(): CallGroup | undefined {
    if (this.#isOver) return undefined;
    return (this.#calls ??= this.#instance.plugin.calls.stream(this.exchange));
  }

  get wishes(): Wishes {
    return this;
  }

  /** Runs the request through the filter, until the request can be forwarded. */
  begin(): FilterDecision | Promise<FilterDecision> {
    const { exchange } = this;
    atFinish(exchange, () => this.#finish());
    this.#instance.add(this);
    const { contextCreate } = this.callbacks;
    if (contextCreate !== undefined) this.#create(contextCreate);
    if (!this.#isOver) this.#request.begin();
    if (this.#decision !== undefined) return this.#decision;
    return new Promise((resolve) => {
      this.#decide = resolve;
    });
  }

  /** Runs a callback if the module has it, and then executes its requests for the stream. */
  call(name: FlowCallback, ...values: number[]): Outcome {
    const callback = this.callbacks[name];
    if (callback === undefined) return "continue";
    const result = this.#instance.run(this, EXPORTS[name], () => callback(this.id, ...values));
    if (result === undefined || this.#endAsAsked()) return "over";
    const direction = name.startsWith("request") ? "request" : "response";
    const other = direction === "request" ? "response" : "request";
    const isAsked = this.#asked[direction];
    this.#asked[direction] = false;
    if (this.#asked[other]) this.settle();
    return result === CONTINUE_ACTION || isAsked ? "continue" : "pause";
  }

  /** Executes requests that the filter made outside the stream's own callbacks. */
  settle(): void {
    this.#endAsAsked();
    const { request, response } = this.#asked;
    this.#asked = { request: false, response: false };
    if (request) this.#request.goOn();
    if (response) this.#response.goOn();
  }

  /** Starts or stops the limit on the time for which the filter can hold the stream. */
  watch(): void {
    const { wheel } = this.runtime;
    const isWaiting = !this.#isOver && (this.#request.isWaiting || this.#response.isWaiting);
    if (!isWaiting) wheel.clear(this);
    else if (this.due === Number.POSITIVE_INFINITY) wheel.set(this, this.runtime.hostCallDeadlineMs());
  }

  onDeadline(): void {
    if (!this.done()) this.fail("does not continue a request in time");
  }

  /** The request can be forwarded. */
  allow(): void {
    this.#settleDecision(CONTINUE);
  }

  lost(): void {
    this.#isLost = true;
    this.runtime.wheel.remove(this);
    if (this.#isOver) return;
    const { isAllowed, stage } = this.#request;
    const isRequestDone = isAllowed && (stage === undefined || stage.isDone);
    if (!isRequestDone) this.#fail(FAILED);
    else if (this.settings.responseFailClosed) this.#fail(UNAVAILABLE);
    // A response that has not begun yet will pass unchanged.
    else if (this.#response.isBegun && !this.#response.letPass()) this.#fail(FAILED);
  }

  // --- for host functions ---

  fields(kind: number): FieldList | undefined {
    switch (kind) {
      case MAP.requestHeaders:
        return this.#request.fields;
      case MAP.requestTrailers:
        return this.#request.trailers;
      case MAP.responseHeaders:
        return this.#response.fields;
      case MAP.responseTrailers:
        return this.#response.trailers;
      default:
        return this.#instance.root.fields(kind);
    }
  }

  buffer(kind: number): ContextBuffer | undefined {
    if (kind === BUFFER.requestBody) return this.#request.stage?.bytes;
    if (kind === BUFFER.responseBody) return this.#response.stage?.bytes;
    return this.#instance.root.buffer(kind);
  }

  done(): boolean {
    if (!this.#isUndone) return false;
    this.#isUndone = false;
    queueMicrotask(() => this.#end());
    return true;
  }

  continueRequest(): void {
    this.#asked.request = true;
    this.#instance.ask(this);
  }

  continueResponse(): void {
    this.#asked.response = true;
    this.#instance.ask(this);
  }

  close(): void {
    this.#closes = true;
    this.#instance.ask(this);
  }

  respond(response: LocalResponse): void {
    this.#local ??= response;
    this.#instance.ask(this);
  }

  /** Fails the stream with 500, and keeps its instance. */
  fail(reason: string): void {
    this.failWith(FAILED, reason);
  }

  /** Ends the stream with an error; `reason` is for the log. */
  failWith(error: TurnpikeError, reason?: string): void {
    if (this.#isOver) return;
    if (reason !== undefined) this.runtime.log(this.settings.name, `${reason}: request ${this.exchange.id} fails`);
    this.#fail(error);
  }

  // --- the end of the stream ---

  #create(contextCreate: (id: number, root: number) => number | undefined): void {
    const { id } = this;
    const root = this.#instance.root.id;
    this.#instance.run(this, "proxy_on_context_create", () => contextCreate(id, root));
  }

  #endAsAsked(): boolean {
    if (this.#isOver) return true;
    if (this.#local !== undefined) this.#respond(this.#local);
    else if (this.#closes) this.#cutOff();
    return this.#isOver;
  }

  #respond(local: LocalResponse): void {
    const made = localFields(local, this.exchange.head.isGrpc);
    if (typeof made === "string") {
      this.failWith(FAILED, made);
      return;
    }
    const { fields } = made;
    if (this.exchange.started) {
      this.#cutOff();
      return;
    }
    this.#endWith(() => {
      const { grpcStatus, status, body } = local;
      const { exchange } = this;
      if (!exchange.head.isGrpc || grpcStatus < 0) respond(exchange, status, fields, body);
      else {
        exchange.response.start({ status: 200, reason: "", fields, bodyLength: 0, grpcStatus });
        exchange.response.end("");
      }
    });
  }

  #cutOff(): void {
    this.#endWith(() => this.exchange.response.abort(CLOSED));
  }

  #fail(error: TurnpikeError): void {
    this.#endWith(() => this.runtime.respondWithError(this.exchange, error));
  }

  /** Stops everything that comes from the upstream, and responds to the client directly, without the later policies. */
  #endWith(send: () => void): void {
    const { exchange } = this;
    const wasDecided = this.#decision !== undefined;
    this.#isOver = true;
    this.#request.close();
    this.#response.close();
    this.#calls?.close();
    if (!exchange.gone) {
      const inner = exchange.response;
      exchange.response = this.#response.sink;
      try {
        send();
      } finally {
        exchange.response = inner;
      }
    }
    // The source of the response can be in the middle of a call to this side.
    if (wasDecided) queueMicrotask(() => this.#stopUpstream());
    this.#settleDecision(RESPONDED);
  }

  #stopUpstream(): void {
    const { exchange } = this;
    const stop = exchange.onCancel;
    exchange.onCancel = undefined;
    stop?.();
    exchange.response.abort(CLOSED);
  }

  #settleDecision(decision: FilterDecision): void {
    if (this.#decision !== undefined) return;
    this.#decision = decision;
    this.#decide?.(decision);
  }

  /** Called at the end of the exchange: the response was sent, or the client has left. */
  #finish(): void {
    this.#isOver = true;
    this.#calls?.close();
    this.#request.close();
    this.#response.close();
    this.#settleDecision(RESPONDED);
    const { done } = this.callbacks;
    const result = done === undefined ? 1 : this.#instance.run(this, "proxy_on_done", () => done(this.id));
    if (result === 0) {
      this.#isUndone = true;
      this.runtime.wheel.set(this, this.runtime.hostCallDeadlineMs());
    } else this.#end();
  }

  #end(): void {
    this.runtime.wheel.remove(this);
    const { log, remove } = this.callbacks;
    if (log !== undefined) this.#instance.run(this, "proxy_on_log", () => log(this.id));
    if (remove !== undefined) this.#instance.run(this, "proxy_on_delete", () => remove(this.id));
    this.#instance.remove(this);
  }
}

const LEAST_STATUS = 200;
const LAST_STATUS = 599;

/** The fields of a response that a filter sends, or the reason if it cannot be sent. */
function localFields(local: LocalResponse, isGrpc: boolean): { readonly fields: Fields } | string {
  const { status, fields, body, grpcStatus } = local;
  if (status < LEAST_STATUS || status > LAST_STATUS) return `responds with the status ${status}`;
  const list = plainFields("");
  for (const [name, value] of fields) if (!name.startsWith(":")) list.add(name, value);
  if (list.error !== undefined) return list.error;
  if (isGrpc && grpcStatus >= 0) {
    const message = grpcMessage(Buffer.from(body).toString());
    return {
      fields: `content-type: application/grpc\r\ngrpc-status: ${grpcStatus}\r\ngrpc-message: ${message}\r\n${list.fields}`,
    };
  }
  // The default type of Envoy's host.
  const type = body.length > 0 && fieldValue(list.fields, "content-type") === undefined;
  return { fields: type ? `content-type: text/plain\r\n${list.fields}` : list.fields };
}
