/** Origins that name themselves in each response, and record their requests. */
import { type Server } from "bun";

/** A request as an origin received it. */
export interface Seen {
  readonly origin: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

export class NamedOrigins {
  readonly names: readonly string[];
  /** All requests since the last `reset`, in order. */
  seen: Seen[] = [];
  readonly #servers: ReadonlyMap<string, Server<undefined>>;

  private constructor(names: readonly string[]) {
    this.names = names;
    this.#servers = new Map(names.map((name) => [name, this.#serve(name)]));
  }

  static start(names: readonly string[]): Promise<NamedOrigins> {
    return Promise.resolve(new NamedOrigins(names));
  }

  port(name: string): number {
    const port = this.#servers.get(name)?.port;
    if (port === undefined) throw new Error(`Cannot find the origin ${name}`);
    return port;
  }

  reset(): void {
    this.seen = [];
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.stop(true)));
  }

  #serve(origin: string): Server<undefined> {
    return Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        const url = new URL(request.url);
        const { method, headers } = request;
        this.seen.push({ origin, method, path: url.pathname + url.search, headers, body: await request.text() });
        return new Response(origin, { headers: { "x-origin": origin, "x-from": "origin" } });
      },
    });
  }
}
