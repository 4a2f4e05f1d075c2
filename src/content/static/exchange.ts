import { type Socket } from "node:net";
import { egressError, type EgressSession } from "../egress/guard.ts";
import { Body, MAX_DOCUMENT_BYTES } from "./body.ts";
import { codingsOf } from "./content-coding.ts";
import { brokeOff, noResponse } from "./faults.ts";
import { type ResponseHead, ResponseParser, valuesOf } from "./response-parser.ts";

/** What a response came to. */
export interface Answer {
  readonly head: ResponseHead;
  readonly body: Uint8Array<ArrayBuffer>;
  /** False where the body was cut off at our own wish. */
  readonly complete: boolean;
  /** Whether the connection stands ready for another request. */
  readonly reusable: boolean;
}

/** A connection that served a request before closed without a byte: the server had had enough, and nothing was done. */
export class StaleConnection extends Error {}

export interface ExchangeOptions {
  readonly egress: EgressSession;
  /** Whether the body is of use; where it is not, the response ends with its head. */
  wantsBody(head: ResponseHead): boolean;
  /** Whether the connection has served a request before. */
  readonly reused: boolean;
  /** Bytes of the body at most, its content coding undone; MAX_DOCUMENT_BYTES by default. */
  readonly maxBytes?: number | undefined;
}

/** One request and its response on a connection of its own. */
export class Exchange {
  readonly #socket: Socket;
  readonly #options: ExchangeOptions;
  readonly #result = Promise.withResolvers<Answer>();
  readonly #parser: ResponseParser;
  #head: ResponseHead | undefined;
  #body: Body | undefined;
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

  /** Sends the head of a request and waits for the response. Fails with `page-failed`. */
  run(head: string): Promise<Answer> {
    for (const [name, listener] of this.#listeners) this.#socket.on(name, listener);
    this.#socket.write(head, "latin1");
    this.#socket.resume();
    return this.#result.promise;
  }

  /** Whether there is a part of a body, and of what response. */
  get partOf(): ResponseHead | undefined {
    return this.#body?.isEmpty === false && !this.#over ? this.#head : undefined;
  }

  /** Ends the exchange with what there is of the body. */
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
    this.#body = new Body(
      codingsOf(valuesOf(head.headers, "content-encoding")),
      { length: head.length, most: this.#options.maxBytes ?? MAX_DOCUMENT_BYTES },
      () => this.#socket.resume(),
      (error) => this.#fail(error),
    );
  }

  #settle(): void {
    if (this.#ended !== undefined) this.#finish(false, this.#ended.reusable);
    // What is left of a body that nobody wants is not waited for.
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
    const response = async (): Promise<Answer> => {
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

  /** Lets go of the socket, which whoever opened it keeps or closes, and hears its errors. */
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
