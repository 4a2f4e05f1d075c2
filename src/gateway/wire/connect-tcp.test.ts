import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { Program } from "../../../test/support/program.ts";
import { connectTcp } from "./connect-tcp.ts";
import { DEAF } from "./tcp.ts";
import { connectTls, trustOf } from "./tls-connect.ts";

function rethrow(error: unknown): never {
  throw error;
}

/** Listens, accepts nobody, and has its queue filled: the kernel answers no more SYNs. */
const SWALLOWER = `
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
function attempts(port: number): number {
  const to = `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")} 02 `;
  return readFileSync("/proc/net/tcp", "latin1").split(to).length - 1;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(1);
}

test.skipIf(Bun.which("python3") === null)(
  "an attempt that is given up leaves no socket behind, whether for TLS or not (skipped without python3)",
  async () => {
    const swallower = new Program(["-c", SWALLOWER], { command: ["python3"] });
    const [line] = await swallower.sees(/\d+\n/);
    const endpoint = { address: "127.0.0.1", port: Number(line) };
    const tls = { verify: true, serverName: "", protocols: [], trust: trustOf("") };
    const before = attempts(endpoint.port);
    for (const open of [
      () => connectTcp(endpoint, () => DEAF, rethrow),
      () => connectTls(endpoint, tls, () => DEAF, rethrow),
    ]) {
      const connecting = open();
      await until(() => attempts(endpoint.port) === before + 1);
      connecting.abort();
      expect(connecting.done).rejects.toThrow();
      await until(() => attempts(endpoint.port) === before);
    }
    swallower.kill("SIGKILL");
    await swallower.exit();
  },
);
