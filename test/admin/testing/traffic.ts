/** Clients of every kind that send requests continuously. Requests without the expected response are recorded. */
import { connect as connectHttp2 } from "node:http2";
import { statusOf } from "../../support/message.ts";
import { RawClient } from "../../support/raw-client.ts";
import { handshakeHead } from "../../websocket/testing/tunnel-client.ts";

const GET = "GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n";
/** Maximum milliseconds between two requests of one client. */
const PAUSE_MS = 15;
const PATIENCE_MS = 30_000;

/** A request without a response, or with another status than 200. */
export interface Lost {
  readonly kind: string;
  /** The port of the client's connection, which shows the worker that had it. */
  readonly port: number;
  readonly begunAt: number;
  readonly lostAt: number;
  readonly why: string;
}

/** One connection, which sends one request after the other. */
interface Connection {
  readonly port: number;
  /** False: the server has announced that it accepts no more requests. */
  ask(): Promise<boolean>;
  close(): void;
}

type Open = (port: number) => Promise<Connection>;

export class Traffic {
  readonly lost: Lost[] = [];
  readonly responded: Record<string, number> = {};
  #stopping = false;
  readonly #port: number;
  readonly #running: Promise<void>[];

  constructor(port: number) {
    this.#port = port;
    this.#running = [
      this.#client("HTTP/1.1", openHttp1, Number.POSITIVE_INFINITY),
      this.#client("HTTP/1.1", openHttp1, Number.POSITIVE_INFINITY),
      this.#client("a new connection each", openHttp1, 1),
      this.#client("HTTP/2", openH2, 40),
      this.#client("WebSocket", openTunnel, 40),
    ];
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#running);
  }

  async #client(kind: string, open: Open, requestsEach: number): Promise<void> {
    while (!this.#stopping) {
      const begunAt = performance.now();
      let connection: Connection | undefined;
      try {
        connection = await open(this.#port);
        await this.#requests(kind, connection, requestsEach);
      } catch (error) {
        if (connection === undefined)
          this.lost.push({ kind, port: 0, begunAt, lostAt: performance.now(), why: String(error) });
      } finally {
        connection?.close();
      }
    }
  }

  async #requests(kind: string, connection: Connection, most: number): Promise<void> {
    for (let i = 0; i < most && !this.#stopping; i++) {
      const begunAt = performance.now();
      try {
        const goesOn = await connection.ask();
        this.responded[kind] = (this.responded[kind] ?? 0) + 1;
        if (!goesOn) return;
      } catch (error) {
        this.lost.push({ kind, port: connection.port, begunAt, lostAt: performance.now(), why: String(error) });
        return;
      }
      await Bun.sleep(Math.random() * PAUSE_MS);
    }
  }
}

async function openHttp1(port: number): Promise<Connection> {
  const client = await RawClient.open(port);
  return {
    port: client.socket.localPort ?? 0,
    async ask() {
      if (client.state !== "open") return false;
      client.send(GET);
      const response = await client.response("GET", PATIENCE_MS);
      if (statusOf(response) !== 200) throw new Error(`status ${statusOf(response)}: ${response.raw}`);
      return !response.raw.includes("Connection: close");
    },
    close: () => client.destroy(),
  };
}

function openH2(port: number): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    let goesOn = true;
    session.on("goaway", () => {
      goesOn = false;
    });
    session.on("close", () => {
      goesOn = false;
    });
    session.on("error", reject);
    session.on("connect", () =>
      resolve({
        port: session.socket.localPort ?? 0,
        async ask() {
          // It was closed while it had no request.
          if (session.closed || session.destroyed) return false;
          return await new Promise((responded, failed) => {
            const stream = session.request({ ":path": "/x", ":authority": "a.test" });
            let status = 0;
            stream.on("response", (head) => {
              status = Number(head[":status"]);
            });
            stream.on("error", failed);
            stream.on("end", () => (status === 200 ? responded(goesOn) : failed(new Error(`status ${status}`))));
            stream.on("close", () => failed(new Error(`the stream closed with ${stream.rstCode}`)));
            stream.resume();
          });
        },
        close: () => session.destroy(),
      }),
    );
  });
}

async function openTunnel(port: number): Promise<Connection> {
  const client = await RawClient.open(port);
  client.send(handshakeHead());
  const response = await client.response("GET", PATIENCE_MS);
  if (statusOf(response) !== 101) throw new Error(`status ${statusOf(response)}: ${response.raw}`);
  let count = 0;
  return {
    port: client.socket.localPort ?? 0,
    async ask() {
      const text = `<${count++}>`;
      client.send(text);
      await client.sees(text);
      return true;
    },
    close: () => client.destroy(),
  };
}
