import { JoinedPieces } from "../../lib/memory/joined-pieces.ts";
import { eventTime } from "../../lib/time/event-clock.ts";
import { type TurnpikeError } from "../../lib/errors.ts";
import { fieldLine } from "../../lib/http/fields.ts";
import { nextRequestId } from "../../lib/http/request-id.ts";
import { parsedJson } from "../../lib/parsed-json.ts";
import { Deadline } from "../../lib/time/timer-wheel.ts";
import { type ResponseHead } from "../exchange/exchange.ts";
import { WholeBody } from "../exchange/whole-body.ts";
import { forward } from "./forward.ts";
import { Subrequest, type SubrequestSink, OWN_HEAD, OWN_TARGET } from "./subrequest.ts";
import { type ForwardTarget } from "./target.ts";

/** Milliseconds for one call, and bytes of its response. @bound */
const CALL_MS = 10_000;
const MAX_REPLY_BYTES = 16_384;

/** The response to a call: its status, and the value of its JSON body. */
export interface OwnReply {
  readonly status: number;
  readonly json: unknown;
}

/** Sends JSON to the upstream of a route, for the gateway itself. Undefined if there is no response. Never rejects. */
export type OwnCall = (path: string, value: unknown) => Promise<OwnReply | undefined>;

/** Calls of the upstream of `target`. */
export function ownCall(target: ForwardTarget): OwnCall {
  const plain: ForwardTarget = {
    ...target,
    ...OWN_TARGET,
    rewrite: undefined,
    tellsClient: false,
    retry: { ...target.retry, maxRetries: 0 },
    maxResponseBytes: MAX_REPLY_BYTES,
  };
  return (path, value) =>
    new Promise((resolve) => new Call(plain, resolve).begin(path, Buffer.from(JSON.stringify(value))));
}

class Call extends Deadline implements SubrequestSink {
  readonly #target: ForwardTarget;
  readonly #done: (reply: OwnReply | undefined) => void;
  readonly #pieces = new JoinedPieces();
  #exchange: Subrequest | undefined;
  #status = 0;

  constructor(target: ForwardTarget, done: (reply: OwnReply | undefined) => void) {
    super();
    this.#target = target;
    this.#done = done;
  }

  begin(path: string, bytes: Buffer): void {
    const head = {
      ...OWN_HEAD,
      method: "POST",
      path,
      query: "",
      authority: "",
      fields: fieldLine("Content-Type", "application/json"),
      bodyLength: bytes.length,
    };
    const client = { id: nextRequestId(), protocol: "HTTP/1.1", peerAddress: "", clientAddress: "" } as const;
    this.#exchange = new Subrequest({ ...client, beganAt: eventTime() }, head, this, new WholeBody(bytes, ""));
    this.#target.wheel.set(this, CALL_MS);
    try {
      forward(this.#exchange, this.#target);
    } catch {
      this.#end(undefined);
    }
  }

  override onDeadline(): void {
    this.#end(undefined);
    this.#exchange?.cancel();
  }

  start({ status }: ResponseHead): void {
    this.#status = status;
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    this.#pieces.addCopy(chunk.subarray(start, end));
    return true;
  }

  end(): void {
    this.#end({ status: this.#status, json: parsedJson(this.#pieces.joined().toString()) });
  }

  abort(_error: TurnpikeError): void {
    this.#end(undefined);
  }

  fail(_error: TurnpikeError): void {
    this.#end(undefined);
  }

  #end(reply: OwnReply | undefined): void {
    this.#target.wheel.remove(this);
    this.#done(reply);
  }
}
