import { connect, isIP, type Socket } from "node:net";
import { type OwnProxy } from "./own-proxy.ts";
import { hostAndPort } from "../../lib/http/url-host.ts";
import { EGRESS_LIMITS, type EgressFailure } from "./limits.ts";
import { readHead } from "./read-head.ts";
import { parseStatusLine } from "./status-line.ts";

/** A caller's proxy, and the addresses of it that the egress guard permits. */
export interface ProxyRoute {
  readonly proxy: OwnProxy;
  readonly addresses: readonly string[];
}

/** Addresses of a server that are tried through a proxy. */
const MAX_TRIED = 3;

/** A proxy has made no connection. */
class TunnelError extends Error {
  readonly failure: EgressFailure;

  constructor(failure: EgressFailure) {
    super("Cannot connect through the proxy");
    this.failure = failure;
  }
}

/**
 * Connects to a server through a proxy. The proxy gets one of the server's addresses and not its name, so that it
 * connects to the address that the egress guard has checked. `signal` ends the attempt. Never rejects.
 */
export async function openTunnel(
  { proxy, addresses: [host] }: ProxyRoute,
  { addresses, port }: { readonly addresses: readonly string[]; readonly port: number },
  signal?: AbortSignal,
): Promise<Socket | EgressFailure> {
  // Many proxies have no IPv6.
  const tried = addresses.toSorted((a, b) => isIP(a) - isIP(b)).slice(0, MAX_TRIED);
  let failure: EgressFailure = "proxy";
  for (const address of tried) {
    if (host === undefined || signal?.aborted === true) break;
    const socket = connect({ host, port: proxy.port });
    const end = (): void => void socket.destroy();
    const timer = setTimeout(end, EGRESS_LIMITS.connectMs);
    signal?.addEventListener("abort", end, { once: true });
    socket.on("error", end);
    try {
      await (proxy.protocol === "http" ? askHttp : askSocks)(socket, proxy, { address, port });
      socket.setNoDelay(true);
      return socket;
    } catch (error) {
      socket.destroy();
      if (error instanceof TunnelError) failure = error.failure;
      if (failure === "proxy-login") break;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
    }
  }
  return failure;
}

interface Wanted {
  readonly address: string;
  readonly port: number;
}

/** RFC 9110 §9.3.6. */
async function askHttp(socket: Socket, { user }: OwnProxy, { address, port }: Wanted): Promise<void> {
  const target = hostAndPort(address, port);
  const login = user && Buffer.from(`${user.name}:${user.password}`).toString("base64");
  const lines = [
    `CONNECT ${target} HTTP/1.1`,
    `Host: ${target}`,
    ...(login === undefined ? [] : [`Proxy-Authorization: Basic ${login}`]),
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  const { text, rest } = await readHead(socket);
  const status = parseStatusLine(text.split(/\r?\n/, 1)[0] ?? "")?.status ?? 0;
  if (status < 200 || status > 299) throw new TunnelError(status === 407 ? "proxy-login" : "proxy");
  socket.unshift(rest);
}

/** Values of SOCKS version 5 (RFC 1928 and RFC 1929). */
const SOCKS = { version: 5, none: 0, password: 2, passwordVersion: 1, connect: 1, ipv4: 1, name: 3, ipv6: 4 } as const;

async function askSocks(socket: Socket, { user }: OwnProxy, { address, port }: Wanted): Promise<void> {
  const methods = user === undefined ? [SOCKS.none] : [SOCKS.none, SOCKS.password];
  socket.write(Uint8Array.of(SOCKS.version, methods.length, ...methods));
  const [version, method] = await bytesOf(socket, 2);
  if (version !== SOCKS.version) throw new TunnelError("proxy");
  if (method === SOCKS.password && user !== undefined) await logIn(socket, user);
  else if (method !== SOCKS.none) throw new TunnelError("proxy-login");
  const isV6 = isIP(address) === 6;
  const bytes = isV6 ? ipv6Bytes(address) : address.split(".").map(Number);
  const type = isV6 ? SOCKS.ipv6 : SOCKS.ipv4;
  socket.write(Uint8Array.of(SOCKS.version, SOCKS.connect, 0, type, ...bytes, port >> 8, port & 0xff));
  const [, reply, , bound] = await bytesOf(socket, 4);
  if (reply !== 0) throw new TunnelError("proxy");
  const [nameLength = 0] = bound === SOCKS.name ? await bytesOf(socket, 1) : [];
  const length = bound === SOCKS.name ? nameLength : bound === SOCKS.ipv6 ? 16 : 4;
  await bytesOf(socket, length + 2);
}

async function logIn(socket: Socket, { name, password }: NonNullable<OwnProxy["user"]>): Promise<void> {
  const [user, secret] = [Buffer.from(name), Buffer.from(password)];
  if (user.length > 255 || secret.length > 255) throw new TunnelError("proxy-login");
  socket.write(Uint8Array.of(SOCKS.passwordVersion, user.length, ...user, secret.length, ...secret));
  const [, status] = await bytesOf(socket, 2);
  if (status !== 0) throw new TunnelError("proxy-login");
}

function ipv6Bytes(address: string): number[] {
  // A URL writes an address in one form, with at most one "::".
  const [head = "", tail] = new URL(`http://[${address.replace(/%.*$/, "")}]/`).hostname.slice(1, -1).split("::");
  const [first, last] = [groupsOf(head), groupsOf(tail ?? "")];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => 0);
  return [...first, ...zeros, ...last].flatMap((group) => [group >> 8, group & 0xff]);
}

function groupsOf(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}

/** Reads this number of bytes, and leaves the socket paused. Fails if the socket closes before. */
function bytesOf(socket: Socket, count: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let bytes: Buffer = Buffer.alloc(0);
  const onClose = (): void => reject(new TunnelError("proxy"));
  function onData(chunk: Buffer): void {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.length < count) return;
    socket.off("data", onData);
    socket.pause();
    socket.unshift(bytes.subarray(count));
    resolve(bytes.subarray(0, count));
  }
  socket.on("data", onData);
  socket.on("close", onClose);
  socket.resume();
  return promise.finally(() => socket.off("close", onClose));
}
