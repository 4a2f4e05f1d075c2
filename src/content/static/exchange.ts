import { type Socket } from "node:net";
import { egressError, type EgressSession } from "../egress/guard.ts";
import { Body, MAX_DOCUMENT_BYTES } from "./body.ts";
import { codingsOf } from "./content-coding.ts";
import { brokeOff, noResponse } from "./load-errors.ts";
import { type ResponseHead, ResponseParser, valuesOf } from "./response-parser.ts";

export interface StaticResponse {
  readonly head: ResponseHead;
  readonly body: Uint8Array<ArrayBuffer>;
  /** False if the body was cut off on request. */
  readonly complete: boolean;
  /** True if the connection is ready for another request. */
  readonly reusable: boolean;
}

/** The server closed a reused connection without sending a byte. The request was not processed. */
export class StaleConnection extends Error {}

/** The guard, the limits and the state of the connection that carries an exchange. */
export interface ExchangeOptions {
  readonly egress: EgressSession;
  /** True if the body is needed. If not, the exchange ends after the head of the response. */
  wantsBody(head: ResponseHead): boolean;
  /** Whether the rest of a body is needed, by its first bytes; undefined if they are too few. Not asked if it has a coding. */
  wantsRest?(head: ResponseHead, start: Uint8Array): boolean | undefined;
  /** True if the connection has served a request before. */
  readonly reused: boolean;
  /** Bytes of the body after its content coding was undone. Default: MAX_DOCUMENT_BYTES. */
  readonly maxBytes?: number | undefined;
}

/** One request and its response on a connection. */
export class Exchange {
  readonly #socket: Socket;
  readonly #options: ExchangeOptions;
  readonly #result = Promise.withResolvers<StaticResponse>();
  readonly #parser: ResponseParser;
  #head: ResponseHead | undefined;
  #body: Body | undefined;
  /** The first bytes of the body, while `wantsRest` needs more of them. */
  #start: Buffer | undefined;
  #over = false;
  #ended: { readonly reusable: boolean } | undefined;
  readonly #listeners: readonly (readonly [name: string, listener: (value?: unknown) => void])[];

  constructor(socket: Socket, options: ExchangeOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#parser = new ResponseParser({
      head: (head) => this.#begin(head),
      body: (bytes) => {
        if (this.#body?.write(bytes) === false) socket.pause();
        this.#judge(bytes);
      },
      end: (reusable) => {
        this.#ended = { reusable };
      },
    });
    this.#listeners = [
      // A socket without an encoding gives buffers.
      ["data", (chunk) => this.#guarded(() => this.#received(chunk as Buffer))],
      ["end", () => this.#guarded(() => this.#closed(true))],
      ["error", () => this.#guarded(() => this.#closed(false))],
      ["close", () => this.#guarded(() => this.#closed(false))],
    ];
  }

  /** Sends a request and waits for the response. Fails with `page-failed`. */
  run(head: string, body?: Uint8Array): Promise<StaticResponse> {
    for (const [name, listener] of this.#listeners) this.#socket.on(name, listener);
    this.#socket.write(head, "latin1");
    if (body !== undefined) this.#socket.write(body);
    this.#socket.resume();
    return this.#result.promise;
  }

  /** The head of a response with a partial body; undefined if no part has come. */
  get partOf(): ResponseHead | undefined {
    return this.#body?.isEmpty === false && !this.#over ? this.#head : undefined;
  }

  /** Ends the exchange with the received part of the body. */
  cut(): void {
    this.#guarded(() => this.#finish(true, false));
  }

  #received(chunk: Buffer): void {
    if (!this.#options.egress.receive(chunk.length)) throw egressError("too-much");
    this.#parser.push(chunk);
    this.#settle();
  }

  #begin(head: ResponseHead): void {
    this.#head = head;
    if (!this.#options.wantsBody(head)) return;
    const codings = codingsOf(valuesOf(head.headers, "content-encoding"));
    if (codings.length === 0 && this.#options.wantsRest !== undefined) this.#start = Buffer.alloc(0);
    this.#body = new Body(
      codings,
      { length: head.length, most: this.#options.maxBytes ?? MAX_DOCUMENT_BYTES },
      () => this.#socket.resume(),
      (error) => this.#fail(error),
    );
  }

  /** Drops a body whose first bytes show that it is not needed. */
  #judge(bytes: Buffer): void {
    if (this.#head === undefined || this.#start === undefined) return;
    this.#start = Buffer.concat([this.#start, bytes]);
    const wanted = this.#options.wantsRest?.(this.#head, this.#start);
    if (wanted === undefined) return;
    this.#start = undefined;
    if (wanted) return;
    this.#body?.destroy();
    this.#body = undefined;
  }

  #settle(): void {
    if (this.#ended !== undefined) this.#finish(false, this.#ended.reusable);
    // If the body is not needed, the exchange does not wait for it.
    else if (this.#head !== undefined && this.#body === undefined) this.#finish(false, false);
  }

  #closed(clean: boolean): void {
    if (!this.#parser.begun) throw this.#options.reused ? new StaleConnection() : noResponse();
    this.#parser.end(clean);
    this.#settle();
  }

  #finish(cut: boolean, reusable: boolean): void {
    if (this.#over) return;
    const head = this.#head;
    if (head === undefined) return this.#fail(brokeOff());
    this.#leave();
    const response = async (): Promise<StaticResponse> => {
      const body = (await this.#body?.finish(cut)) ?? new Uint8Array();
      return { head, body, complete: !cut, reusable };
    };
    response().then(this.#result.resolve, this.#result.reject);
  }

  #fail(error: unknown): void {
    this.#leave();
    this.#body?.destroy();
    this.#result.reject(error);
  }

  /** Releases the socket, which the caller keeps or closes, and stops handling its errors. */
  #leave(): void {
    this.#over = true;
    for (const [name, listener] of this.#listeners) this.#socket.removeListener(name, listener);
  }

  #guarded(step: () => void): void {
    if (this.#over) return;
    try {
      step();
    } catch (error) {
      this.#fail(error);
    }
  }
}
