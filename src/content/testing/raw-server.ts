import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { listeningPort } from "../../lib/testing/listen.ts";

/** Responds to one request with any bytes. */
export type RawResponse = (socket: Socket, request: RawRequest) => void;

export interface RawRequest {
  /** The path with its query. */
  readonly path: string;
  /** The head as received, without the empty line. */
  readonly head: string;
  /** The number of its connection, from 1. */
  readonly connection: number;
}

/** A server whose responses a test defines byte by byte. */
export class RawServer {
  readonly requests: RawRequest[] = [];
  readonly sockets = new Set<Socket>();
  /** Called for each request whose path has no response in the table. */
  responses: Readonly<Record<string, RawResponse>> = {};
  connections = 0;
  port = 0;
  readonly #server: Server;

  private constructor(tls: { readonly cert: string; readonly key: string } | undefined) {
    const accept = (socket: Socket): void => this.#accept(socket);
    this.#server = tls === undefined ? createServer({ noDelay: true }, accept) : createTlsServer({ ...tls }, accept);
    this.#server.on("tlsClientError", () => undefined);
  }

  /** Listens on a free port, or on the given one. */
  static async start(
    tls?: { readonly cert: string; readonly key: string },
    { host = "127.0.0.1", port = 0 }: { readonly host?: string; readonly port?: number } = {},
  ): Promise<RawServer> {
    const server = new RawServer(tls);
    server.#server.listen(port, host);
    await once(server.#server, "listening");
    server.port = listeningPort(server.#server);
    return server;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #accept(socket: Socket): void {
    this.connections += 1;
    const connection = this.connections;
    this.sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => this.sockets.delete(socket));
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      for (let end = text.indexOf("\r\n\r\n"); end !== -1; end = text.indexOf("\r\n\r\n")) {
        const head = text.slice(0, end);
        text = text.slice(end + 4);
        const path = head.split(" ")[1] ?? "";
        const request = { path, head, connection };
        this.requests.push(request);
        const reply = this.responses[path] ?? this.responses[path.split("?")[0] ?? ""];
        if (reply === undefined) socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
        else reply(socket, request);
      }
    });
  }
}

/** A response with these fields, this body and its Content-Length. */
export function response(body: string | Uint8Array, fields = "Content-Type: text/html\r\n", status = "200 OK"): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${fields}Content-Length: ${bytes.length}\r\n\r\n`), bytes]);
}
