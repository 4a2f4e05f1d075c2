import { readFileSync } from "node:fs";

/** A program for Python that listens, accepts nobody, has its queue filled, so that the kernel answers no more SYNs, and prints its port. */
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

/** Attempts to connect to the port that the kernel has under way. */
export function attempts(port: number): number {
  const to = `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")} 02 `;
  return readFileSync("/proc/net/tcp", "latin1").split(to).length - 1;
}
