import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { basicAuthorization } from "../../../lib/http/authorization.ts";
import { messageOf } from "../../../lib/caught.ts";
import { newWebSocketKey, webSocketAccept } from "../../../lib/http/websocket-handshake.ts";
import { readHead } from "../../egress/read-head.ts";
import { parseStatusLine } from "../../egress/status-line.ts";
import { WebSocketWire } from "./websocket-wire.ts";
import { bareHost, portOf } from "../../../lib/http/url-host.ts";

export interface WebSocketConnection {
  readonly wire: WebSocketWire;
  readonly localAddress: string;
  readonly remoteAddress: string;
}

/** The time for the whole handshake, and the trust in TLS servers. */
export interface ConnectOptions {
  readonly timeoutMs: number;
  /** PEM certificates that are trusted in place of the system's. */
  readonly ca: string | undefined;
}

/** Milliseconds until the kernel tests a silent connection. @bound */
const KEEP_ALIVE_MS = 15_000;

/**
 * Connects to a ws or wss URL. User and password of the URL are sent as basic authentication. Fails with a one-line
 * reason, never with the URL, whose path and query may be secret.
 */
export async function connectWebSocket(url: URL, { timeoutMs, ca }: ConnectOptions): Promise<WebSocketConnection> {
  const host = bareHost(url.hostname);
  const isTls = url.protocol === "wss:";
  const port = portOf(url);
  const socket = isTls
    ? connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}), ...(ca === undefined ? {} : { ca }) })
    : connectTcp({ host, port });
  const failure = failureOf(socket, timeoutMs);
  try {
    await Promise.race([opened(socket, isTls), failure.promise]);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    const key = newWebSocketKey();
    socket.write(requestOf(url, key));
    const head = await Promise.race([readHead(socket), failure.promise]);
    assertUpgraded(head.text, key);
    return {
      wire: new WebSocketWire(socket, head.rest),
      localAddress: socket.localAddress ?? "",
      remoteAddress: socket.remoteAddress ?? "",
    };
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    failure.clear();
  }
}

/** Rejects when the socket fails, or after the time. */
function failureOf(socket: Socket, timeoutMs: number): { promise: Promise<never>; clear(): void } {
  const { promise, reject } = Promise.withResolvers<never>();
  // The socket can also fail after the handshake has been awaited.
  promise.catch(() => undefined);
  const timer = setTimeout(() => reject(new Error(`there is no response within ${timeoutMs} ms`)), timeoutMs);
  const onError = (error: unknown) => reject(new Error(messageOf(error)));
  const onClose = () => reject(new Error("the connection was closed"));
  socket.on("error", onError);
  socket.on("close", onClose);
  const clear = () => {
    clearTimeout(timer);
    socket.off("close", onClose);
  };
  return { promise, clear };
}

function opened(socket: Socket, isTls: boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.once(isTls ? "secureConnect" : "connect", () => resolve());
  return promise;
}

function requestOf(url: URL, key: string): string {
  const authorization = basicAuthorization(url);
  const lines = [
    `GET ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    `Sec-WebSocket-Key: ${key}`,
    ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

function assertUpgraded(head: string, key: string): void {
  const line = parseStatusLine(head.slice(0, head.search(/[\r\n]|$/)));
  if (line === undefined) throw new Error("its response is not HTTP");
  if (line.status !== 101) throw new Error(`it responds to the WebSocket handshake with ${line.status}`);
  const accept = /^sec-websocket-accept:[ \t]*(\S*)/im.exec(head)?.[1];
  if (accept !== webSocketAccept(key)) throw new Error("its response to the WebSocket handshake is not valid");
}
