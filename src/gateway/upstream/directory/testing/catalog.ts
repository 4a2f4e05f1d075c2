/**
 * Stands in for Consul's `/v1/health/service/NAME`, by its documented rules. Every change raises the index. A query
 * with the current index or a higher one waits for a change, unless the index is 0. It waits at most for the time in
 * the query plus a sixteenth.
 */
export interface Service {
  readonly address: string;
  readonly port: number;
  readonly weight?: number;
  readonly nodeAddress?: string;
  readonly passing?: boolean;
}

interface Waiting {
  readonly index: number;
  readonly wake: () => void;
}

export class Catalog {
  /** The path and query string of each query. */
  readonly queries: string[] = [];
  readonly tokens: (string | null)[] = [];
  /** The queries that wait for a change. */
  readonly waiting = new Set<Waiting>();
  /** Returns a response that replaces the catalog's response. */
  intercept: ((request: Request) => Response | Promise<Response> | undefined) | undefined;
  #services: readonly Service[] = [];
  #index = 10;
  readonly #server: Bun.Server<undefined>;

  constructor() {
    this.#server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 0,
      fetch: (request) => this.#response(request),
    });
  }

  get port(): number {
    return this.#server.port ?? 0;
  }

  get index(): number {
    return this.#index;
  }

  /** Replaces the services. `index` can be lower than before, as after a restored snapshot. */
  set(services: readonly Service[], index = this.#index + 1): void {
    this.#services = services;
    this.#index = index;
    this.wake();
  }

  /** Responds to every query that waits, whether anything has changed or not. */
  wake(): void {
    for (const { wake } of this.waiting) wake();
  }

  async stop(): Promise<void> {
    await this.#server.stop(true);
  }

  async #response(request: Request): Promise<Response> {
    const url = new URL(request.url);
    this.queries.push(url.pathname + url.search);
    this.tokens.push(request.headers.get("X-Consul-Token"));
    const other = await this.intercept?.(request);
    if (other !== undefined) return other;
    const index = Number(url.searchParams.get("index") ?? 0);
    if (index > 0 && index >= this.#index) {
      await this.#change(index, Number.parseFloat(url.searchParams.get("wait") ?? "300"), request.signal);
    }
    const onlyPassing = url.searchParams.has("passing");
    const entries = this.#services.filter(({ passing = true }) => passing || !onlyPassing).map(entryOf);
    return Response.json(entries, { headers: { "X-Consul-Index": String(this.#index) } });
  }

  async #change(index: number, waitS: number, gone: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = { index, wake: resolve };
    this.waiting.add(waiting);
    gone.addEventListener("abort", () => resolve());
    const timer = setTimeout(resolve, waitS * 1000 * (1 + Math.random() / 16));
    await promise;
    clearTimeout(timer);
    this.waiting.delete(waiting);
  }
}

function entryOf({ address, port, weight = 1, nodeAddress = "10.0.0.1", passing = true }: Service): object {
  return {
    Node: { ID: "40e4a748", Node: "node", Address: nodeAddress, Datacenter: "dc1" },
    Service: { ID: "s", Service: "s", Address: address, Port: port, Weights: { Passing: weight, Warning: 1 } },
    Checks: [{ CheckID: "service:s", Status: passing ? "passing" : "critical", Output: "" }],
  };
}
