import { renameSync, rmSync } from "node:fs";
import { PROBLEM_CONTENT_TYPE, toProblem, TurnpikeError } from "../../lib/errors.ts";
import { within } from "../../lib/time/within.ts";

/** Milliseconds that a call waits for the service. After that it gets 503. @operator */
const MAX_WAIT_MS = 10_000;
/** Calls that wait at the same time. Another call gets 503 at once. @operator */
const MAX_WAITING = 128;
const RETRY_AFTER_SECONDS = "2";
const MAX_REQUEST_BYTES = 8 * 1024 * 1024;
/** Milliseconds in which connections that were opened just before the service took over are still accepted. @bound */
const HANDOVER_MS = 100;

/** The content service's socket while it starts. `/health` returns 503; other calls wait until it is ready. */
export class WaitingRoom {
  readonly #socket: string;
  #server: Bun.Server<undefined> | undefined;
  #ready = Promise.withResolvers<boolean>();
  #waiting = 0;

  constructor(socket: string) {
    this.#socket = socket;
  }

  /** Takes the socket of a service that has ended. */
  open(): void {
    if (this.#server !== undefined) return;
    this.#ready = Promise.withResolvers<boolean>();
    const path = `${this.#socket}.wait`;
    rmSync(path, { force: true });
    const mask = process.umask(0o177);
    try {
      const fetch = async (request: Request): Promise<Response> => {
        const response = await this.#response(request);
        // The next call is one for the service.
        response.headers.set("connection", "close");
        return response;
      };
      this.#server = Bun.serve({ unix: path, maxRequestBodySize: MAX_REQUEST_BYTES, fetch });
    } finally {
      process.umask(mask);
    }
    renameSync(path, this.#socket);
  }

  /** Gives the socket to the service that listens at `path`, and forwards the waiting calls to it. */
  admit(path: string): void {
    renameSync(path, this.#socket);
    const server = this.#server;
    this.#server = undefined;
    this.#ready.resolve(true);
    // The server stops when the calls that it forwards have ended.
    setTimeout(() => void server?.stop(), HANDOVER_MS);
  }

  close(): void {
    this.#ready.resolve(false);
    void this.#server?.stop();
    this.#server = undefined;
    rmSync(this.#socket, { force: true });
  }

  async #response(request: Request): Promise<Response> {
    const isProbe = new URL(request.url).pathname === "/health";
    if ((isProbe && this.#server !== undefined) || this.#waiting >= MAX_WAITING) return unavailable();
    this.#waiting += 1;
    const isReady = await within(MAX_WAIT_MS, this.#ready.promise, () => false);
    this.#waiting -= 1;
    if (!isReady) return unavailable();
    const { method, headers, body, signal } = request;
    return await fetch(request.url, { unix: this.#socket, method, headers, body, signal, redirect: "manual" }).catch(
      unavailable,
    );
  }
}

function unavailable(): Response {
  const error = new TurnpikeError("browser-unavailable", "The content service is starting; try again");
  const headers = { "content-type": PROBLEM_CONTENT_TYPE, "retry-after": RETRY_AFTER_SECONDS };
  return new Response(JSON.stringify(toProblem(error, undefined)), { status: 503, headers });
}
