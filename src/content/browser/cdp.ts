import { type Readable, type Writable } from "node:stream";

/**
 * Bytes. A longer message is discarded and its call fails, so that a hostile page cannot fill this process's memory.
 */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** Calls that wait for a response at one time, far more than the pool's pages can have open. */
const MAX_PENDING_CALLS = 10_000;

/** Parameters and results of the DevTools protocol: plain JSON objects. */
export type CdpFields = Readonly<Record<string, unknown>>;
export type CdpListener = (method: string, params: CdpFields) => void;

/** The browser responded to a call with an error, for example because a script context has gone. */
export class CdpError extends Error {
  constructor(method: string, reason: string) {
    super(`Cannot call ${method}: ${reason}`);
    this.name = "CdpError";
  }
}

/** The browser has ended, and with it every open call. */
export class CdpClosed extends Error {
  constructor() {
    super("Cannot talk to the browser: its pipe is closed");
    this.name = "CdpClosed";
  }
}

interface PendingCall {
  readonly method: string;
  resolve(result: CdpFields): void;
  reject(error: Error): void;
}

interface CdpMessage {
  readonly id?: number;
  readonly sessionId?: string;
  readonly method?: string;
  readonly params?: CdpFields;
  readonly result?: CdpFields;
  readonly error?: { readonly message: string };
}

/** The DevTools protocol over the pipe of `--remote-debugging-pipe`: JSON messages that end in a NUL byte. */
export class CdpConnection {
  readonly #input: Writable;
  readonly #pending = new Map<number, PendingCall>();
  readonly #listeners = new Map<string, CdpListener>();
  #chunks: Buffer[] = [];
  #length = 0;
  #discarding = false;
  #nextId = 1;
  #closed = false;
  readonly #ended = Promise.withResolvers<void>();

  constructor(input: Writable, output: Readable) {
    this.#input = input;
    output.on("data", (chunk: Buffer) => this.#read(chunk));
    output.on("close", () => this.close());
    output.on("error", () => this.close());
    input.on("error", () => this.close());
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Settles when either side has closed the connection. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Calls a method in the session, or in the browser if `sessionId` is "". Fails with CdpError or CdpClosed. */
  send(method: string, params: CdpFields = {}, sessionId = ""): Promise<CdpFields> {
    if (this.#closed) return Promise.reject(new CdpClosed());
    if (this.#pending.size >= MAX_PENDING_CALLS) return Promise.reject(new CdpError(method, "too many calls are open"));
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<CdpFields>();
    this.#pending.set(id, { method, resolve, reject });
    this.#input.write(`${JSON.stringify({ id, method, params, ...(sessionId === "" ? {} : { sessionId }) })}\0`);
    return promise;
  }

  /** Sets the one listener for a session's events ("" is the browser itself). Undefined removes the listener. */
  listen(sessionId: string, listener: CdpListener | undefined): void {
    if (listener === undefined) this.#listeners.delete(sessionId);
    else this.#listeners.set(sessionId, listener);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    const error = new CdpClosed();
    for (const call of this.#pending.values()) call.reject(error);
    this.#pending.clear();
    this.#chunks = [];
    this.#input.destroy();
    this.#ended.resolve();
  }

  #read(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      this.#keep(chunk.subarray(start, end));
      this.#finishMessage();
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  #keep(part: Buffer): void {
    if (this.#discarding) return;
    this.#chunks.push(part);
    this.#length += part.length;
    if (this.#length <= MAX_MESSAGE_BYTES) return;
    this.#discarding = true;
    this.#failOversized();
    this.#chunks = [];
  }

  #failOversized(): void {
    const head = this.#chunks[0]?.toString("latin1", 0, 64) ?? "";
    const id = Number(/^\{"id":(\d+),/.exec(head)?.[1]);
    const call = this.#pending.get(id);
    this.#pending.delete(id);
    call?.reject(new CdpError(call.method, `the response is longer than ${MAX_MESSAGE_BYTES} bytes`));
  }

  #finishMessage(): void {
    const chunks = this.#chunks;
    const discarded = this.#discarding;
    this.#chunks = [];
    this.#length = 0;
    this.#discarding = false;
    if (discarded) return;
    const [first] = chunks;
    if (first === undefined) return;
    const text = chunks.length === 1 ? first.toString("utf8") : Buffer.concat(chunks).toString("utf8");
    // The browser is our child process and follows the protocol. Text from pages is only in the strings of a message.
    this.#dispatch(JSON.parse(text) as CdpMessage);
  }

  #dispatch(message: CdpMessage): void {
    if (message.id === undefined) {
      if (message.method !== undefined) {
        this.#listeners.get(message.sessionId ?? "")?.(message.method, message.params ?? {});
      }
      return;
    }
    const call = this.#pending.get(message.id);
    if (call === undefined) return;
    this.#pending.delete(message.id);
    if (message.error === undefined) call.resolve(message.result ?? {});
    else call.reject(new CdpError(call.method, message.error.message));
  }
}
