/** An origin that reports which version of a route sent a request, and echoes the data of a tunnel. */
import { createServer } from "node:http";
import { type Socket } from "node:net";
import { listenOnLoopback } from "../../../src/lib/testing/listen.ts";
import { ACCEPT } from "../../websocket/testing/tunnel-client.ts";

export interface EchoSite {
  readonly port: number;
  stop(): void;
}

export async function startEchoSite(): Promise<EchoSite> {
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    response.end(`${String(request.headers["x-version"])}\n`);
  });
  // The gateway's pool closes connections before this.
  server.keepAliveTimeout = 120_000;
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("upgrade", (_, socket) => {
    const fields = `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${ACCEPT}\r\n`;
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${fields}\r\n`);
    socket.pipe(socket);
  });
  const port = await listenOnLoopback(server);
  return {
    port,
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
