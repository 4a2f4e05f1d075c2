import { type CdpWire, MAX_MESSAGE_BYTES } from "./cdp-wire.ts";

/** Maximum number of calls that wait for a response at one time, far more than the pool's pages can have open. */
const MAX_PENDING_CALLS = 10_000;

/** Characters of the reason of a failed call that are kept. */
const REASON_LENGTH = 500;

/**
 * Events that no listener reads. They are most of the events of the Network domain, and are not parsed. The browser writes
 * the name of an event first.
 */
const UNREAD = /^\{"method":"Network\.(?!(?:requestWillBeSent|responseReceived|loadingFinished|loadingFailed)")/;

/** Parameters and results of the DevTools protocol: plain JSON objects. */
export type CdpFields = Readonly<Record<string, unknown>>;
/** Receives an event of the browser: its name, such as `Page.loadEventFired`, and its parameters. */
export type CdpListener = (method: string, params: CdpFields) => void;

/** The browser responded to a call with an error, for example because a script context has gone. */
export class CdpError extends Error {
  readonly method: string;
  readonly reason: string;

  constructor(method: string, reason: string) {
    super(`Cannot call ${method}: ${reason}`);
    this.name = "CdpError";
    this.method = method;
    this.reason = reason;
  }
}

/** The browser has ended, and with it every open call. */
export class CdpClosed extends Error {
  constructor() {
    super("Cannot talk to the browser: its connection is closed");
    this.name = "CdpClosed";
  }
}

/** Receives the result of a call, in the order of the browser's messages. */
export interface CdpCall {
  readonly resolve: (result: CdpFields) => void;
  readonly reject: (error: Error) => void;
}

/** Receives the events of the sessions that have no listener. */
export type CdpObserver = (method: string, params: CdpFields, sessionId: string) => void;

interface PendingCall extends CdpCall {
  readonly method: string;
}

interface CdpMessage {
  readonly id?: number;
  readonly sessionId?: string;
  readonly method?: string;
  readonly params?: CdpFields;
  readonly result?: CdpFields;
  readonly error?: { readonly message: string };
}

/** The DevTools protocol: calls and events as JSON messages. */
export class CdpConnection {
  readonly #wire: CdpWire;
  readonly #observe: CdpObserver | undefined;
  readonly #pending = new Map<number, PendingCall>();
  readonly #listeners = new Map<string, CdpListener>();
  #nextId = 1;
  #closed = false;
  readonly #ended = Promise.withResolvers<void>();

  /** With `observe`, all events are read. */
  constructor(wire: CdpWire, observe?: CdpObserver) {
    this.#wire = wire;
    this.#observe = observe;
    wire.read({
      message: (text) => this.#onMessage(text),
      oversized: (head) => this.#failOversized(head),
      closed: () => this.close(),
    });
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
    const { promise, resolve, reject } = Promise.withResolvers<CdpFields>();
    this.post(method, params, sessionId, { resolve, reject });
    return promise;
  }

  /** The same for a call whose result must not arrive later than the events that follow it. */
  post(method: string, params: CdpFields, sessionId: string, { resolve, reject }: CdpCall): void {
    if (this.#closed) return reject(new CdpClosed());
    if (this.#pending.size >= MAX_PENDING_CALLS) return reject(new CdpError(method, "too many calls are open"));
    const id = this.#nextId++;
    this.#wire.write(JSON.stringify({ id, method, params, ...(sessionId === "" ? {} : { sessionId }) }));
    this.#pending.set(id, { method, resolve, reject });
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
    this.#wire.destroy();
    this.#ended.resolve();
  }

  #failOversized(head: string): void {
    const id = Number(/^\{"id":(\d+),/.exec(head)?.[1]);
    const call = this.#pending.get(id);
    this.#pending.delete(id);
    call?.reject(new CdpError(call.method, `the response is longer than ${MAX_MESSAGE_BYTES} bytes`));
  }

  #onMessage(text: string): void {
    if (this.#observe === undefined && UNREAD.test(text)) return;
    try {
      // A browser follows the protocol. Text from pages is only in the strings of a message.
      this.#dispatch(JSON.parse(text) as CdpMessage);
    } catch {
      // The other end of a remote connection may be no browser. It must not end this process.
      this.close();
    }
  }

  /** Throws if the message is not of the protocol, as far as the listeners read it. */
  #dispatch({ id, error, result = {}, method, params = {}, sessionId = "" }: CdpMessage): void {
    if (id === undefined) {
      if (typeof method !== "string") throw new TypeError("A message has no id and no method");
      const fields = fieldsOf(params);
      const listener = this.#listeners.get(sessionId);
      if (listener === undefined) this.#observe?.(method, fields, sessionId);
      else listener(method, fields);
      return;
    }
    const call = this.#pending.get(id);
    if (call === undefined) return;
    if (error === undefined) call.resolve(fieldsOf(result));
    else call.reject(new CdpError(call.method, oneLine(error.message)));
    this.#pending.delete(id);
  }
}

function fieldsOf(value: CdpFields): CdpFields {
  if (typeof value !== "object" || value === null) throw new TypeError("A message has a value that is not an object");
  return value;
}

function oneLine(text: string): string {
  return text.slice(0, REASON_LENGTH).replaceAll(/\p{Cc}+/gu, " ");
}
