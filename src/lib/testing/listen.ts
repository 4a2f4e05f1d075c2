import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** The port of a server that listens on TCP; an Error where it does not. */
export function listeningPort(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("Cannot tell the port: the server has none");
  return address.port;
}

/** Has a server listen on a loopback port that the system picks, and gives the port. */
export async function listenOnLoopback(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return listeningPort(server);
}

/** A loopback port that nobody listens on; it was free just now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenOnLoopback(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
