import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:net";

/** The port of a server that listens on TCP. Throws if it does not listen. */
export function listeningPort(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new Error("Cannot tell the port: the server does not listen on TCP");
  return address.port;
}

/** Starts a server on a loopback port that the system picks, and returns the port. */
export async function listenOnLoopback(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return listeningPort(server);
}

/** Ports that the system may pick for a connection or for port 0 (Linux: `ip_local_port_range`). */
function systemsPorts(): readonly [first: number, last: number] {
  try {
    const [first = 32_768, last = 60_999] = readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "latin1")
      .trim()
      .split(/\s+/)
      .map(Number);
    return [first, last];
  } catch {
    return [32_768, 65_535];
  }
}

const FIRST_PORT = 10_000;
/** Ports that a process tries before it gives up. */
const MOST_LOOKS = 1000;
const given = new Set<number>();

function randomPort(): number {
  const [first, last] = systemsPorts();
  // Ports below the system's range, or above it if there is no room below.
  const [from, to] = first - FIRST_PORT >= MOST_LOOKS ? [FIRST_PORT, first] : [last + 1, 65_536];
  return from < to ? from + Math.floor(Math.random() * (to - from)) : 0;
}

/** True if a loopback port is free for TCP and for UDP. Binds it for a moment. */
async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const socket = createSocket("udp4");
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    socket.bind(port, "127.0.0.1");
    await once(socket, "listening");
    return true;
  } catch {
    return false;
  } finally {
    const closed = [new Promise<void>((resolve) => server.close(() => resolve()))];
    closed.push(new Promise<void>((resolve) => socket.close(resolve)));
    await Promise.all(closed);
  }
}

/**
 * A loopback port that is free for TCP and UDP, for a program that does not accept port 0. It is outside the range that
 * the system picks from, so it stays free until it is used. Each call in a process returns another port.
 */
export async function freePort(): Promise<number> {
  for (let look = 0; look < MOST_LOOKS; look++) {
    const port = randomPort();
    if (port === 0) break;
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
  throw new Error("Cannot find a free port: all that were tried are in use");
}
