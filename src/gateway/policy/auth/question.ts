import { JoinedPieces } from "../../../lib/memory/joined-pieces.ts";
import { type TurnpikeError } from "../../../lib/errors.ts";
import { type Fields } from "../../../lib/http/fields.ts";
import { type ResponseHead, type ResponseSink, type TimeKeeper } from "../../exchange/exchange.ts";
import { ClientConnection } from "../../http1/client-connection.ts";
import { type ServerPool, type UpstreamConnection, Waiter } from "../../upstream/server-pool.ts";

/** Bytes of the body of an authentication response. Login pages are smaller; a longer body fails the authentication. */
const MAX_RESPONSE_BODY_BYTES = 65_536;

export interface ServiceResponse {
  readonly status: number;
  readonly fields: Fields;
  readonly body: Uint8Array;
}

/** One GET to an auth service over its pool. `onResponse` is called once, with the response or the failure. */
export class Question implements ResponseSink, TimeKeeper {
  readonly #pool: ServerPool;
  readonly #head: string;
  readonly #dueAt: number;
  #onResponse: ((response: ServiceResponse | string) => void) | undefined;
  #waiter: Waiter | undefined;
  #connection: ClientConnection | undefined;
  /** The connection has carried other requests, so the service can have closed it in the meantime. */
  #reused = false;
  #responseHead: Pick<ResponseHead, "status" | "fields"> = { status: 0, fields: "" };
  readonly #pieces = new JoinedPieces();
  #bytes = 0;

  /** `head` is the request without its empty line. `timeoutMs` limits the whole exchange, in milliseconds. */
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

  /** Ends the request without a call of `onResponse`. */
  cancel(): void {
    this.#onResponse = undefined;
    this.#release();
  }

  send(connection: UpstreamConnection): void {
    this.#waiter = undefined;
    // Pools for HTTP/1 have no other connections.
    if (!(connection instanceof ClientConnection))
      throw new Error("Cannot query the authentication service over HTTP/2");
    this.#connection = connection;
    this.#reused = connection.requests > 0;
    connection.timeKeeper = this;
    connection.request("GET", this.#head, 0, this);
    if (this.#connection === connection) connection.waitAtMost(Number.POSITIVE_INFINITY, this.#dueAt);
  }

  timedOut(): void {
    this.refused("timeout");
  }

  /** Reports that there is no response. */
  refused(reason: string): void {
    this.#release();
    this.#tell(reason);
  }

  start(head: ResponseHead): void {
    if (head.status >= 200) this.#responseHead = head;
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    this.#bytes += end - start;
    if (this.#bytes > MAX_RESPONSE_BODY_BYTES) this.refused(`more than ${MAX_RESPONSE_BODY_BYTES} bytes`);
    // A copy, because the socket's buffer is larger than the piece.
    else this.#pieces.addCopy(chunk.subarray(start, end));
    return true;
  }

  end(): void {
    this.#connection = undefined;
    const { status, fields } = this.#responseHead;
    this.#tell({ status, fields, body: this.#pieces.joined() });
  }

  abort(_error: TurnpikeError): void {
    const isStale = this.#reused && this.#connection?.heard === false;
    this.#connection = undefined;
    // The service closed the reused connection before it responded. The request is sent again, on a new connection.
    if (isStale) this.#wait();
    else this.#tell("closed or malformed");
  }

  #wait(): void {
    const left = this.#dueAt - this.#pool.wheel.now();
    this.#waiter = new Waiter(this);
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
