/** The origin of a soak test: sends patterns, checks patterns, and closes the connection on request. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { listenOnLoopback } from "../../src/lib/testing/listen.ts";
import { bodyOf, BodyCheck } from "./pattern.ts";

const PIECE = 30_000;

export class SoakOrigin {
  port = 0;
  /** Requests without a complete response. */
  open = 0;
  connections = 0;
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      this.open++;
      response.on("close", () => this.open--);
      this.#response(request, response).catch(() => response.destroy());
    });
    this.#server.on("connection", (socket) => {
      this.connections++;
      socket.on("close", () => this.connections--);
    });
    this.#server.keepAliveTimeout = 60_000;
  }

  async listen(): Promise<void> {
    this.port = await listenOnLoopback(this.#server);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** `/send/SEED/SIZE`, `/chunks/SEED/SIZE`, `/break/SEED/SIZE`, `/check/SEED/SIZE`. */
  async #response(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, kind = "", seedText = "", sizeText = ""] = (request.url ?? "").split("/");
    const seed = Number(seedText);
    const size = Number(sizeText);
    if (kind === "check") {
      const check = new BodyCheck(seed, size);
      // Without an encoding, the chunks of a message are bytes.
      for await (const chunk of request) check.take(chunk as Uint8Array);
      check.end();
      response.end("sound");
      return;
    }
    request.resume();
    const body = bodyOf(seed, size);
    if (kind !== "chunks") response.setHeader("Content-Length", size);
    const until = kind === "break" ? size / 2 : size;
    for (let at = 0; at < until; at += PIECE) {
      if (response.destroyed) return;
      if (!response.write(body.subarray(at, Math.min(at + PIECE, until)))) await drained(response);
    }
    if (kind === "break") response.destroy();
    else response.end();
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}
