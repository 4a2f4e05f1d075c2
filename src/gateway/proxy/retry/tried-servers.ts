import { pauseMs, type RetrySettings } from "./retry-pause.ts";
import { type UpstreamServer } from "../../upstream/server.ts";
import { type Upstream } from "../../upstream/upstream.ts";

/** The servers that one request is tried at, one after another. Counts the request as in flight at the current server. */
export class ServerTries {
  /** The upstream of all tries. */
  readonly upstream: Upstream;
  /** The server of the last try, which may have ended. */
  server: UpstreamServer | undefined;
  readonly #clientAddress: string;
  readonly #retry: RetrySettings;
  /** The servers of earlier tries. */
  #tried: readonly UpstreamServer[] | undefined;
  /** The request counts as in flight at `server`. */
  #atServer = false;
  #count = 0;

  constructor(upstream: Upstream, clientAddress: string, retry: RetrySettings) {
    this.upstream = upstream;
    this.#clientAddress = clientAddress;
    this.#retry = retry;
  }

  /** True while another try is allowed. */
  get mayFollow(): boolean {
    return this.#count <= this.#retry.maxRetries;
  }

  /** Milliseconds before the next try; partly random, so each call returns another value. */
  pauseMs(): number {
    return this.#retry.backoffMs === 0 ? 0 : pauseMs(this.#retry, this.#count - 1);
  }

  /** False while no server is in rotation. */
  get isPossible(): boolean {
    return this.upstream.servers.some(({ inRotation }) => inRotation);
  }

  /** The next server, if possible one in rotation that was not tried yet. */
  next(): UpstreamServer | undefined {
    return this.upstream.pick(this.#clientAddress, this.server, this.#tried);
  }

  /** Begins a try at `server`, and ends the one before it. */
  begin(server: UpstreamServer): void {
    this.leave();
    if (this.server !== undefined) this.#tried = [...(this.#tried ?? []), this.server];
    this.server = server;
    server.began(this.#count > 0);
    this.#atServer = true;
    this.#count++;
  }

  /** Ends the try. `sent` and `received` are the bytes of both bodies, if it was the last try. */
  leave(sent = 0, received = 0): void {
    if (!this.#atServer) return;
    this.#atServer = false;
    this.server?.metrics.carried(sent, received);
    this.server?.ended();
  }
}
