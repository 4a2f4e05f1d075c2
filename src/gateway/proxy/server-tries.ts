import { pauseMs, type RetrySettings } from "./retry-pause.ts";
import { type UpstreamServer } from "../upstream/server.ts";
import { type Upstream } from "../upstream/upstream.ts";

/** The servers that one request is tried at, one after another: which comes next, and at which it counts as in flight. */
export class ServerTries {
  /** Where all tries go. */
  readonly upstream: Upstream;
  /** The last one, whose try may be over. */
  server: UpstreamServer | undefined;
  readonly #clientAddress: string;
  readonly #retry: RetrySettings;
  /** Those before it. */
  #tried: readonly UpstreamServer[] | undefined;
  /** The request is counted there. */
  #atServer = false;
  #count = 0;

  constructor(upstream: Upstream, clientAddress: string, retry: RetrySettings) {
    this.upstream = upstream;
    this.#clientAddress = clientAddress;
    this.#retry = retry;
  }

  /** True while another try may follow. */
  get mayFollow(): boolean {
    return this.#count <= this.#retry.maxRetries;
  }

  /** Milliseconds to wait before the next try; other ones each time it is asked. */
  pauseMs(): number {
    return this.#retry.backoffMs === 0 ? 0 : pauseMs(this.#retry, this.#count - 1);
  }

  /** False while no server is in rotation. */
  get isPossible(): boolean {
    return this.upstream.servers.some(({ inRotation }) => inRotation);
  }

  /** The next server: one that was not tried yet where there is one in rotation. */
  next(): UpstreamServer | undefined {
    return this.upstream.pick(this.#clientAddress, this.server, this.#tried);
  }

  /** The request goes to `server` now, and the try before it is over. */
  begin(server: UpstreamServer): void {
    this.leave();
    if (this.server !== undefined) this.#tried = [...(this.#tried ?? []), this.server];
    this.server = server;
    server.began(this.#count > 0);
    this.#atServer = true;
    this.#count++;
  }

  /** The request is not in flight there any more; so many bytes of bodies went there and came from there, if it was the last try. */
  leave(sent = 0, received = 0): void {
    if (!this.#atServer) return;
    this.#atServer = false;
    this.server?.metrics.carried(sent, received);
    this.server?.ended();
  }
}
