import { connect, createServer, type Server, type Socket } from "node:net";
import { listenOnLoopback } from "../../src/lib/testing/listen.ts";

/** The target of a link. */
export type Far = { readonly host: string; readonly port: number } | { readonly path: string };

/**
 * The network between two processes. A cut drops no connection: as with a pulled cable, bytes wait until it is plugged
 * in again, and new connections get no reply.
 */
export class Link {
  readonly #far: Far;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;
  port = 0;

  private constructor(far: Far) {
    this.#far = far;
    this.#server = createServer((near) => this.#join(near));
  }

  static async open(far: Far): Promise<Link> {
    const link = new Link(far);
    link.port = await listenOnLoopback(link.#server);
    return link;
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.pause();
  }

  heal(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.resume();
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(near: Socket): void {
    const far = connect(this.#far);
    this.#pass(near, far);
    this.#pass(far, near);
  }

  #pass(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.on("data", (chunk) => to.write(chunk));
    from.on("end", () => to.end());
    from.on("error", () => {});
    from.on("close", () => {
      this.#sockets.delete(from);
      to.destroy();
    });
    if (this.#isCut) from.pause();
  }
}
