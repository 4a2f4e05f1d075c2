import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { EGRESS_LIMITS, type EgressFailure } from "./limits.ts";
import { OWN_PROCESSES, type ProxyAccess } from "./proxy-access.ts";
import { parseProxyRequest, type ProxyRequest, rewriteResponseHead } from "./proxy-head.ts";
import { readHead } from "./read-head.ts";
import { openTunnel, type ProxyRoute } from "./tunnel.ts";

/** The rules of the visit that the proxy asks before each connection. */
export interface EgressRules {
  addressesOf(host: string, port: number): Promise<readonly string[] | EgressFailure>;
  fail(host: string, port: number, failure: EgressFailure): void;
  receive(bytes: number): boolean;
  request(): boolean;
  /** The caller's proxy to the servers. */
  route?(): Promise<ProxyRoute | EgressFailure | undefined>;
}

/** The egress proxy of one page visit, on a TCP port of its own. `close` also closes its open connections. */
export interface ForwardProxy {
  readonly port: number;
  /** Applies the visit's rules from now on. Before, the proxy refuses everything. */
  bind(rules: EgressRules): void;
  close(): void;
}

/** Milliseconds for the browser to send its request head, which it normally sends at once. @bound */
const HEAD_TIMEOUT_MS = 10_000;

/**
 * Starts the egress proxy of one page visit: an HTTP proxy on a port that exists as long as the visit. By default it
 * listens on loopback and serves only processes of its own user. It refuses a request by closing the connection, so that no text of the proxy
 * becomes a page.
 */
export async function startForwardProxy(access: ProxyAccess = OWN_PROCESSES): Promise<ForwardProxy> {
  let rules: EgressRules | undefined;
  // Each of the browser's connections has at most one connection to a server.
  const clients = new Set<Socket>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    if (clients.size >= EGRESS_LIMITS.connections) {
      socket.destroy();
      return;
    }
    clients.add(socket);
    socket.on("close", () => clients.delete(socket));
    own(sockets, socket);
    serve(socket, { access, bound: () => rules, sockets }).catch(() => socket.destroy());
  });
  const port = await listening(server, access);
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

function listening(server: Server, { host, socket }: ProxyAccess): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once("error", reject);
  if (socket !== undefined) server.listen(socket, () => resolve(0));
  else {
    server.listen(0, host, () => {
      // A server that listens on TCP has an address and a port.
      resolve((server.address() as AddressInfo).port);
    });
  }
  return promise;
}

function own(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket);
  socket.setNoDelay(true);
  socket.on("error", () => socket.destroy());
  socket.on("close", () => sockets.delete(socket));
}

interface Proxying {
  readonly access: ProxyAccess;
  readonly bound: () => EgressRules | undefined;
  readonly sockets: Set<Socket>;
}

async function serve(client: Socket, { access, bound, sockets }: Proxying): Promise<void> {
  const late = setTimeout(() => client.destroy(), HEAD_TIMEOUT_MS);
  const head = await readHead(client).finally(() => clearTimeout(late));
  const request = parseProxyRequest(head.text);
  const rules = bound();
  if (rules === undefined || request === undefined || !(await access.admits(client))) {
    client.destroy();
    return;
  }
  const server = await reach(request, rules, client, sockets);
  if (server === undefined) {
    client.destroy();
    return;
  }
  client.on("close", () => server.destroy());
  // A response that is cut off has no "end" event that a pipe could pass on.
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

/** Connects to the first of the permitted addresses that accepts, as long as the client stays connected. */
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
  const route = await rules.route?.();
  if (client.destroyed) return undefined;
  if (route !== undefined) return await reachThrough(route, { request, addresses, rules }, client);
  for (const address of addresses) {
    const socket = connect({ host: address, port: request.port });
    own(sockets, socket);
    const isConnected = await connected(socket);
    if (client.destroyed) {
      socket.destroy();
      return undefined;
    }
    if (isConnected) return socket;
  }
  rules.fail(request.host, request.port, "unreachable");
  return undefined;
}

interface Reached {
  readonly request: ProxyRequest;
  readonly addresses: readonly string[];
  readonly rules: EgressRules;
}

/** Connects through the caller's proxy. */
async function reachThrough(
  route: ProxyRoute | EgressFailure,
  { request: { host, port }, addresses, rules }: Reached,
  client: Socket,
): Promise<Socket | undefined> {
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  client.once("close", leave);
  const socket = typeof route === "string" ? route : await openTunnel(route, { addresses, port }, gone.signal);
  client.off("close", leave);
  if (typeof socket !== "string") return socket;
  rules.fail(host, port, socket);
  return undefined;
}

function connected(socket: Socket): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => socket.destroy(), EGRESS_LIMITS.connectMs);
  socket.once("connect", () => resolve(true));
  socket.once("close", () => resolve(false));
  return promise.finally(() => clearTimeout(timer));
}

/** Relays the response with `Connection: close`, so that this connection carries one request to one server. */
async function relayResponse(server: Socket, client: Socket): Promise<void> {
  for (;;) {
    const head = await readHead(server);
    const rewritten = rewriteResponseHead(head.text);
    // Interim responses (1xx) are skipped; the next head is the final response.
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
