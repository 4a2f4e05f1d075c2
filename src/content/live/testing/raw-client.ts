/** A client that speaks the protocol itself. */
export class RawClient {
  readonly #socket: WebSocket;
  readonly #messages: Record<string, unknown>[] = [];
  #changed = Promise.withResolvers<void>();
  readonly closed: Promise<number>;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      // The browser and the relay send objects as JSON texts.
      this.#messages.push(JSON.parse(String(data)) as Record<string, unknown>);
      this.#changed.resolve();
    });
    const { promise, resolve } = Promise.withResolvers<number>();
    this.closed = promise;
    socket.addEventListener("close", ({ code }) => resolve(code));
  }

  static async open(url: string): Promise<RawClient> {
    const socket = new WebSocket(url);
    const client = new RawClient(socket);
    await new Promise((resolve) => socket.addEventListener("open", resolve));
    return client;
  }

  send(message: string | Uint8Array<ArrayBuffer> | object): void {
    this.#socket.send(typeof message === "string" || message instanceof Uint8Array ? message : JSON.stringify(message));
  }

  /** The next message for which a condition holds. */
  async next(holds: (message: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
    for (;;) {
      const at = this.#messages.findIndex(holds);
      if (at !== -1) return this.#messages.splice(at, 1)[0] ?? {};
      this.#changed = Promise.withResolvers();
      await this.#changed.promise;
    }
  }

  async call(id: number, method: string, params: object = {}, sessionId?: string): Promise<Record<string, unknown>> {
    this.send({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) });
    return await this.next((message) => message["id"] === id);
  }

  close(): void {
    this.#socket.close();
  }
}
