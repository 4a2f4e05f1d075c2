/** Origins that respond to each request with its method, path and body, and record it. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttp2Server, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import { listenOnLoopback } from "../../../src/lib/testing/listen.ts";

export type OriginProtocol = "http1" | "h2c";

export interface EchoOrigin {
  readonly port: number;
  /** Settings of an upstream for it. */
  readonly upstream: object;
  /** Requests whose heads have arrived. */
  readonly begun: readonly string[];
  /** Received body bytes. */
  readonly received: number;
  stop(): void;
}

/** An HTTP/2 connection handles one request at a time, like an HTTP/1 connection. */
export async function startEchoOrigin(protocol: OriginProtocol): Promise<EchoOrigin> {
  const begun: string[] = [];
  const counter = { received: 0 };
  const reply = (request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse) => {
    const name = `${request.method} ${request.url}`;
    begun.push(name);
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => {
      counter.received += part.length;
      parts.push(part);
    });
    request.on("end", () => response.end(`${name} ${Buffer.concat(parts).toString("latin1")}`));
    request.on("error", () => {});
  };
  const server =
    protocol === "http1" ? createServer(reply) : createHttp2Server({ settings: { maxConcurrentStreams: 1 } }, reply);
  const port = await listenOnLoopback(server);
  return {
    port,
    upstream: { name: "origin", protocol, servers: [{ address: "127.0.0.1", port, max_fails: 1000 }] },
    begun,
    get received() {
      return counter.received;
    },
    stop: () => void server.close(),
  };
}
