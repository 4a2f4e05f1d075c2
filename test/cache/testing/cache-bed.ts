/** A gateway with a cache, and an origin that the test controls. */
import { everythingTo, type Gateway, startGateway } from "../../support/gateway.ts";
import { type Message, valuesOf } from "../../support/message.ts";
import { once, RawClient } from "../../support/raw-client.ts";
import { RawOrigin } from "../../support/raw-origin.ts";

export class CacheBed {
  readonly origin: RawOrigin;
  readonly gateway: Gateway;
  readonly #clients: RawClient[] = [];
  #paths = 0;

  private constructor(origin: RawOrigin, gateway: Gateway) {
    this.origin = origin;
    this.gateway = gateway;
  }

  /** `cache` is the setting of the route for `/`. */
  static async start(cache: object, otherRoutes: readonly object[] = []): Promise<CacheBed> {
    const origin = await RawOrigin.start();
    const { upstreams } = everythingTo(origin.port);
    const gateway = await startGateway({
      access_log: { enabled: false },
      upstreams: upstreams.map((upstream) => ({
        ...upstream,
        servers: [{ address: "127.0.0.1", port: origin.port, max_fails: 1000 }],
      })),
      routes: [{ path_prefix: "/", upstream: "origin", retry: { max_retries: 0 }, cache }, ...otherRoutes],
    });
    return new CacheBed(origin, gateway);
  }

  /** Between two tests. */
  reset(): void {
    for (const client of this.#clients.splice(0)) client.destroy();
    this.origin.reset();
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.origin.stop();
  }

  /** A path that no other test uses. */
  newPath(): string {
    return `/p${++this.#paths}`;
  }

  /** Makes the origin respond to every request with these fields and a body that counts the requests. */
  responses(fields: string, status = "200 OK"): void {
    let count = 0;
    this.origin.response = (request, connection) => {
      count++;
      const body = `body ${count}`;
      const head = `HTTP/1.1 ${status}\r\n${fields}Content-Length: ${body.length}\r\n\r\n`;
      connection.send(request.startLine.startsWith("HEAD ") ? head : head + body);
    };
  }

  ask(path: string, fields = "", method = "GET"): Promise<Message> {
    return once(this.gateway.port, `${method} ${path} HTTP/1.1\r\nHost: a.test\r\n${fields}\r\n`, method);
  }

  /** A client that has sent a request and waits. */
  async opened(path: string, fields = ""): Promise<RawClient> {
    const client = await RawClient.open(this.gateway.port);
    this.#clients.push(client);
    client.send(`GET ${path} HTTP/1.1\r\nHost: a.test\r\n${fields}\r\n`);
    return client;
  }
}

export function cacheStatus(message: Message): string {
  return valuesOf(message, "cache-status").join(" | ");
}
