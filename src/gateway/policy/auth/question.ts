import { type TurnpikeError } from "../../../lib/errors.ts";
import { type Fields } from "../../../lib/fields.ts";
import { type ResponseHead, type ResponseSink, type TimeKeeper } from "../../exchange.ts";
import { ClientConnection } from "../../http1/client-connection.ts";
import { type PoolRefusal, type ServerPool, type UpstreamConnection, Waiter } from "../../upstream/server-pool.ts";
import { flushCork } from "../../wire/outgoing.ts";

/** Bytes of the body of an authentication response. Login pages are smaller; a longer body fails the authentication. */
const MAX_RESPONSE_BODY_BYTES = 65_536;

/** What a service answered. */
export interface ServiceResponse {
  readonly status: number;
  readonly fields: Fields;
  readonly body: Uint8Array;
}

/** Waits for a connection of the pool. */
class QuestionWaiter extends Waiter {
  readonly #question: Question;

  constructor(question: Question) {
    super();
    this.#question = question;
  }

  override onConnection(connection: UpstreamConnection): void {
    this.#question.send(connection);
  }

  override onRefusal(reason: PoolRefusal): void {
    this.#question.fail(reason);
  }
}

/**
 * One GET to a service that decides, over a connection of its pool. `onResponse` is called once: with the whole response, or with why
 * there is none.
 */
export class Question implements ResponseSink, TimeKeeper {
  readonly #pool: ServerPool;
  readonly #head: string;
  readonly #dueAt: number;
  #onResponse: ((response: ServiceResponse | string) => void) | undefined;
  #waiter: QuestionWaiter | undefined;
  #connection: ClientConnection | undefined;
  /** The connection had carried others: the service may have closed it meanwhile. */
  #reused = false;
  #responseHead: ResponseHead | undefined;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  /** `head` is the request without its empty line; `timeoutMs` is the time for all of it. */
  constructor(
    pool: ServerPool,
    head: string,
    timeoutMs: number,
    onResponse: (response: ServiceResponse | string) => void,
  ) {
    this.#pool = pool;
    this.#head = head;
    this.#dueAt = pool.wheel.now() + timeoutMs;
    this.#onResponse = onResponse;
  }

  begin(): void {
    const connection = this.#pool.take();
    if (connection === undefined) this.#wait();
    else this.send(connection);
  }

  /** Ends it; nobody hears of it any more. */
  cancel(): void {
    this.#onResponse = undefined;
    this.#release();
  }

  /** Sends it on a connection that was waited for. */
  send(connection: UpstreamConnection): void {
    this.#waiter = undefined;
    // Pools of HTTP/1 have no others.
    if (!(connection instanceof ClientConnection)) throw new Error("Cannot ask over HTTP/2");
    this.#connection = connection;
    this.#reused = connection.requests > 0;
    connection.timeKeeper = this;
    connection.request("GET", this.#head, 0, this);
    // After a wait there is no socket's event of a client that would send it.
    flushCork();
    if (this.#connection === connection) connection.waitAtMost(Number.POSITIVE_INFINITY, this.#dueAt);
  }

  timedOut(): void {
    this.fail("timeout");
  }

  /** There is no response. */
  fail(reason: string): void {
    this.#release();
    this.#tell(reason);
  }

  start(head: ResponseHead): void {
    if (head.status >= 200) this.#responseHead = head;
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    this.#bytes += end - start;
    if (this.#bytes > MAX_RESPONSE_BODY_BYTES) this.fail(`more than ${MAX_RESPONSE_BODY_BYTES} bytes`);
    // A copy: what a socket brought is larger than what is kept of it.
    else this.#chunks.push(Buffer.from(chunk.subarray(start, end)));
    return true;
  }

  end(): void {
    this.#connection = undefined;
    const head = this.#responseHead;
    if (head === undefined) this.#tell("malformed");
    else this.#tell({ status: head.status, fields: head.fields, body: Buffer.concat(this.#chunks) });
  }

  abort(_error: TurnpikeError): void {
    const isStale = this.#reused && this.#connection?.heard === false;
    this.#connection = undefined;
    // A pooled connection that was closed meanwhile: nothing was asked. It happens once, the next one is new.
    if (isStale) this.#wait();
    else this.#tell("closed or malformed");
  }

  #wait(): void {
    const left = this.#dueAt - this.#pool.wheel.now();
    this.#waiter = new QuestionWaiter(this);
    this.#pool.wait(this.#waiter, Math.max(left, 0));
  }

  #release(): void {
    this.#waiter?.pool?.leave(this.#waiter);
    this.#waiter = undefined;
    this.#connection?.destroy();
    this.#connection = undefined;
  }

  #tell(response: ServiceResponse | string): void {
    const tell = this.#onResponse;
    this.#onResponse = undefined;
    tell?.(response);
  }
}
