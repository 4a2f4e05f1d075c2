/** For tests only: servers that follow a script in PostgreSQL's protocol. */
import { createServer, type Server, type Socket } from "node:net";
import { listenOnLoopback } from "../../lib/testing/listen.ts";

const servers: Server[] = [];
const sockets: Socket[] = [];

export function closeServers(): void {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
}

export interface ScriptedPostgres {
  readonly port: number;
  /** All bytes that clients have sent. */
  readonly heard: () => string;
  /** Connections, in the order in which they were accepted. */
  readonly connections: readonly Socket[];
}

/**
 * For each piece that it receives, the server sends the next response. After a `close` in the list it ends the
 * connection.
 */
export async function serve(...responses: readonly (Buffer | string)[]): Promise<ScriptedPostgres> {
  return await serveEach(() => responses);
}

/** The same with a separate list of responses for each connection. Connections are counted from 0. */
export async function serveEach(
  answersOf: (connection: number) => readonly (Buffer | string)[],
): Promise<ScriptedPostgres> {
  let heard = "";
  const connections: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    const left = [...answersOf(connections.push(socket) - 1)];
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      heard += chunk.toString("latin1");
      const response = left.shift();
      if (response === "close") socket.destroy();
      else if (response !== undefined) socket.write(response);
    });
  });
  servers.push(server);
  return { port: await listenOnLoopback(server), heard: () => heard, connections };
}

/** A message of the server. A number becomes four bytes. */
export function message(type: string, ...parts: readonly (Buffer | string | number)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => {
      if (typeof part !== "number") return Buffer.from(part);
      const bytes = Buffer.alloc(4);
      bytes.writeInt32BE(part);
      return bytes;
    }),
  );
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

export const OK = message("R", 0);
export const UTF8 = message("S", "server_encoding\0UTF8\0");
export const READY = message("Z", "I");
/** Lets any client log in. */
export const WELCOME = Buffer.concat([OK, UTF8, READY]);
/** The response to a statement without rows. */
export const DONE = Buffer.concat([message("C", "SELECT 0\0"), READY]);
