/** Clients that request a tunnel over each protocol. */
import { connect as connectHttp2, type ClientHttp2Session } from "node:http2";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { TEST_CA } from "../../support/certificates.ts";
import { End } from "./end.ts";

export const KEY = "dGhlIHNhbXBsZSBub25jZQ==";
export const ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

export type ClientKind = "HTTP/1.1" | "HTTP/1.1 over TLS" | "HTTP/2" | "HTTP/2 over TLS";

export interface Ports {
  readonly port: number;
  readonly tlsPort: number;
}

export interface Handshake {
  readonly path?: string;
  /** Field lines of the request. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Bytes that are sent in one write with the head. */
  readonly early?: Buffer;
}

export interface Opened {
  readonly status: number;
  /** Names in lower case. */
  readonly fields: Readonly<Record<string, string>>;
  /** The data after the head. */
  readonly end: End;
  /** Resets the connection or the stream. */
  reset(): void;
  /** The code of RST_STREAM; undefined for a socket. */
  resetCode(): number | undefined;
  /** Frees all resources. */
  destroy(): void;
}

/** The complete head of a valid HTTP/1.1 handshake. */
export function handshakeHead(path = "/x", fields: Readonly<Record<string, string>> = {}): string {
  const all = {
    Host: "a.test",
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": KEY,
    ...fields,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

/** Sends the handshake, and resolves with any final head. */
export async function openTunnel(kind: ClientKind, ports: Ports, handshake: Handshake = {}): Promise<Opened> {
  if (kind === "HTTP/1.1") return await overSocket(connect({ port: ports.port, host: "127.0.0.1" }), handshake);
  const tls = { ca: TEST_CA.cert, servername: "localhost" };
  if (kind === "HTTP/1.1 over TLS") {
    const socket = connectTls({ port: ports.tlsPort, host: "127.0.0.1", ALPNProtocols: ["http/1.1"], ...tls });
    return await overSocket(socket, handshake);
  }
  const session =
    kind === "HTTP/2"
      ? connectHttp2(`http://127.0.0.1:${ports.port}`)
      : connectHttp2(`https://localhost:${ports.tlsPort}`, tls);
  return await overHttp2(session, handshake);
}

function overSocket(socket: Socket, { path, fields, early }: Handshake): Promise<Opened> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const fail = (): void => reject(new Error(`No response to the handshake: ${received.toString("latin1")}`));
    const take = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk]);
      const headEnd = received.indexOf("\r\n\r\n");
      if (headEnd === -1) return;
      socket.off("data", take);
      socket.off("close", fail);
      const [first = "", ...lines] = received.toString("latin1", 0, headEnd).split("\r\n");
      const pairs = lines.map((line) => [
        line.slice(0, line.indexOf(":")).toLowerCase(),
        line.slice(line.indexOf(":") + 1).trim(),
      ]);
      resolve({
        status: Number(first.split(" ")[1]),
        fields: Object.fromEntries(pairs),
        end: new End(socket, received.subarray(headEnd + 4)),
        reset: () => socket.resetAndDestroy(),
        resetCode: () => undefined,
        destroy: () => socket.destroy(),
      });
    };
    socket.on("data", take);
    socket.on("close", fail);
    socket.on("error", () => {});
    socket.setNoDelay(true);
    const head = Buffer.from(handshakeHead(path, fields), "latin1");
    socket.write(early === undefined ? head : Buffer.concat([head, early]));
  });
}

function overHttp2(session: ClientHttp2Session, { path = "/x", fields = {}, early }: Handshake): Promise<Opened> {
  return new Promise((resolve, reject) => {
    session.on("error", reject);
    const ask = (): void => {
      const stream = session.request({
        ":method": "CONNECT",
        ":protocol": "websocket",
        ":scheme": "http",
        ":authority": "a.test",
        ":path": path,
        "sec-websocket-version": "13",
        ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value])),
      });
      if (early !== undefined) stream.write(early);
      stream.on("error", reject);
      stream.on("response", (headers) => {
        const pairs = Object.entries(headers).map(([name, value]) => [name, String(value)]);
        resolve({
          status: Number(headers[":status"]),
          fields: Object.fromEntries(pairs),
          end: new End(stream),
          reset: () => stream.close(8),
          resetCode: () => stream.rstCode,
          destroy: () => session.destroy(),
        });
      });
    };
    if (session.remoteSettings?.enableConnectProtocol === true) ask();
    else session.once("remoteSettings", ask);
  });
}
