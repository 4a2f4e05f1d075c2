import { connect, createServer, type Server, type Socket } from "node:net";
import { EGRESS_LIMITS, type EgressFailure } from "./limits.ts";
import { isOwnPeer } from "./peer.ts";
import { parseProxyRequest, type ProxyRequest, rewriteResponseHead } from "./proxy-head.ts";

/** What the proxy asks of the visit it belongs to. */
export interface EgressRules {
  addressesOf(host: string, port: number): Promise<readonly string[] | EgressFailure>;
  fail(host: string, port: number, failure: EgressFailure): void;
  receive(bytes: number): boolean;
  request(): boolean;
}

export interface ForwardProxy {
  readonly port: number;
  /** Has the visit's rules decide from now on; before, everything is refused. */
  bind(rules: EgressRules): void;
  close(): void;
}

/** A request head from the browser, or a response head from a server, may be this long. */
const MAX_HEAD_BYTES = 256 * 1024;
/** Time for the browser to send its request head: it does so at once. */
const HEAD_TIMEOUT_MS = 10_000;

const LF = 10;
const CR = 13;

/**
 * Starts the way out of one page visit: an HTTP proxy on a loopback port that lives as long as the visit, and serves
 * our own user's processes alone. What it refuses it answers by closing, so that no words of ours become a page.
 */
export async function startForwardProxy(): Promise<ForwardProxy> {
  let rules: EgressRules | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    if (sockets.size >= EGRESS_LIMITS.connections * 2) {
      socket.destroy();
      return;
    }
    own(sockets, socket);
    serve(socket, () => rules, sockets).catch(() => socket.destroy());
  });
  const port = await listening(server);
  return {
    port,
    bind(bound) {
      rules = bound;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function listening(server: Server): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once("error", reject);
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (typeof address === "object" && address !== null) resolve(address.port);
    else reject(new Error("Cannot open the egress proxy: it has no port"));
  });
  return promise;
}

function own(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket);
  socket.setNoDelay(true);
  socket.on("error", () => socket.destroy());
  socket.on("close", () => sockets.delete(socket));
}

async function serve(client: Socket, bound: () => EgressRules | undefined, sockets: Set<Socket>): Promise<void> {
  const late = setTimeout(() => client.destroy(), HEAD_TIMEOUT_MS);
  const head = await readHead(client).finally(() => clearTimeout(late));
  const request = parseProxyRequest(head.text);
  const rules = bound();
  const known = client.localPort !== undefined && client.remotePort !== undefined;
  if (
    rules === undefined ||
    request === undefined ||
    !known ||
    !(await isOwnPeer(client.localPort, client.remotePort))
  ) {
    client.destroy();
    return;
  }
  const server = await reach(request, rules, client, sockets);
  if (server === undefined) {
    client.destroy();
    return;
  }
  client.on("close", () => server.destroy());
  // A response that is torn off has no "end" for a pipe to pass on.
  server.on("close", () => client.end());
  server.on("data", (chunk: Buffer) => {
    if (rules.receive(chunk.length)) return;
    rules.fail(request.host, request.port, "too-much");
    client.destroy();
  });
  if (request.tunnel) {
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    server.write(head.rest);
    client.pipe(server);
    server.pipe(client);
  } else {
    server.write(request.head);
    server.write(head.rest);
    client.pipe(server);
    await relayResponse(server, client);
  }
}

/** Connects to the first of the permitted addresses that accepts, for as long as the client is there. */
async function reach(
  request: ProxyRequest,
  rules: EgressRules,
  client: Socket,
  sockets: Set<Socket>,
): Promise<Socket | undefined> {
  if (!rules.request()) {
    rules.fail(request.host, request.port, "too-much");
    return undefined;
  }
  const addresses = await rules.addressesOf(request.host, request.port);
  if (typeof addresses === "string") return undefined;
  for (const address of addresses) {
    if (client.destroyed) return undefined;
    const socket = connect({ host: address, port: request.port });
    own(sockets, socket);
    if (!(await connected(socket))) continue;
    if (!client.destroyed) return socket;
    socket.destroy();
    return undefined;
  }
  rules.fail(request.host, request.port, "unreachable");
  return undefined;
}

function connected(socket: Socket): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => socket.destroy(), EGRESS_LIMITS.connectMs);
  socket.once("connect", () => resolve(true));
  socket.once("close", () => resolve(false));
  return promise.finally(() => clearTimeout(timer));
}

/** Passes the response on with `Connection: close`, so that this connection carries one request to one server. */
async function relayResponse(server: Socket, client: Socket): Promise<void> {
  for (;;) {
    const head = await readHead(server);
    const rewritten = rewriteResponseHead(head.text);
    // Interim answers (1xx) are for the connection that asked; the next head is the answer.
    if (rewritten.interim) {
      server.unshift(head.rest);
      continue;
    }
    client.write(rewritten.head);
    client.write(head.rest);
    server.pipe(client);
    return;
  }
}

/** Where the empty line is; as in browsers, a line may end in a bare LF. */
function endOfHead(bytes: Buffer): { text: number; rest: number } | undefined {
  for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, end + 1)) {
    if (bytes[end + 1] === LF) return { text: end, rest: end + 2 };
    if (bytes[end + 1] === CR && bytes[end + 2] === LF) return { text: end, rest: end + 3 };
  }
  return undefined;
}

/** Reads up to the empty line. Fails where that takes too many bytes, or the socket ends before. */
function readHead(socket: Socket): Promise<{ text: string; rest: Buffer }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ text: string; rest: Buffer }>();
  let bytes: Buffer = Buffer.alloc(0);
  function onData(chunk: Buffer): void {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
    const end = endOfHead(bytes);
    if (end !== undefined) {
      socket.pause();
      finish(undefined);
      resolve({ text: bytes.toString("latin1", 0, end.text), rest: bytes.subarray(end.rest) });
    } else if (bytes.length > MAX_HEAD_BYTES) finish(new Error("Cannot read a head: it is too long"));
  }
  function onClose(): void {
    finish(new Error("Cannot read a head: the connection ended"));
  }
  function finish(error: Error | undefined): void {
    socket.off("data", onData);
    socket.off("close", onClose);
    if (error !== undefined) reject(error);
  }
  socket.on("data", onData);
  socket.on("close", onClose);
  socket.resume();
  return promise;
}
