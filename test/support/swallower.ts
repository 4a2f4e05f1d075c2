import { readFileSync } from "node:fs";

/**
 * A Python program that listens without accepting, with a full queue, so that the kernel does not respond to SYNs. It
 * prints its port.
 */
export const SWALLOWER = `
import socket, time
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(0)
clients = [socket.socket() for _ in range(3)]
for client in clients:
    client.setblocking(False)
    client.connect_ex(listener.getsockname())
print(listener.getsockname()[1], flush=True)
time.sleep(60)
`;

/** Attempts to connect to the port that are in progress in the kernel. */
export function attempts(port: number): number {
  const to = `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")} 02 `;
  return readFileSync("/proc/net/tcp", "latin1").split(to).length - 1;
}
